import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import type { AdminKey } from '../../../client/client.ts';
import { api } from '../../state/api.ts';
import { into, setting } from '../../state/into.ts';
import { type Loaded, useLoaded } from '../../state/load.ts';
import { t, tWord } from '../../state/messages.ts';
import { may } from '../../state/session.ts';
import { toast } from '../../state/toasts.ts';
import { confirmed } from '../../view/confirm.ts';
import { action, badge, copyButton, type Tone } from '../../view/controls.ts';
import { dialog } from '../../view/dialog.ts';
import { code, component, div, pre, span } from '../../view/elements.ts';
import { list } from '../../view/list.ts';
import { card, empty, failed, pageHead, skeleton } from '../../view/page.ts';
import { when } from '../../view/time.ts';
import { timeline } from './timeline.ts';

const TONES: Readonly<Record<AdminKey['state'], Tone>> = {
  announced: 'warn',
  active: 'good',
  retired: 'quiet',
  configured: 'good',
  published: 'accent',
  unused: 'quiet',
};

const LIMIT = 200;

export const keys = (): VNode => component(Keys, {});

/** The keys of the server: when each was announced, signs and goes. */
function Keys(): VNode {
  const isRotating = useSignal(false);
  const shown = useSignal<AdminKey | undefined>(undefined);
  const revoking = useSignal<AdminKey | undefined>(undefined);
  const loaded = useLoaded('keys', async () => {
    const { items } = await api.adminKeyList({ query: { limit: LIMIT } });
    return items as readonly AdminKey[];
  });
  return div(
    null,
    pageHead({
      title: t('keys'),
      lead: t('keys.lead'),
      actions: may('admin:keys')
        ? action({ label: t('keys.rotate'), icon: 'refresh', onClick: setting(isRotating, true) })
        : undefined,
    }),
    isRotating.value
      ? confirmed({
          title: t('keys.rotate.title'),
          text: t('keys.rotate.text'),
          label: t('keys.rotate'),
          harmless: true,
          close: setting(isRotating, false),
          act: async (reason) => {
            await api.adminKeyRotate({ body: {}, ...reason });
            toast(t('keys.rotated'));
            loaded.reload();
          },
        })
      : null,
    content(loaded, {
      show: into(shown),
      revoke: into(revoking),
    }),
    shown.value === undefined ? null : publicHalf(shown.value, setting(shown, undefined)),
    revoking.value === undefined
      ? null
      : confirmedRevoke(revoking.value, loaded.reload, setting(revoking, undefined)),
  );
}

interface Acts {
  readonly show: (key: AdminKey) => void;
  readonly revoke: (key: AdminKey) => void;
}

function content({ value, problem, busy, reload }: Loaded<readonly AdminKey[]>, acts: Acts): VNode {
  if (problem !== undefined) return card(undefined, failed(problem, reload), { flush: true });
  if (value === undefined) return card(undefined, skeleton(), { flush: true });
  if (value.length === 0) return card(undefined, empty('key', t('keys.none')), { flush: true });
  return div(
    { class: 'stack' },
    card(t('keys.timeline'), timeline(value, Date.now())),
    card(undefined, table(value, busy, acts), { flush: true }),
  );
}

function table(all: readonly AdminKey[], busy: boolean, { show, revoke }: Acts): VNode {
  return list({
    label: t('keys'),
    items: all,
    keyOf: ({ kid }) => kid,
    busy,
    columns: [
      {
        label: t('keys.key'),
        cell: ({ kid, use, kind }) => [
          span({ class: 'title' }, `${tWord('keys.use', use)} · ${kind}`),
          code({ class: 'sub' }, kid),
        ],
      },
      { label: t('state'), cell: ({ state }) => badge(tWord('keys.state', state), TONES[state]) },
      { label: t('keys.active_at'), cell: ({ active_at }) => when(active_at) },
      { label: t('keys.retired_at'), cell: ({ retired_at }) => when(retired_at, '–') },
      { label: t('keys.removed_at'), cell: ({ removed_at }) => when(removed_at, '–') },
      {
        label: '',
        className: 'narrow end',
        cell: (key) =>
          span(
            { class: 'actions' },
            action({ label: t('keys.public'), size: 'tiny', onClick: () => show(key) }),
            mayRevoke(key)
              ? action({
                  label: t('keys.revoke'),
                  size: 'tiny',
                  kind: 'danger-quiet',
                  onClick: () => revoke(key),
                })
              : null,
          ),
      },
    ],
  });
}

const mayRevoke = ({ state }: AdminKey): boolean =>
  may('admin:keys') && (state === 'announced' || state === 'active' || state === 'retired');

function publicHalf({ kid, jwk }: AdminKey, close: () => void): VNode {
  const text = JSON.stringify(jwk, undefined, 2);
  return dialog({
    title: t('keys.public'),
    close,
    wide: true,
    children: [
      div({ class: 'actions' }, code({ class: 'grow' }, kid), copyButton(text)),
      pre({ class: 'json' }, text),
    ],
  });
}

function confirmedRevoke({ kid }: AdminKey, reload: () => void, close: () => void): VNode {
  return confirmed({
    title: t('keys.revoke.title'),
    text: t('keys.revoke.text'),
    name: kid,
    label: t('keys.revoke'),
    close,
    act: async (reason) => {
      await api.adminKeyRevoke({ kid, ...reason });
      toast(t('keys.revoked'));
      reload();
    },
  });
}

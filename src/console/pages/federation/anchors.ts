import { useSignal } from '@preact/signals';
import type { ComponentChildren, VNode } from 'preact';
import type { AdminPreview, AdminTrustAnchor } from '../../../client/client.ts';
import { api, wordsOf } from '../../state/api.ts';
import { setting } from '../../state/into.ts';
import { useLoaded } from '../../state/load.ts';
import { t, tWord } from '../../state/messages.ts';
import { may } from '../../state/session.ts';
import { toast } from '../../state/toasts.ts';
import { confirmed } from '../../view/confirm.ts';
import { action, badge, copyable, notice, type Tone } from '../../view/controls.ts';
import { code, component, div, li, p, span, ul } from '../../view/elements.ts';
import { list } from '../../view/list.ts';
import { card, failed, skeleton } from '../../view/page.ts';
import { when } from '../../view/time.ts';
import { withoutFederation } from './describe.ts';

type AnchorKey = AdminTrustAnchor['keys'][number];

const TONES: Readonly<Record<AnchorKey['state'], Tone>> = {
  pinned: 'good',
  accepted: 'good',
  followed: 'good',
  announced: 'warn',
  withdrawn: 'quiet',
};

const LIMIT = 200;

export const anchors = (): VNode => component(Anchors, {});

/** The trust anchors of the settings: their keys, and the decisions about keys that they announce. */
function Anchors(): VNode {
  const { value, problem, failure, reload } = useLoaded('anchors', async () => {
    const { items } = await api.adminTrustAnchorList({ query: { limit: LIMIT } });
    return items as readonly AdminTrustAnchor[];
  });
  if (problem !== undefined)
    return card(undefined, withoutFederation(failure) ?? failed(problem, reload), { flush: true });
  if (value === undefined) return card(undefined, skeleton(), { flush: true });
  return div(
    { class: 'stack' },
    value.map((anchor) => component(Anchor, { key: anchor.entity_id, anchor, reload })),
  );
}

interface AnchorProps {
  readonly anchor: AdminTrustAnchor;
  readonly reload: () => void;
}

function Anchor({ anchor, reload }: AnchorProps): VNode {
  const act = useSignal<'accept' | 'reset' | undefined>(undefined);
  const busy = useSignal(false);
  /** Why a look has failed. */
  const looked = useSignal<string | undefined>(undefined);
  const { entity_id, expires_at, keys } = anchor;
  const announced = keys.filter(({ state }) => state === 'announced');
  const look = async (): Promise<void> => {
    busy.value = true;
    try {
      const answer = (await api.adminTrustAnchorLook({ entity_id })) as AdminTrustAnchor;
      looked.value = answer.problem ?? undefined;
      if (answer.problem === null) toast(t('anchors.looked'));
      reload();
    } catch (failure) {
      looked.value = wordsOf(failure);
    } finally {
      busy.value = false;
    }
  };
  return card(
    undefined,
    [
      div(
        { class: 'card-head' },
        div(
          { class: 'grow' },
          copyable(entity_id),
          p({ class: 'muted small' }, t('anchors.expires'), ' ', when(expires_at, t('anchors.unseen'))),
        ),
        may('admin:federation')
          ? div(
              { class: 'actions' },
              announced.length === 0
                ? null
                : action({ label: t('anchors.accept'), kind: 'primary', onClick: setting(act, 'accept') }),
              action({
                label: t('anchors.look'),
                icon: 'refresh',
                disabled: busy.value,
                onClick: () => void look(),
              }),
              action({ label: t('anchors.reset'), kind: 'danger-quiet', onClick: setting(act, 'reset') }),
            )
          : null,
      ),
      looked.value === undefined ? null : div({ class: 'card-body' }, notice('bad', looked.value)),
      keyList(anchor),
      act.value === undefined
        ? null
        : decision(act.value, { anchor, announced, reload, close: setting(act, undefined) }),
    ],
    { flush: true },
  );
}

const keyList = ({ entity_id, keys }: AdminTrustAnchor): VNode =>
  list({
    label: `${t('federation.keys')} ${entity_id}`,
    items: keys,
    keyOf: ({ thumbprint }) => thumbprint,
    columns: [
      {
        label: t('keys.key'),
        cell: ({ kid, thumbprint }) => [
          code({ class: 'title' }, kid),
          span({ class: 'sub' }, t('anchors.thumbprint'), ' ', code(null, thumbprint)),
        ],
      },
      { label: t('state'), cell: ({ state }) => badge(tWord('anchors.state', state), TONES[state]) },
      { label: t('anchors.since'), cell: ({ since }) => when(since, '–') },
      { label: t('anchors.missing'), cell: ({ missing_since }) => when(missing_since, '–') },
    ],
  });

interface DecisionNeeds extends AnchorProps {
  readonly announced: readonly AnchorKey[];
  readonly close: () => void;
}

/** Asks before the trusted keys change, and shows what a dry run says about it. */
function decision(
  act: 'accept' | 'reset',
  { anchor: { entity_id }, announced, reload, close }: DecisionNeeds,
): VNode {
  const body = { thumbprints: announced.map(({ thumbprint }) => thumbprint) };
  const send = async (more: object): Promise<unknown> =>
    act === 'accept'
      ? await api.adminTrustAnchorAccept({ entity_id, body, ...more })
      : await api.adminTrustAnchorReset({ entity_id, ...more });
  return confirmed({
    title: t(`anchors.${act}.title`),
    text: t(`anchors.${act}.text`),
    name: entity_id,
    label: t(`anchors.${act}`),
    harmless: act === 'accept',
    more: act === 'accept' ? thumbprints(announced) : null,
    preview: async () => (await send({ query: { dry_run: true } })) as AdminPreview,
    close,
    act: async (reason) => {
      await send(reason);
      toast(t(`anchors.${act}.done`));
      reload();
    },
  });
}

const thumbprints = (keys: readonly AnchorKey[]): ComponentChildren =>
  ul(
    { class: 'plain-list' },
    keys.map(({ kid, thumbprint }) =>
      li({ key: thumbprint }, span({ class: 'muted' }, `${kid} `), copyable(thumbprint)),
    ),
  );

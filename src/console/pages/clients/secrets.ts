import { type Signal, useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import type { AdminClient, AdminClientSecret, AdminNewClientSecret } from '../../../client/client.ts';
import { api } from '../../state/api.ts';
import { into, setting } from '../../state/into.ts';
import { useLoaded } from '../../state/load.ts';
import { t } from '../../state/messages.ts';
import { may } from '../../state/session.ts';
import { toast } from '../../state/toasts.ts';
import { confirmed } from '../../view/confirm.ts';
import { action, badge } from '../../view/controls.ts';
import { code, component, div, p } from '../../view/elements.ts';
import { selectField } from '../../view/fields.ts';
import { type Column, list } from '../../view/list.ts';
import { card, empty, failed, skeleton } from '../../view/page.ts';
import { type OnceShown, shownOnce } from '../../view/secret.ts';
import { when } from '../../view/time.ts';

interface SecretsProps {
  readonly client: AdminClient;
  readonly reload: () => void;
}

export const secrets = (props: SecretsProps): VNode => component(Secrets, props);

type Act = 'add' | 'rotate' | AdminClientSecret;

/** How long the former secrets stay valid after a rotation, in seconds. */
const KEPT = ['0', '3600', '86400', '604800', '2592000'];

/** The secrets of a client, with their last uses. Values are shown once, when they are made. */
function Secrets({ client: { client_id }, reload: reloadClient }: SecretsProps): VNode {
  const act = useSignal<Act | undefined>(undefined);
  const made = useSignal<readonly OnceShown[]>([]);
  const kept = useSignal('86400');
  const { value, problem, busy, reload } = useLoaded(client_id, async () => {
    const { items } = await api.adminClientSecretList({ client_id });
    return items as readonly AdminClientSecret[];
  });
  const changed = (): void => {
    reload();
    reloadClient();
  };
  const done = (answer: unknown): void => {
    made.value = [{ label: t('secrets.secret'), value: (answer as AdminNewClientSecret).client_secret }];
    changed();
  };
  return div(
    { class: 'stack' },
    may('admin:clients:write')
      ? div(
          { class: 'actions' },
          action({ label: t('secrets.rotate'), icon: 'refresh', onClick: () => void (act.value = 'rotate') }),
          action({ label: t('secrets.add'), icon: 'add', onClick: () => void (act.value = 'add') }),
        )
      : null,
    card(undefined, content(), { flush: true }),
    act.value === undefined
      ? null
      : dialogOf(act.value, {
          client_id,
          kept,
          close: setting(act, undefined),
          made: done,
          retired: changed,
        }),
    made.value.length === 0 ? null : shownOnce(t('secrets.made'), made.value, setting(made, [])),
  );

  function content(): VNode {
    if (problem !== undefined) return failed(problem, reload);
    if (value === undefined) return skeleton(3);
    if (value.length === 0) return empty('key', t('secrets.none'), p(null, t('secrets.none.text')));
    return list({
      label: t('client.secrets'),
      items: value,
      keyOf: ({ id }) => id,
      busy,
      columns: columns(into(act)),
    });
  }
}

function columns(retire: (secret: AdminClientSecret) => void): readonly Column<AdminClientSecret>[] {
  return [
    { label: t('secrets.secret'), cell: ({ id }) => code({ class: 'title' }, id) },
    { label: t('client.created_at'), cell: ({ created_at }) => when(created_at) },
    { label: t('clients.last_used_at'), cell: ({ last_used_at }) => when(last_used_at) },
    { label: t('client.expires_at'), cell: (secret) => expiry(secret) },
    {
      label: '',
      className: 'narrow end',
      cell: (secret) =>
        may('admin:clients:write')
          ? action({
              label: t('secrets.retire'),
              size: 'tiny',
              kind: 'danger-quiet',
              onClick: () => retire(secret),
            })
          : null,
    },
  ];
}

function expiry({ expires_at }: AdminClientSecret): VNode {
  const isOver = expires_at !== null && Date.parse(expires_at) <= Date.now();
  return isOver ? badge(t('clients.state.expired'), 'bad') : when(expires_at);
}

interface DialogNeeds {
  readonly client_id: string;
  readonly kept: Signal<string>;
  readonly close: () => void;
  /** Takes the answer of an act that made a secret. */
  readonly made: (answer: unknown) => void;
  readonly retired: () => void;
}

/** Asks before an act on the secrets. */
function dialogOf(chosen: Act, { client_id, kept, close, made, retired }: DialogNeeds): VNode {
  if (chosen === 'add')
    return confirmed({
      title: t('secrets.add'),
      text: t('secrets.add.text'),
      label: t('secrets.add'),
      harmless: true,
      close,
      act: async (reason) => made(await api.adminClientSecretCreate({ client_id, body: {}, ...reason })),
    });
  if (chosen === 'rotate')
    return confirmed({
      title: t('secrets.rotate'),
      text: t('secrets.rotate.text'),
      label: t('secrets.rotate'),
      harmless: true,
      more: selectField({
        label: t('secrets.keep'),
        value: kept.value,
        choices: KEPT.map((seconds) => ({
          value: seconds,
          label: t(`secrets.keep.${seconds}` as 'secrets.keep.0'),
        })),
        onInput: into(kept),
      }),
      close,
      act: async (reason) => {
        const body = { keep_previous_seconds: Number(kept.value) };
        made(await api.adminClientSecretRotate({ client_id, body, ...reason }));
      },
    });
  return confirmed({
    title: t('secrets.retire'),
    text: t('secrets.retire.text'),
    name: chosen.id,
    label: t('secrets.retire'),
    close,
    act: async (reason) => {
      await api.adminClientSecretRetire({ client_id, secret_id: chosen.id, 'if-match': '*', ...reason });
      toast(t('secrets.retired'));
      retired();
    },
  });
}

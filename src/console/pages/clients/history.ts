import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import type { AdminClientDiff, AdminClientVersion, AdminRestoredClient } from '../../../client/client.ts';
import { api } from '../../state/api.ts';
import { into, setting } from '../../state/into.ts';
import { useLoaded } from '../../state/load.ts';
import { t, tWord } from '../../state/messages.ts';
import { may } from '../../state/session.ts';
import { toast } from '../../state/toasts.ts';
import { confirmed, type Reason } from '../../view/confirm.ts';
import { action, badge } from '../../view/controls.ts';
import { dialog } from '../../view/dialog.ts';
import { diff } from '../../view/diff.ts';
import { code, component, div, span } from '../../view/elements.ts';
import { check } from '../../view/fields.ts';
import { type Column } from '../../view/list.ts';
import { type ItemPage, listPage } from '../../view/list-page.ts';
import { failed, skeleton } from '../../view/page.ts';
import { type OnceShown, shownOnce } from '../../view/secret.ts';
import { when } from '../../view/time.ts';

interface HistoryProps {
  readonly client_id: string;
  readonly reload: () => void;
}

export const clientHistory = (props: HistoryProps): VNode => component(History, props);

/** Every version of a client: who changed what, when and why, and the way back. */
function History({ client_id: id, reload }: HistoryProps): VNode {
  const compared = useSignal<number | undefined>(undefined);
  const restoring = useSignal<number | undefined>(undefined);
  const withSecrets = useSignal(false);
  const made = useSignal<readonly OnceShown[]>([]);
  const version = useSignal(0);
  const restore = async (reason: Reason): Promise<void> => {
    const body = { version: restoring.value ?? 1, with_secrets: withSecrets.value };
    const restored = (await api.adminClientRestore({ id, body, ...reason })) as AdminRestoredClient;
    made.value = credentialsOf(restored);
    toast(t('history.restored', body.version), async () => {
      await api.adminClientRestore({ id, body: { version: restored.version - 1 } });
      reload();
    });
    version.value += 1;
    reload();
  };
  return div(
    null,
    listPage<AdminClientVersion>({
      label: t('client.history'),
      given: { id },
      load: async ({ id: _of, ...query }) =>
        (await api.adminClientVersionList({ id, query })) as ItemPage<AdminClientVersion>,
      keyOf: (item) => String(item.version),
      columns: () =>
        columns({
          compare: into(compared),
          restore: into(restoring),
        }),
      empty: { icon: 'audit', title: t('history.none') },
      version: version.value,
    }),
    compared.value === undefined
      ? null
      : component(Compared, {
          id,
          to: compared.value,
          close: setting(compared, undefined),
        }),
    restoring.value === undefined
      ? null
      : confirmed({
          title: t('history.restore.title', restoring.value),
          text: t('history.restore.text'),
          label: t('history.restore'),
          harmless: true,
          more: check({
            label: t('history.with_secrets'),
            checked: withSecrets.value,
            onChange: into(withSecrets),
          }),
          close: setting(restoring, undefined),
          act: restore,
        }),
    made.value.length === 0 ? null : shownOnce(t('secrets.made'), made.value, setting(made, [])),
  );
}

interface Acts {
  readonly compare: (version: number) => void;
  readonly restore: (version: number) => void;
}

function columns({ compare, restore }: Acts): readonly Column<AdminClientVersion>[] {
  return [
    {
      label: t('history.version'),
      cell: ({ version, is_current, action: act }) => [
        span({ class: 'title' }, `${version} `, is_current ? badge(t('history.current'), 'good') : null),
        span({ class: 'sub' }, act === null ? '' : tWord('audit.action', act)),
      ],
    },
    { label: t('refusals.at'), cell: ({ made_at }) => when(made_at, '–') },
    { label: t('refusals.actor'), cell: ({ actor }) => (actor === null ? null : code(null, actor)) },
    { label: t('history.why'), cell: ({ reason }) => reason },
    {
      label: '',
      className: 'narrow end',
      cell: ({ version, is_current }) =>
        span(
          { class: 'actions' },
          version > 1
            ? action({ label: t('history.compare'), size: 'tiny', onClick: () => compare(version) })
            : null,
          !is_current && may('admin:clients:write')
            ? action({
                label: t('history.restore'),
                icon: 'undo',
                size: 'tiny',
                onClick: () => restore(version),
              })
            : null,
        ),
    },
  ];
}

interface ComparedProps {
  readonly id: string;
  readonly to: number;
  readonly close: () => void;
}

/** Compares a version with the one before it. */
function Compared({ id, to, close }: ComparedProps): VNode {
  const { value, problem, reload } = useLoaded(
    `${id} ${to}`,
    async () => (await api.adminClientDiff({ id, query: { to } })) as AdminClientDiff,
  );
  return dialog({
    title: t('history.compare.title', to),
    close,
    wide: true,
    children:
      problem === undefined
        ? value === undefined
          ? skeleton(3)
          : diff(value.changes)
        : failed(problem, reload),
  });
}

/** Returns the credentials that a restoration made, which no other answer has. */
export function credentialsOf({
  client_secret,
  registration_access_token,
}: Partial<AdminRestoredClient>): readonly OnceShown[] {
  return [
    ...(client_secret === undefined ? [] : [{ label: t('secrets.secret'), value: client_secret }]),
    ...(registration_access_token === undefined
      ? []
      : [{ label: t('client.registration_token'), value: registration_access_token }]),
  ];
}

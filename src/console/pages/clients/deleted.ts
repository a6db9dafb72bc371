import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import type { AdminDeletedClient, AdminRestoredClient } from '../../../client/client.ts';
import { api } from '../../state/api.ts';
import { t, tWord } from '../../state/messages.ts';
import { href } from '../../state/route.ts';
import { may } from '../../state/session.ts';
import { toast } from '../../state/toasts.ts';
import { confirmed } from '../../view/confirm.ts';
import { action } from '../../view/controls.ts';
import { code, component, div, span } from '../../view/elements.ts';
import { type Column } from '../../view/list.ts';
import { type ItemPage, listPage } from '../../view/list-page.ts';
import { pageHead } from '../../view/page.ts';
import { type OnceShown, shownOnce } from '../../view/secret.ts';
import { when } from '../../view/time.ts';
import { credentialsOf } from './history.ts';

export const deletedClients = (): VNode => component(DeletedClients, {});

type Act = { readonly verb: 'restore' | 'purge'; readonly client: AdminDeletedClient };

/** Clients that were deleted a short while ago, and can come back. */
function DeletedClients(): VNode {
  const act = useSignal<Act | undefined>(undefined);
  const made = useSignal<readonly OnceShown[]>([]);
  const version = useSignal(0);
  return div(
    null,
    pageHead({
      title: t('deleted'),
      lead: t('deleted.lead'),
      up: { to: href(['clients']), label: t('clients') },
    }),
    listPage<AdminDeletedClient>({
      label: t('deleted'),
      load: async (query) => (await api.adminDeletedClientList({ query })) as ItemPage<AdminDeletedClient>,
      keyOf: ({ client_id }) => client_id,
      columns: () =>
        columns((verb, client) => {
          act.value = { verb, client };
        }),
      empty: { icon: 'trash', title: t('deleted.none') },
      version: version.value,
    }),
    act.value === undefined ? null : dialogOf(act.value),
    made.value.length === 0
      ? null
      : shownOnce(t('secrets.made'), made.value, () => {
          made.value = [];
        }),
  );

  function dialogOf({ verb, client: { client_id: id } }: Act): VNode {
    return confirmed({
      title: t(`deleted.${verb}.title`),
      text: t(`deleted.${verb}.text`),
      name: id,
      label: t(`deleted.${verb}`),
      harmless: verb === 'restore',
      close: () => {
        act.value = undefined;
      },
      act: async (reason) => {
        if (verb === 'restore') {
          made.value = credentialsOf(await restoreDeleted(id, reason));
          toast(t('deleted.restored'));
        } else {
          await api.adminDeletedClientPurge({ id, 'if-match': '*', ...reason });
          toast(t('deleted.purged'));
        }
        version.value += 1;
      },
    });
  }
}

/** Brings a deleted client back, without its tokens. */
export async function restoreDeleted(
  id: string,
  reason: { readonly 'audit-reason'?: string } = {},
): Promise<AdminRestoredClient> {
  return (await api.adminDeletedClientRestore({ id, body: {}, ...reason })) as AdminRestoredClient;
}

function columns(
  choose: (verb: Act['verb'], client: AdminDeletedClient) => void,
): readonly Column<AdminDeletedClient>[] {
  return [
    {
      label: t('clients.client'),
      cell: ({ client_id, client_name }) => [
        span({ class: 'title' }, client_name ?? client_id),
        code({ class: 'sub' }, client_id),
      ],
    },
    {
      label: t('clients.origin'),
      cell: ({ registered_via }) => tWord('clients.origin', registered_via.split(':')[0] ?? ''),
    },
    { label: t('deleted.at'), cell: ({ deleted_at }) => when(deleted_at) },
    { label: t('refusals.actor'), cell: ({ actor }) => (actor === null ? null : code(null, actor)) },
    { label: t('deleted.until'), cell: ({ restorable_until }) => when(restorable_until) },
    {
      label: '',
      className: 'narrow end',
      cell: (client) =>
        may('admin:clients:write')
          ? span(
              { class: 'actions' },
              action({
                label: t('deleted.restore'),
                icon: 'undo',
                size: 'tiny',
                onClick: () => choose('restore', client),
              }),
              action({
                label: t('deleted.purge'),
                size: 'tiny',
                kind: 'danger-quiet',
                onClick: () => choose('purge', client),
              }),
            )
          : null,
    },
  ];
}

import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import type { AdminClient } from '../../../client/client.ts';
import { api } from '../../state/api.ts';
import { setting } from '../../state/into.ts';
import { t, tWord } from '../../state/messages.ts';
import { href, route } from '../../state/route.ts';
import { may } from '../../state/session.ts';
import { action, actionLink, badge, badges } from '../../view/controls.ts';
import { a, code, component, div, span } from '../../view/elements.ts';
import type { Choice } from '../../view/fields.ts';
import type { Column } from '../../view/list.ts';
import { type Filter, type ItemPage, listPage } from '../../view/list-page.ts';
import { pageHead } from '../../view/page.ts';
import { when } from '../../view/time.ts';
import { clientPage } from './client.ts';
import { deletedClients } from './deleted.ts';
import { GRANT_TYPES, grantsOf, nameOf, originOf } from './describe.ts';
import { fapiClients } from './fapi.ts';
import { registering } from './new-client.ts';

/** The clients, or one of them. */
export function clients([client_id, tab = '']: readonly string[]): VNode {
  if (route.value.query['show'] === 'deleted') return deletedClients();
  if (route.value.query['show'] === 'fapi') return fapiClients();
  return client_id === undefined ? component(Clients, {}) : clientPage({ client_id, tab, key: client_id });
}

const ORIGINS = [
  'cli',
  'master',
  'initial',
  'open',
  'document',
  'statement',
  'federation',
  'admin',
  'console',
];
const SORTS = ['client_id', 'name', '-created_at', 'created_at', '-last_used_at', 'last_used_at'];

/** A list of any length: the server searches and sorts it. */
function Clients(): VNode {
  const isMaking = useSignal(false);
  const version = useSignal(0);
  return div(
    null,
    pageHead({
      title: t('clients'),
      lead: t('clients.lead'),
      actions: [
        actionLink({ label: t('fapi'), icon: 'check', to: href(['clients'], { show: 'fapi' }) }),
        actionLink({ label: t('deleted'), icon: 'trash', to: href(['clients'], { show: 'deleted' }) }),
        may('admin:clients:write')
          ? action({
              label: t('clients.new'),
              icon: 'add',
              kind: 'primary',
              onClick: setting(isMaking, true),
            })
          : null,
      ],
    }),
    listPage<AdminClient>({
      label: t('clients'),
      // The beginning of a name is found at once among a million.
      search: { name: 'name', label: t('clients.search') },
      filters: filters(),
      load: async (asked) =>
        (await api.adminClientList({ query: { limit: 50, ...asked } })) as ItemPage<AdminClient>,
      keyOf: ({ client_id }) => client_id,
      columns,
      empty: { icon: 'client', title: t('clients.none'), text: t('clients.none.text') },
      version: version.value,
    }),
    isMaking.value
      ? registering({
          close: () => {
            isMaking.value = false;
            version.value += 1;
          },
        })
      : null,
  );
}

function filters(): readonly Filter[] {
  const words = (group: string, values: readonly string[]): readonly Choice[] =>
    values.map((value) => ({ value, label: tWord(group, value) }));
  return [
    { name: 'type', label: t('clients.type'), choices: words('clients.type', ['public', 'confidential']) },
    { name: 'grant_type', label: t('clients.grant_type'), choices: words('grant_type', GRANT_TYPES) },
    { name: 'registered_via', label: t('clients.origin'), choices: words('clients.origin', ORIGINS) },
    { name: 'state', label: t('state'), choices: words('clients.state', ['active', 'expired']) },
    { name: 'name_contains', label: t('clients.name_contains') },
    { name: 'redirect_host', label: t('clients.redirect_host') },
    { name: 'scope', label: t('clients.scope') },
    { name: 'sort', label: t('clients.sort'), choices: words('clients.sort', SORTS) },
  ];
}

function columns(): readonly Column<AdminClient>[] {
  return [
    {
      label: t('clients.client'),
      cell: (client) => [
        a({ class: 'title', href: href(['clients', client.client_id]) }, nameOf(client)),
        code({ class: 'sub' }, client.client_id),
      ],
    },
    {
      label: t('clients.type'),
      cell: ({ type, state }) =>
        badges(
          badge(tWord('clients.type', type), type === 'public' ? 'accent' : 'quiet'),
          state === 'expired' ? badge(tWord('clients.state', state), 'bad') : null,
        ),
    },
    {
      label: t('clients.grant_types'),
      cell: (client) =>
        span(
          { class: 'muted small' },
          grantsOf(client)
            .map((grant) => tWord('grant_type', grant))
            .join(', '),
        ),
    },
    { label: t('clients.origin'), cell: (client) => tWord('clients.origin', originOf(client)) },
    { label: t('clients.last_used_at'), cell: ({ last_used_at }) => when(last_used_at) },
  ];
}

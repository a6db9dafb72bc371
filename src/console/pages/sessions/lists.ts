import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import type { AdminAccessToken, AdminConsent, AdminGrant, AdminSession } from '../../../client/client.ts';
import { api } from '../../state/api.ts';
import { t } from '../../state/messages.ts';
import { href } from '../../state/route.ts';
import { may } from '../../state/session.ts';
import { toast } from '../../state/toasts.ts';
import { confirmed, type Reason } from '../../view/confirm.ts';
import { action, badge, badges } from '../../view/controls.ts';
import { a, code, component, div, span } from '../../view/elements.ts';
import type { Column } from '../../view/list.ts';
import { type ItemPage, type ListQuery, listPage } from '../../view/list-page.ts';
import { when } from '../../view/time.ts';

/** Limits a list to the rows of a person or a client; without a member it shows everyone's, with fields to narrow it. */
export interface Whose {
  readonly sub?: string;
  readonly client_id?: string;
}

interface Row {
  readonly sub: string;
  readonly username: string | null;
  readonly client_id: string;
  readonly client_name: string | null;
}

interface EndableListProps<Item> {
  readonly name: 'sessions' | 'grants' | 'consents' | 'tokens';
  readonly whose: Whose;
  readonly load: (query: ListQuery) => Promise<unknown>;
  readonly keyOf: (item: Item) => string;
  readonly columns: readonly Column<Item>[];
  /** Names the item in words. */
  readonly nameOf: (item: Item) => string;
  readonly end: (item: Item, reason: Reason) => Promise<unknown>;
}

/** A list whose items an operator can end. Filters by person and client stand above it where it shows everyone's. */
function EndableList<Item>({
  name,
  whose,
  load,
  keyOf,
  columns,
  nameOf,
  end,
}: EndableListProps<Item>): VNode {
  const ending = useSignal<Item | undefined>(undefined);
  const version = useSignal(0);
  const isNarrow = Object.keys(whose).length > 0;
  const mayEnd = may('admin:sessions');
  const last: Column<Item> = {
    label: '',
    className: 'narrow end',
    cell: (item) =>
      mayEnd
        ? action({
            label: t(`${name}.end`),
            size: 'tiny',
            kind: 'danger-quiet',
            onClick: () => {
              ending.value = item;
            },
          })
        : null,
  };
  return div(
    null,
    listPage<Item>({
      label: t(name),
      given: whose as ListQuery,
      filters: isNarrow
        ? []
        : [
            { name: 'sub', label: t('people.sub') },
            { name: 'client_id', label: t('client.id') },
          ],
      load: async (query) => (await load(query)) as ItemPage<Item>,
      keyOf,
      columns: () => [...columns, last],
      empty: { icon: name === 'sessions' ? 'session' : 'grant', title: t(`${name}.none`) },
      version: version.value,
    }),
    ending.value === undefined
      ? null
      : confirmed({
          title: t(`${name}.end.title`),
          text: t(`${name}.end.text`),
          name: nameOf(ending.value),
          label: t(`${name}.end`),
          close: () => {
            ending.value = undefined;
          },
          act: async (reason) => {
            if (ending.value === undefined) return;
            await end(ending.value, reason);
            toast(t(`${name}.ended`));
            version.value += 1;
          },
        }),
  );
}

const person = <Item extends Pick<Row, 'sub' | 'username'>>(): Column<Item> => ({
  label: t('people.person'),
  cell: ({ sub, username }) => [
    may('admin:accounts:read') && username !== null
      ? a({ class: 'title', href: href(['accounts', sub]) }, username)
      : span({ class: 'title' }, username ?? sub),
    username === null ? null : code({ class: 'sub' }, sub),
  ],
});

const client = <Item extends Row>(): Column<Item> => ({
  label: t('clients.client'),
  cell: (item) => clientLink(item),
});

const clientLink = ({ client_id, client_name }: Pick<Row, 'client_id' | 'client_name'>): VNode =>
  may('admin:clients:read')
    ? a({ href: href(['clients', client_id]) }, client_name ?? client_id)
    : span(null, client_name ?? client_id);

const scope = <Item extends { readonly scope: readonly string[] }>(): Column<Item> => ({
  label: t('clients.scope'),
  cell: (item) => badges(...item.scope.map((value) => badge(value))),
});

export const sessionList = (whose: Whose): VNode =>
  component(EndableList<AdminSession>, {
    name: 'sessions',
    whose,
    load: async (query) => await api.adminSessionList({ query }),
    keyOf: ({ sid }) => sid,
    nameOf: ({ username, sub }) => username ?? sub,
    columns: [
      person(),
      {
        label: t('sessions.clients'),
        cell: ({ clients }) =>
          span(
            { class: 'badges' },
            clients.map((one) => span({ key: one.client_id }, clientLink(one))),
          ),
      },
      { label: t('sessions.auth_time'), cell: ({ auth_time }) => when(auth_time) },
      { label: t('sessions.last_seen_at'), cell: ({ last_seen_at }) => when(last_seen_at) },
      { label: t('client.expires_at'), cell: ({ expires_at }) => when(expires_at) },
    ],
    end: async ({ sid }, reason) => await api.adminSessionEnd({ sid, ...reason }),
  });

export const grantList = (whose: Whose): VNode =>
  component(EndableList<AdminGrant>, {
    name: 'grants',
    whose,
    load: async (query) => await api.adminGrantList({ query }),
    keyOf: ({ grant_id }) => grant_id,
    nameOf: ({ username, sub, client_name, client_id }) => `${username ?? sub} · ${client_name ?? client_id}`,
    columns: [
      person(),
      client(),
      scope(),
      { label: t('client.created_at'), cell: ({ created_at }) => when(created_at) },
      { label: t('client.expires_at'), cell: ({ expires_at }) => when(expires_at) },
    ],
    end: async ({ grant_id }, reason) => await api.adminGrantRevoke({ grant_id, ...reason }),
  });

export const consentList = (whose: Whose): VNode =>
  component(EndableList<AdminConsent>, {
    name: 'consents',
    whose,
    load: async (query) => await api.adminConsentList({ query }),
    keyOf: ({ sub, client_id }) => `${sub} ${client_id}`,
    nameOf: ({ username, sub, client_name, client_id }) => `${username ?? sub} · ${client_name ?? client_id}`,
    columns: [
      person(),
      client(),
      scope(),
      { label: t('consents.granted_at'), cell: ({ granted_at }) => when(granted_at) },
    ],
    end: async ({ sub, client_id }, reason) => await api.adminConsentWithdraw({ sub, client_id, ...reason }),
  });

export const tokenList = (whose: Whose): VNode =>
  component(EndableList<AdminAccessToken>, {
    name: 'tokens',
    whose,
    load: async (query) => await api.adminAccessTokenList({ query }),
    keyOf: ({ token_id }) => token_id,
    nameOf: ({ username, sub, client_name, client_id }) => `${username ?? sub} · ${client_name ?? client_id}`,
    columns: [
      person(),
      client(),
      scope(),
      { label: t('tokens.issued_at'), cell: ({ issued_at }) => when(issued_at) },
      { label: t('client.expires_at'), cell: ({ expires_at }) => when(expires_at) },
    ],
    end: async ({ token_id }, reason) => await api.adminAccessTokenRevoke({ token_id, ...reason }),
  });

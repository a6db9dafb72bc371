import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { t } from '../state/messages.ts';
import { href } from '../state/route.ts';
import { may } from '../state/session.ts';
import { toast } from '../state/toasts.ts';
import { confirmed, type Reason } from './confirm.ts';
import { action, badge, badges } from './controls.ts';
import { a, code, div, span } from './elements.ts';
import type { Column } from './list.ts';
import { type ItemPage, type ListQuery, listPage } from './list-page.ts';

/** Limits a list to the rows of a person or a client; without a member it shows everyone's, with fields to narrow it. */
export interface Whose {
  readonly sub?: string;
  readonly client_id?: string;
}

interface Row {
  /** Null where a client named no account. */
  readonly sub: string | null;
  readonly username: string | null;
  readonly client_id: string;
  readonly client_name: string | null;
}

interface EndableListProps<Item> {
  readonly name: 'sessions' | 'grants' | 'consents' | 'tokens' | 'requests' | 'devices';
  readonly whose: Whose;
  readonly load: (query: ListQuery) => Promise<unknown>;
  readonly keyOf: (item: Item) => string;
  readonly columns: readonly Column<Item>[];
  /** Names the item in words. */
  readonly nameOf: (item: Item) => string;
  readonly end: (item: Item, reason: Reason) => Promise<unknown>;
  /** Whether an operator can still end it; absent: always. */
  readonly isOpen?: (item: Item) => boolean;
  /** Absent: people and clients. */
  readonly filters?: readonly ('sub' | 'client_id')[];
}

const FILTERS = { sub: 'people.sub', client_id: 'client.id' } as const;

const ICONS = {
  sessions: 'session',
  grants: 'grant',
  consents: 'grant',
  tokens: 'grant',
  requests: 'account',
  devices: 'client',
} as const;

/** A list whose items an operator can end. Filters by person and client stand above it where it shows everyone's. */
export function EndableList<Item>({
  name,
  whose,
  load,
  keyOf,
  columns,
  nameOf,
  end,
  isOpen = () => true,
  filters = ['sub', 'client_id'],
}: EndableListProps<Item>): VNode {
  const ending = useSignal<Item | undefined>(undefined);
  const version = useSignal(0);
  const isNarrow = Object.keys(whose).length > 0;
  const mayEnd = may('admin:sessions');
  const last: Column<Item> = {
    label: '',
    className: 'narrow end',
    cell: (item) =>
      mayEnd && isOpen(item)
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
      filters: isNarrow ? [] : filters.map((one) => ({ name: one, label: t(FILTERS[one]) })),
      load: async (query) => (await load(query)) as ItemPage<Item>,
      keyOf,
      columns: () => [...columns, last],
      empty: { icon: ICONS[name], title: t(`${name}.none`) },
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

export const person = <Item extends Pick<Row, 'sub' | 'username'>>(): Column<Item> => ({
  label: t('people.person'),
  cell: ({ sub, username }) => [
    may('admin:accounts:read') && sub !== null && username !== null
      ? a({ class: 'title', href: href(['accounts', sub]) }, username)
      : span({ class: 'title' }, username ?? sub ?? t('people.none')),
    username === null ? null : code({ class: 'sub' }, sub),
  ],
});

export const client = <Item extends Pick<Row, 'client_id' | 'client_name'>>(): Column<Item> => ({
  label: t('clients.client'),
  cell: (item) => clientLink(item),
});

export const clientLink = ({ client_id, client_name }: Pick<Row, 'client_id' | 'client_name'>): VNode =>
  may('admin:clients:read')
    ? a({ href: href(['clients', client_id]) }, client_name ?? client_id)
    : span(null, client_name ?? client_id);

export const scope = <Item extends { readonly scope: readonly string[] }>(): Column<Item> => ({
  label: t('clients.scope'),
  cell: (item) => badges(...item.scope.map((value) => badge(value))),
});

import { useSignal } from '@preact/signals';
import type { ComponentChildren, VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import { tenant } from '../state/api.ts';
import { setting } from '../state/into.ts';
import { type Loaded, useLoaded } from '../state/load.ts';
import { t, tCount } from '../state/messages.ts';
import { route, setQuery } from '../state/route.ts';
import { action } from './controls.ts';
import { component, div } from './elements.ts';
import { type Choice, filterField, searchField } from './fields.ts';
import type { IconName } from './icon.ts';
import { type Column, list, pages } from './list.ts';
import { card, empty, failed, skeleton } from './page.ts';

/** A page of items, as the administration API gives it. */
export interface ItemPage<Item> {
  readonly items: readonly Item[];
  readonly next?: string;
  readonly estimated_total?: number;
}

export interface Filter {
  /** The parameter of the query. */
  readonly name: string;
  readonly label: string;
  /** Absent: a field to type in. */
  readonly choices?: readonly Choice[];
}

export type ListQuery = Readonly<Record<string, string>>;

interface ListPageProps<Item> {
  readonly label: string;
  /** Parameters that the page sets itself. */
  readonly given?: ListQuery;
  readonly search?: { readonly name: string; readonly label: string };
  readonly filters?: readonly Filter[];
  readonly load: (query: ListQuery) => Promise<ItemPage<Item>>;
  readonly keyOf: (item: Item) => string;
  readonly columns: (reload: () => void) => readonly Column<Item>[];
  readonly empty: { readonly icon: IconName; readonly title: string; readonly text?: ComponentChildren };
  /** Shows why there is no list, for failures that another attempt would not mend; undefined for the others. */
  readonly refused?: (failure: unknown) => VNode | undefined;
  /** Changes when something else changed the list. */
  readonly version?: number;
}

const TYPING_MS = 180;
/** A page of the console sends at most three requests. */
const REQUESTS_MAX = 3;

/** Loads a page. The server may give none of the items that a rare filter selects, and say where to go on. */
async function filled<Item>(load: ListPageProps<Item>['load'], query: ListQuery): Promise<ItemPage<Item>> {
  let page = await load(query);
  for (let sent = 1; sent < REQUESTS_MAX && page.items.length === 0 && page.next !== undefined; sent += 1)
    page = await load({ ...query, cursor: page.next });
  return page;
}

/**
 * A list that the server searches, filters and cuts into pages, so that a million items are as quick as ten. Search and filters are
 * in the address. Each view takes one request.
 */
function ListPage<Item>(props: ListPageProps<Item>): VNode {
  const { label, given = {}, search, filters = [], load, keyOf, columns } = props;
  const { query } = route.value;
  const known = [...(search === undefined ? [] : [search.name]), ...filters.map(({ name }) => name)];
  const asked = Object.fromEntries(known.flatMap((name) => (query[name] ? [[name, query[name]]] : [])));
  const question = JSON.stringify([tenant.value, asked, given]);
  /** The cursors of the pages up to the present one; the first page has none. */
  const cursors = useSignal<readonly string[]>([]);
  useEffect(setting(cursors, []), [question]);
  const cursor = cursors.value.at(-1);
  const loaded = useLoaded(
    `${question} ${cursor ?? ''} ${props.version ?? 0}`,
    async () => await filled(load, { ...given, ...asked, ...(cursor === undefined ? {} : { cursor }) }),
    { delay_ms: TYPING_MS },
  );
  const isFiltered = Object.keys(asked).length > 0;
  return div(null, component(Toolbar, { search, filters }), card(undefined, content(), { flush: true }));

  function content(): ComponentChildren {
    const { value, busy, problem, failure, reload } = loaded;
    if (problem !== undefined) return props.refused?.(failure) ?? failed(problem, reload);
    if (value === undefined) return skeleton();
    if (value.items.length === 0 && value.next === undefined && cursors.value.length === 0)
      return isFiltered
        ? empty('search', t('list.nothing'), t('list.nothing.text'))
        : empty(props.empty.icon, props.empty.title, props.empty.text);
    return [list({ label, items: value.items, keyOf, columns: columns(reload), busy }), foot(loaded, value)];
  }

  function foot({ busy }: Loaded<ItemPage<Item>>, { items, next, estimated_total }: ItemPage<Item>): VNode {
    const total = estimated_total === undefined || isFiltered ? '' : ` · ${t('list.about', estimated_total)}`;
    return pages({
      words: `${tCount('list.count', items.length)}${total}`,
      hasBack: cursors.value.length > 0,
      hasNext: next !== undefined && !busy,
      back: () => {
        cursors.value = cursors.value.slice(0, -1);
      },
      next: () => {
        if (next !== undefined) cursors.value = [...cursors.value, next];
      },
    });
  }
}

interface ToolbarProps {
  readonly search: { readonly name: string; readonly label: string } | undefined;
  readonly filters: readonly Filter[];
}

/** The search and the filters above a list. On a phone the filters are folded away. */
function Toolbar({ search, filters }: ToolbarProps): VNode | null {
  const isOpen = useSignal(false);
  const { query } = route.value;
  const known = [...(search === undefined ? [] : [search.name]), ...filters.map(({ name }) => name)];
  const isFiltered = known.some((name) => query[name]);
  return search === undefined && filters.length === 0
    ? null
    : div(
        { class: 'toolbar', role: 'search' },
        search === undefined
          ? null
          : searchField(search.label, query[search.name] ?? '', (value) =>
              setQuery({ [search.name]: value }),
            ),
        filters.length === 0
          ? null
          : div(
              { class: 'filters-toggle' },
              action({
                label: t('filters'),
                icon: 'filter',
                pressed: isOpen.value,
                onClick: setting(isOpen, !isOpen.value),
              }),
            ),
        filters.length === 0
          ? null
          : div(
              { class: `filters${isOpen.value ? ' open' : ''}` },
              filters.map((filter) => filterOf(filter, query[filter.name] ?? '')),
            ),
        isFiltered
          ? action({
              label: t('filters.clear'),
              kind: 'plain',
              onClick: () => setQuery(Object.fromEntries(known.map((name) => [name, undefined]))),
            })
          : null,
      );
}

export const listPage = <Item>(props: ListPageProps<Item>): VNode => component(ListPage<Item>, props);

function filterOf({ name, label, choices }: Filter, value: string): VNode {
  const change = (chosen: string): void => setQuery({ [name]: chosen });
  return choices === undefined
    ? searchField(label, value, change)
    : filterField(label, value, choices, change);
}

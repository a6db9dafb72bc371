import type { ComponentChildren, VNode } from 'preact';
import { t } from '../state/messages.ts';
import { action } from './controls.ts';
import { div, span, table, tbody, td, th, thead, tr } from './elements.ts';

export interface Column<Item> {
  readonly label: string;
  readonly cell: (item: Item) => ComponentChildren;
  readonly className?: string;
}

interface ListOptions<Item> {
  readonly label: string;
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string;
  /** The first one names the row. */
  readonly columns: readonly Column<Item>[];
  readonly busy?: boolean;
}

/** A table; on a phone each row is a block. */
export function list<Item>({ label, items, keyOf, columns, busy = false }: ListOptions<Item>): VNode {
  const [first, ...others] = columns;
  return div(
    { class: 'list-wrap', 'aria-busy': busy },
    table(
      { class: 'list', 'aria-label': label },
      thead(
        null,
        tr(
          null,
          columns.map((column) =>
            th(
              { key: column.label, scope: 'col', class: column.className ?? '' },
              column.label === '' ? span({ class: 'only-read' }, t('actions')) : column.label,
            ),
          ),
        ),
      ),
      tbody(
        null,
        items.map((item) =>
          tr(
            { key: keyOf(item) },
            first === undefined
              ? null
              : th({ scope: 'row', class: first.className ?? '' }, div({ class: 'grow' }, first.cell(item))),
            others.map((column) => {
              const content = column.cell(item);
              const isBlank = content === null || content === undefined || content === '';
              return td(
                {
                  key: column.label,
                  class: `${column.className ?? ''}${isBlank ? ' blank' : ''}`,
                  ...(column.label === '' ? {} : { 'data-label': column.label }),
                },
                content,
              );
            }),
          ),
        ),
      ),
    ),
  );
}

interface PagesOptions {
  readonly words: string;
  readonly hasBack: boolean;
  readonly hasNext: boolean;
  readonly back: () => void;
  readonly next: () => void;
}

/** The foot of a list whose server gives it in pages. */
export function pages({ words, hasBack, hasNext, back, next }: PagesOptions): VNode {
  return div(
    { class: 'list-foot' },
    span({ class: 'number', role: 'status' }, `\u2002${words}`),
    hasBack || hasNext
      ? span(
          { class: 'actions' },
          action({ label: t('page.back'), icon: 'back', size: 'tiny', disabled: !hasBack, onClick: back }),
          action({ label: t('page.next'), icon: 'next', size: 'tiny', disabled: !hasNext, onClick: next }),
        )
      : null,
  );
}

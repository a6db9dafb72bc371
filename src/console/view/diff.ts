import type { VNode } from 'preact';
import type { Difference } from '../state/merge-patch.ts';
import { t } from '../state/messages.ts';
import { div, p, span } from './elements.ts';

/** Shows differences member by member: the former value above the new one. */
export function diff(all: readonly Difference[]): VNode {
  if (all.length === 0) return p({ class: 'muted' }, t('diff.none'));
  return div(
    { class: 'diff' },
    all.map(({ path, before, after }) =>
      div(
        { key: path, class: 'diff-row' },
        div({ class: 'diff-path' }, path.replace(/^\//u, '')),
        div(
          { class: 'diff-values' },
          before === undefined ? null : side('before', before),
          after === undefined ? null : side('after', after),
        ),
      ),
    ),
  );
}

const side = (kind: 'before' | 'after', value: unknown): VNode =>
  div(
    { class: `diff-value ${kind}` },
    span({ class: 'only-read' }, t(kind === 'before' ? 'diff.before' : 'diff.after')),
    typeof value === 'string' ? value : JSON.stringify(value, undefined, 2),
  );

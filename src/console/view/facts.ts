import type { ComponentChildren, VNode } from 'preact';
import { dd, dl, dt } from './elements.ts';

export type Fact = readonly [label: string, value: ComponentChildren];

/** Shows names with their values. */
export function facts(all: readonly Fact[]): VNode {
  return dl(
    { class: 'facts' },
    all.flatMap(([label, value]) => [dt(null, label), dd(null, value)]),
  );
}

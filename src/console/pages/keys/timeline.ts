import type { VNode } from 'preact';
import type { AdminKey } from '../../../client/client.ts';
import { t, tWord } from '../../state/messages.ts';
import { code, div, li, path, small, span, svg, svgTitle, ul } from '../../view/elements.ts';
import { dateText, dayText } from '../../view/time.ts';

type Times = Pick<AdminKey, 'active_at' | 'retired_at' | 'removed_at'>;

/** The part of the axis that is shown, in milliseconds since the epoch. */
export interface Extent {
  readonly from: number;
  readonly to: number;
}

const DAY_MS = 86_400_000;
/** Room beside the first and the last event. */
const MARGIN = 0.04;

/** Returns an axis that shows every event of the keys, and now. */
export function extentOf(keys: readonly Times[], now: number): Extent {
  const times = [
    now - DAY_MS,
    now + DAY_MS,
    ...keys.flatMap((key) => [key.active_at, key.retired_at, key.removed_at].flatMap(asTime)),
  ];
  const [from, to] = [Math.min(...times), Math.max(...times)];
  const margin = (to - from) * MARGIN;
  return { from: from - margin, to: to + margin };
}

const asTime = (at: string | null): readonly number[] => (at === null ? [] : [Date.parse(at)]);

/** One stretch of a key's life on an axis from 0 to 100. */
export interface Stretch {
  readonly state: 'announced' | 'active' | 'retired';
  readonly from: number;
  readonly to: number;
}

/** Returns the stretches of a key's life: announced until it signs, active until its successor signs, retired until it is removed. */
export function stretchesOf(
  { active_at, retired_at, removed_at }: Times,
  extent: Extent,
): readonly Stretch[] {
  const place = (at: number): number =>
    Math.max(0, Math.min(100, ((at - extent.from) / (extent.to - extent.from)) * 100));
  const active = active_at === null ? extent.from : Date.parse(active_at);
  const retired = retired_at === null ? extent.to : Date.parse(retired_at);
  const removed = removed_at === null ? retired : Date.parse(removed_at);
  const all: readonly Stretch[] = [
    { state: 'announced', from: place(extent.from), to: place(active) },
    { state: 'active', from: place(active), to: place(retired) },
    { state: 'retired', from: place(retired), to: place(removed) },
  ];
  return all.filter(({ state, from, to }) => to > from && (state !== 'announced' || active_at !== null));
}

/** Draws the life of each key over time, with now as a line through all. */
export function timeline(keys: readonly AdminKey[], now: number): VNode {
  const extent = extentOf(keys, now);
  const at = ((now - extent.from) / (extent.to - extent.from)) * 100;
  return div(
    { class: 'stack' },
    div(
      { class: 'timeline' },
      keys.map((key) =>
        div(
          { key: key.kid, class: 'timeline-row' },
          div(
            { class: 'timeline-name' },
            tWord('keys.use', key.use),
            small({ class: 'muted' }, ` · ${key.kind}`),
            code({ class: 'muted' }, key.kid),
          ),
          row(key, extent, now, at),
        ),
      ),
    ),
    div(
      { class: 'timeline-scale', 'aria-hidden': 'true' },
      span(null, dayText(extent.from)),
      span(null, dayText(extent.to)),
    ),
    ul(
      { class: 'legend', 'aria-hidden': 'true' },
      (['announced', 'active', 'retired'] as const).map((state) =>
        li({ key: state, class: state }, tWord('keys.state', state)),
      ),
      li({ class: 'now' }, t('keys.now')),
    ),
  );
}

function row(key: AdminKey, extent: Extent, now: number, at: number): VNode {
  const stretches = stretchesOf(key, extent).filter(
    ({ state }) => state !== 'announced' || isAhead(key, now),
  );
  return svg(
    { viewBox: '0 0 100 28', preserveAspectRatio: 'none', role: 'img' },
    svgTitle(null, wordsOf(key)),
    line('ground', 0, 100),
    stretches.map(({ state, from, to }) => line(state, from, to)),
    path({ class: 'now', d: `M${at} 0V28`, 'vector-effect': 'non-scaling-stroke' }),
  );
}

const isAhead = ({ active_at }: Times, now: number): boolean =>
  active_at !== null && Date.parse(active_at) > now;

const line = (kind: string, from: number, to: number): VNode =>
  path({ class: kind, d: `M${from} 14H${to}`, 'vector-effect': 'non-scaling-stroke' });

function wordsOf({ state, active_at, retired_at, removed_at }: AdminKey): string {
  const events = [
    [t('keys.active_at'), active_at],
    [t('keys.retired_at'), retired_at],
    [t('keys.removed_at'), removed_at],
  ] as const;
  const told = events.flatMap(([words, at]) => (at === null ? [] : [`${words}: ${dateText(at)}`]));
  return [tWord('keys.state', state), ...told].join(', ');
}

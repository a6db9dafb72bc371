import type { VNode } from 'preact';
import type { AdminStatistics } from '../../../client/client.ts';
import { t } from '../../state/messages.ts';
import { path, svg, svgTitle } from '../../view/elements.ts';

/** How many answers the server had given at a time. */
export interface Answers {
  /** In milliseconds. */
  readonly at: number;
  readonly count: number;
}

export function answersOf({ process }: Pick<AdminStatistics, 'process'>, at: number): Answers {
  const counts = Object.values(process?.requests ?? {});
  return { at, count: counts.reduce((sum, count) => sum + count, 0) };
}

/** Returns the answers for each second between two samples; undefined without both, and after a restart of the server. */
export function rateSince(before: Answers | undefined, after: Answers | undefined): number | undefined {
  if (before === undefined || after === undefined || after.at <= before.at || after.count < before.count)
    return undefined;
  return Math.round(((after.count - before.count) / ((after.at - before.at) / 1000)) * 10) / 10;
}

const WIDTH = 300;
const HEIGHT = 56;

/** Returns the line of the rates as the path of a picture; empty for fewer than two rates. */
export function ratePath(samples: readonly Answers[]): string {
  const rates = samples.slice(1).map((after, index) => rateSince(samples[index], after) ?? 0);
  if (rates.length < 2) return '';
  const top = Math.max(1, ...rates);
  return rates
    .map((rate, index) => {
      const x = (index / (rates.length - 1)) * WIDTH;
      const y = HEIGHT - 3 - (rate / top) * (HEIGHT - 6);
      return `${index === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`;
    })
    .join('');
}

/** Draws the rates since the page was opened. */
export function rateChart(samples: readonly Answers[]): VNode | null {
  const line = ratePath(samples);
  if (line === '') return null;
  return svg(
    { class: 'rates', viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', role: 'img' },
    svgTitle(null, t('overview.rates')),
    path({ class: 'area', d: `${line}L${WIDTH} ${HEIGHT}L0 ${HEIGHT}Z` }),
    path({ class: 'line', d: line, 'vector-effect': 'non-scaling-stroke' }),
  );
}

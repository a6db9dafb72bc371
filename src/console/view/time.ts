import type { VNode } from 'preact';
import { language, t } from '../state/messages.ts';
import { span, time } from './elements.ts';

const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
];

/** Returns a span of time as people say it: "3 days ago", "in 2 hours". @param seconds negative for the past */
function spanText(seconds: number, tag = language.value): string {
  const [unit, size] = UNITS.find(([, each]) => Math.abs(seconds) >= each) ?? ['second', 1];
  return new Intl.RelativeTimeFormat(tag, { numeric: 'auto' }).format(Math.trunc(seconds / size), unit);
}

export function dateText(at: string | number | Date): string {
  return new Intl.DateTimeFormat(language.value, { dateStyle: 'medium', timeStyle: 'short' }).format(
    new Date(at),
  );
}

export function dayText(at: string | number | Date): string {
  return new Intl.DateTimeFormat(language.value, { dateStyle: 'medium' }).format(new Date(at));
}

/** Shows a time relative to now; the exact one is the hint. @param at RFC 3339, or null for never */
export function when(at: string | null | undefined, never = t('never')): VNode {
  if (at === null || at === undefined) return span({ class: 'muted' }, never);
  return time(
    { dateTime: at, title: dateText(at), class: 'nowrap' },
    spanText((Date.parse(at) - Date.now()) / 1000),
  );
}

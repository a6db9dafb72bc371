import type { Page } from './list.ts';
import type { Item, Listed } from './operation.ts';

/** Returns a page of a short list that is wholly in memory, in its order. @param key a member that differs from item to item */
export function pageIn(items: readonly Item[], { limit, after }: Page, key: string): Listed {
  const begin = after === undefined ? 0 : items.findIndex((item) => item[key] === after[0]) + 1;
  const shown = items.slice(begin, begin + limit);
  const last = shown.at(-1);
  const isLast = begin + shown.length >= items.length;
  return { items: shown, next: last === undefined || isLast ? undefined : [String(last[key])] };
}

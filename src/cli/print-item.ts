import type { ParsedCall } from './command.ts';
import { printFields } from './table.ts';

/** Prints an item of the administration API: as JSON, or a line for each member. Undefined stands for an act without a result. */
export function printItem(json: unknown, { options, print }: Pick<ParsedCall, 'options' | 'print'>): void {
  if (json === undefined) print(options['json'] === true ? '{"done":true}' : 'done');
  else if (options['json'] === true || typeof json !== 'object' || json === null) print(JSON.stringify(json));
  else
    printFields(
      print,
      Object.entries(json).map(([name, value]) => [name, cellOf(value)]),
    );
}

export const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

/** Returns a value as a cell of a table. */
export function cellOf(value: unknown): string {
  if (value === null || value === undefined || value === '') return '-';
  if (isTexts(value)) return value.join(' ') || '-';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

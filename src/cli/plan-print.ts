import { DEFAULT_TENANT } from '../spec/identifiers.ts';
import type { JsonChange } from '../spec/json-changes.ts';
import type { Surroundings } from './command.ts';
import type { Plan, Step } from './plan-make.ts';

const MARKS = { create: '+', change: '~', replace: '-/+', delete: '-' } as const;
const MARK_WIDTH = 3;
const VALUE_LENGTH_MAX = 160;

/** Prints a plan for a person: a line for each client, and one for each member that changes. */
export function printPlan(plan: Plan, { print, printColoured }: Surroundings): void {
  const coloured = printColoured ?? print;
  for (const step of plan.steps) {
    coloured(`${MARKS[step.action].padStart(MARK_WIDTH)} ${titleOf(step)}`, MARKS[step.action]);
    for (const [mark, line] of linesOf(step)) coloured(`${' '.repeat(MARK_WIDTH + 3)}${mark} ${line}`, mark);
  }
  if (plan.steps.length > 0) print('');
  print(summaryOf(plan));
}

function titleOf({ tenant, owner, client_id, action, adopted_from }: Step): string {
  const where = tenant === DEFAULT_TENANT ? '' : `, tenant ${tenant}`;
  const from = adopted_from === undefined ? '' : `, adopted from ${adopted_from ?? 'no owner'}`;
  const end = action === 'delete' || action === 'replace' ? ', its tokens end' : '';
  return `client ${client_id} (owner ${owner}${where}${from}${end})`;
}

type Mark = '+' | '~' | '-';

function linesOf({ action, changes, secret }: Step): readonly (readonly [Mark, string])[] {
  const members = changes.map(lineOf);
  if (secret === 'given')
    return [...members, [action === 'create' ? '+' : '~', 'client_secret: the value that the file names']];
  if (secret === 'generated') return [...members, ['+', 'client_secret: made by the server']];
  return secret === 'removed' ? [...members, ['-', 'client_secret']] : members;
}

function lineOf({ path, before, after }: JsonChange): readonly [Mark, string] {
  const [member = '', ...rest] = path.slice(1).split('/').map(unescaped);
  const name = member + rest.map((token) => (/^\d+$/u.test(token) ? `[${token}]` : `.${token}`)).join('');
  if (before === undefined) return ['+', `${name}: ${valueText(after)}`];
  if (after === undefined) return ['-', `${name}: ${valueText(before)}`];
  return ['~', `${name}: ${valueText(before)} → ${valueText(after)}`];
}

/** RFC 6901 §4. */
const unescaped = (token: string): string => token.replaceAll('~1', '/').replaceAll('~0', '~');

function valueText(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > VALUE_LENGTH_MAX ? `${text.slice(0, VALUE_LENGTH_MAX)}…` : text;
}

/** Returns the numbers of a plan in one line. */
function summaryOf({ steps, unchanged }: Plan): string {
  const count = (action: Step['action']): number => steps.filter((step) => step.action === action).length;
  if (steps.length === 0) return `No changes: ${unchanged} clients are as declared.`;
  return `Plan: ${count('create')} to create, ${count('change')} to change, ${count('replace')} to replace, ${count('delete')} to delete; ${unchanged} unchanged.`;
}

import { DEFAULT_TENANT } from '../spec/identifiers.ts';
import type { JsonChange } from '../spec/json-changes.ts';
import type { Surroundings } from './command.ts';
import type { Plan, Step, TenantStep } from './plan-make.ts';

const MARKS = { create: '+', change: '~', replace: '-/+', delete: '-' } as const;
const MARK_WIDTH = 3;
const VALUE_LENGTH_MAX = 160;

type Mark = '+' | '~' | '-';
type Line = readonly [Mark, string];

/** Prints a plan for a person: a line for each tenant and client, and one for each member that changes. */
export function printPlan(plan: Plan, { print, printColoured }: Surroundings): void {
  const coloured = printColoured ?? print;
  const printStep = (action: Step['action'], title: string, lines: readonly Line[]): void => {
    coloured(`${MARKS[action].padStart(MARK_WIDTH)} ${title}`, MARKS[action]);
    for (const [mark, line] of lines) coloured(`${' '.repeat(MARK_WIDTH + 3)}${mark} ${line}`, mark);
  };
  for (const step of plan.tenants) printStep(step.action, titleOfTenant(step), linesOfTenant(step));
  for (const step of plan.steps) printStep(step.action, titleOf(step), linesOf(step));
  if (plan.steps.length + plan.tenants.length > 0) print('');
  print(summaryOf(plan));
}

const takenFrom = (adopted_from: string | null | undefined): string =>
  adopted_from === undefined ? '' : `, adopted from ${adopted_from ?? 'no owner'}`;

function titleOfTenant({ id, owner, action, adopted_from }: TenantStep): string {
  const end = action === 'delete' ? ', with all its data' : '';
  return `tenant ${id} (owner ${owner}${takenFrom(adopted_from)}${end})`;
}

function linesOfTenant({ action, changes, secrets }: TenantStep): readonly Line[] {
  const values = Object.entries(secrets).map(
    ([path, outcome]): Line =>
      outcome === 'given'
        ? [action === 'create' ? '+' : '~', `settings.${path}: the value that the file names`]
        : ['-', `settings.${path}`],
  );
  return [...changes.map(lineOf), ...values];
}

function titleOf({ tenant, owner, client_id, action, adopted_from }: Step): string {
  const where = tenant === DEFAULT_TENANT ? '' : `, tenant ${tenant}`;
  const end = action === 'delete' || action === 'replace' ? ', its tokens end' : '';
  return `client ${client_id} (owner ${owner}${where}${takenFrom(adopted_from)}${end})`;
}

function linesOf({ action, changes, secret }: Step): readonly Line[] {
  const members = changes.map(lineOf);
  if (secret === 'given')
    return [...members, [action === 'create' ? '+' : '~', 'client_secret: the value that the file names']];
  if (secret === 'generated') return [...members, ['+', 'client_secret: made by the server']];
  return secret === 'removed' ? [...members, ['-', 'client_secret']] : members;
}

function lineOf({ path, before, after }: JsonChange): Line {
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
function summaryOf({ tenants, steps, unchanged }: Plan): string {
  const all = [...tenants, ...steps];
  const count = (action: Step['action']): number => all.filter((step) => step.action === action).length;
  if (all.length === 0) return `No changes: everything is as declared (clients and tenants: ${unchanged}).`;
  return `Plan: ${count('create')} to create, ${count('change')} to change, ${count('replace')} to replace, ${count('delete')} to delete; ${unchanged} unchanged.`;
}

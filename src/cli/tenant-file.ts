import { SettingsError } from '../config/settings-error.ts';
import type { TenantOverrides } from '../config/tenant-overrides.ts';
import type { StoredTenant } from '../ports/tenant-store.ts';
import type { TenantId } from '../spec/identifiers.ts';
import { CommandFailure } from './failure.ts';
import { readLines } from './input.ts';

/** One line of a file of tenants. */
export interface GivenTenant {
  readonly line: number;
  readonly id: string;
  readonly issuer: string;
  readonly aliases: readonly string[];
  readonly settings: TenantOverrides;
}

/** A line that cannot become a tenant. */
export interface LineProblem {
  readonly line: number;
  readonly words: string;
}

const MEMBERS = ['id', 'issuer', 'aliases', 'settings'];
const LINE_BYTES_MAX = 1_048_576;

/** Reads a file with one JSON object on each line. Empty lines are skipped. Reports each line that is not a tenant. */
export async function readTenants(
  file: string,
  report: (problem: LineProblem) => void,
): Promise<readonly GivenTenant[]> {
  const found: GivenTenant[] = [];
  let line = 0;
  for await (const bytes of readLines(file, LINE_BYTES_MAX)) {
    line += 1;
    const text = Buffer.from(bytes).toString('utf8').trim();
    if (text === '') continue;
    const given = tenantOf(text);
    if (typeof given === 'string') report({ line, words: given });
    else found.push({ ...given, line });
  }
  return found;
}

/** Returns the tenant in a line, or words about the mistake in it. */
function tenantOf(text: string): Omit<GivenTenant, 'line'> | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'is not JSON';
  }
  if (!isMap(value)) return 'is not a JSON object';
  const strange = Object.keys(value).find((name) => !MEMBERS.includes(name));
  if (strange !== undefined) return `has the member ${strange}; the members are ${MEMBERS.join(', ')}`;
  const { id, issuer, aliases = [], settings = {} } = value;
  if (typeof id !== 'string') return 'has no id: it must be text';
  if (typeof issuer !== 'string') return 'has no issuer: it must be text';
  if (!isTexts(aliases)) return 'has aliases that are not a list of text';
  if (!isMap(settings)) return 'has settings that are not an object of paths and values';
  return { id, issuer, aliases, settings };
}

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

export interface TenantChecks {
  /** Tenants that are there, by id. */
  readonly present: ReadonlyMap<string, StoredTenant>;
  /** Returns the tenant as it would be stored. @throws CommandFailure, SettingsError */
  readonly read: (given: GivenTenant) => StoredTenant;
  /** Takes the names of a new tenant. @throws CommandFailure if one of them is taken */
  readonly check: (tenant: StoredTenant) => void;
}

export interface CheckedTenants {
  readonly fresh: readonly StoredTenant[];
  /** How many are there already, as the file has them. */
  readonly present: number;
}

/** Checks every line, and reports each mistake. */
export function checkTenants(
  given: readonly GivenTenant[],
  { present, read, check }: TenantChecks,
  report: (problem: LineProblem) => void,
): CheckedTenants {
  const fresh: StoredTenant[] = [];
  const lines = new Map<string, number>();
  let same = 0;
  for (const each of given) {
    const earlier = lines.get(each.id);
    const there = present.get(each.id);
    lines.set(each.id, earlier ?? each.line);
    const tenant = earlier === undefined ? attempt(() => read(each)) : `has the id of line ${earlier}`;
    if (typeof tenant === 'string') report({ line: each.line, words: tenant });
    else if (there === undefined) {
      const refused = attempt(() => check(tenant));
      if (typeof refused === 'string') report({ line: each.line, words: refused });
      else fresh.push(tenant);
    } else if (isSame(there, tenant)) same += 1;
    else report({ line: each.line, words: `there is another tenant ${each.id} already` });
  }
  return { fresh, present: same };
}

/** Returns the words of a refusal. */
function attempt<T extends StoredTenant | void>(act: () => T): T | string {
  try {
    return act();
  } catch (failure) {
    if (!(failure instanceof CommandFailure || failure instanceof SettingsError)) throw failure;
    return failure.message.replaceAll('\n', '; ');
  }
}

/** Tells whether two tenants have the same content, apart from the order of settings. */
function isSame(one: StoredTenant, other: StoredTenant): boolean {
  const ordered = (settings: string): readonly (readonly [string, unknown])[] =>
    Object.entries<unknown>(JSON.parse(settings) as Readonly<Record<string, unknown>>).toSorted(([a], [b]) =>
      a < b ? -1 : 1,
    );
  const content = ({ issuer, aliases, settings }: StoredTenant): string =>
    JSON.stringify([issuer, aliases, ordered(settings)]);
  return content(one) === content(other);
}

/** Returns the tenant of a line before it is checked. */
export function newTenant(
  { id, issuer, aliases, settings }: Omit<GivenTenant, 'line'>,
  now: number,
): StoredTenant {
  return {
    id: id as TenantId,
    version: 1,
    issuer,
    aliases,
    settings: JSON.stringify(settings),
    owner: null,
    created_at: now,
    disabled_at: null,
    deleted_at: null,
  };
}

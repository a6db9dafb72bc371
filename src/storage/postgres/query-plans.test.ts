import assert from 'node:assert/strict';
import { test } from 'node:test';
import './open.ts';
import { emptyDatabase } from '../../testing/postgres/database.ts';
import { administer } from '../../testing/postgres/server.ts';
import { openPostgresSchema } from './migrations.ts';
import { STATEMENTS } from './statement.ts';

/** Tables that grow with the number of users, so their rows must be found by key. */
const GROWING: ReadonlySet<string> = new Set([
  'access_token',
  'account',
  'authorization_code',
  'authorization_grant',
  'client',
  'client_entry',
  'client_term',
  'client_version',
  'client_use',
  'consent',
  'deleted_client',
  'initial_access_token',
  'interaction',
  'remembered_once',
  'session',
  'session_client',
  'token_origin',
]);

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Cond'?: string;
  readonly 'Index Name'?: string;
  readonly Filter?: string;
  readonly Plans?: readonly Plan[];
}

/** Returns the plans for tables that were never analysed, as a connection makes them in the first minute of a database. */
async function plansOfAll(): Promise<ReadonlyMap<string, Plan>> {
  const url = await emptyDatabase();
  const schema = openPostgresSchema(url, 20_000);
  await schema.up(1);
  await schema.close();
  const { port, pathname } = new URL(url.replace('postgres:', 'http:'));
  const plans = new Map<string, Plan>();
  for (const { name, text } of STATEMENTS.values()) {
    if (!/^(?:SELECT|WITH|INSERT|UPDATE|DELETE)/u.test(text)) continue;
    const asked = `EXPLAIN (GENERIC_PLAN, FORMAT JSON) ${text}`;
    const [row = {}] = await administer(Number(port), pathname.slice(1), asked);
    const [explained] = row['QUERY PLAN'] as readonly { readonly Plan: Plan }[];
    assert.ok(explained !== undefined, name);
    plans.set(name, explained.Plan);
  }
  return plans;
}

const nodesOf = (plan: Plan): readonly Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

/** Returns the nodes of a plan but for batches: the first rows of an index, where a limit stands above a scan that drops no row. */
const nodesOutsideBatches = (plan: Plan): readonly Plan[] => [
  plan,
  ...(plan.Plans ?? []).filter((child) => !isBatch(plan, child)).flatMap(nodesOutsideBatches),
];

const isBatch = (plan: Plan, child: Plan): boolean =>
  plan['Node Type'] === 'Limit' && child['Node Type'].startsWith('Index') && child.Filter === undefined;

/** Reads by nothing but the tenant, or by nothing at all. */
const readsThrough = (node: Plan): boolean =>
  GROWING.has(node['Relation Name'] ?? '') &&
  (node['Node Type'] === 'Seq Scan' ||
    (node['Index Cond'] !== undefined && !node['Index Cond'].includes(' AND ')));

test('no statement reads through the rows of a tenant, also not as it is planned while the tables are empty', async () => {
  const plans = await plansOfAll();
  assert.ok(plans.size > 120, String(plans.size));
  const found = [...plans]
    .filter(([, plan]) => nodesOutsideBatches(plan).some(readsThrough))
    .map(([name]) => name);
  assert.deepEqual(found, []);
});

test('the audit is followed by its primary key', async () => {
  const plan = (await plansOfAll()).get('audit_page');
  assert.ok(plan !== undefined);
  const conditions = nodesOf(plan).flatMap((node) => node['Index Cond'] ?? []);
  assert.match(conditions.join(), /^[^,]*\btenant\b[^,]*\bsequence\b[^,]*$/u);
  assert.doesNotMatch(JSON.stringify(plan), /"Sort"/u);
});

test('a search in the audit goes along the index of its most selective member in the order of time, and sorts nothing', async () => {
  const plans = [...(await plansOfAll())].filter(([name]) => name.startsWith('audit_search_'));
  assert.equal(plans.length, 32);
  for (const [name, plan] of plans) {
    const node = nodesOf(plan).find((each) => each['Relation Name'] !== undefined);
    const [, index] = /^audit_search_([a-z]+)_/u.exec(name) ?? [];
    assert.equal(node?.['Index Name'], `audit_event_${index}`, name);
    assert.match(node?.['Index Cond'] ?? '', /ROW\(at, sequence\) > .*ROW\(at, sequence\) </u, name);
    assert.doesNotMatch(JSON.stringify(plan), /"(?:Incremental )?Sort"/u, name);
  }
});

test('no statement hashes all clients to see whether those of some tokens live', async () => {
  for (const [name, plan] of await plansOfAll()) assert.doesNotMatch(JSON.stringify(plan), /hashed/u, name);
});

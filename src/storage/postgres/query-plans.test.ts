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
  'client_use',
  'consent',
  'deleted_client',
  'initial_access_token',
  'interaction',
  'remembered_once',
  'session',
  'session_client',
]);

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Cond'?: string;
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

/** Reads by nothing but the tenant, or by nothing at all. */
const readsThrough = (node: Plan): boolean =>
  GROWING.has(node['Relation Name'] ?? '') &&
  (node['Node Type'] === 'Seq Scan' ||
    (node['Index Cond'] !== undefined && !node['Index Cond'].includes(' AND ')));

test('no statement reads through the rows of a tenant, also not as it is planned while the tables are empty', async () => {
  const plans = await plansOfAll();
  assert.ok(plans.size > 120, String(plans.size));
  const found = [...plans].filter(([, plan]) => nodesOf(plan).some(readsThrough)).map(([name]) => name);
  assert.deepEqual(found, []);
});

test('the audit is read by its primary key in both directions, and a span of times by the index of times', async () => {
  const plans = await plansOfAll();
  for (const [name, columns] of [
    ['audit_page', ['tenant', 'sequence']],
    ['audit_page_before', ['tenant', 'sequence']],
    ['audit_span', ['tenant', 'at']],
  ] as const) {
    const plan = plans.get(name);
    assert.ok(plan !== undefined, name);
    const conditions = nodesOf(plan).flatMap((node) => node['Index Cond'] ?? []);
    assert.ok(conditions.length > 0, name);
    for (const condition of conditions)
      for (const column of columns) assert.match(condition, new RegExp(`\\b${column}\\b`, 'u'), name);
    assert.doesNotMatch(JSON.stringify(plan), /"Sort"/u, name);
  }
});

test('no statement hashes all clients to see whether those of some tokens live', async () => {
  for (const [name, plan] of await plansOfAll()) assert.doesNotMatch(JSON.stringify(plan), /hashed/u, name);
});

import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { FailedReads } from '../failed-reads.ts';
import { PEOPLE_LISTS } from '../people-listings.ts';
import { accessTokens } from './access-tokens.ts';
import { audit } from './audit.ts';
import { clients } from './clients.ts';
import { sessionGrantsEnding } from './grants.ts';
import { sqliteListing } from './listing.ts';
import { logoutNotifications } from './logout-notifications.ts';
import { MIGRATIONS } from './migrations.ts';
import type { AnyStore, ReadConnections } from './noun.ts';
import { sessions } from './sessions.ts';

const database = new DatabaseSync(':memory:');
for (const { sql } of MIGRATIONS) database.exec(sql);
after(() => database.close());

/** How SQLite goes about each statement that is prepared meanwhile. */
function plansOf(prepare: (database: DatabaseSync) => unknown): readonly string[] {
  const statements: string[] = [];
  const recording = new Proxy(database, {
    get: (target, name) =>
      name === 'prepare'
        ? (sql: string) => {
            statements.push(sql);
            return target.prepare(sql);
          }
        : (Reflect.get(target, name) as unknown),
  });
  prepare(recording);
  return statements.map((sql) =>
    database
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map(({ detail }) => String(detail))
      .join('; '),
  );
}

const onOne = (on: DatabaseSync): ReadConnections => ({
  lookUps: on,
  scans: on,
  snapshot: () => undefined,
  failedReads: new FailedReads(
    () => 0,
    () => false,
  ),
});

const readsOf = ({ reads }: AnyStore): readonly ((on: DatabaseSync) => unknown)[] =>
  Object.values(reads).map((prepare) => (on) => prepare(onOne(on)));

test('a client is found by the primary key, however many there are: a logout takes as long with a million (users want 1)', () => {
  const [find = ''] = plansOf((on) => clients.reads.find(onOne(on)));
  assert.match(find, /^SEARCH client USING INDEX sqlite_autoindex_client_1 \(tenant=\? AND client_id=\?\)/);
});

test('whether the client of a token still exists, and which clients are idle, is asked of an index that holds it all', () => {
  const [token = ''] = plansOf((on) => accessTokens.reads.find(onOne(on)));
  const whole =
    /SEARCH client USING COVERING INDEX client_instance \(tenant=\? AND instance=\? AND client_id=\?\)/;
  assert.match(token, whole);
  const [endOfScan = '', scan = ''] = plansOf((on) => clients.reads.idle(onOne(on)));
  const place =
    /SEARCH client USING (?:COVERING )?INDEX client_instance \(tenant=\? AND \(instance,client_id\)>\(\?,\?\)/;
  for (const plan of [endOfScan, scan]) {
    assert.match(plan, place);
    assert.doesNotMatch(plan, /TEMP B-TREE/u);
  }
});

test('no statement of a logout reads a whole table', () => {
  const prepared = [
    ...readsOf({ ...sessions, reads: { ...sessions.reads, list: () => undefined as never } }),
    sessionGrantsEnding,
    ...readsOf(logoutNotifications),
    ...Object.values(logoutNotifications.writes),
  ];
  const plans = prepared.flatMap(plansOf);
  assert.ok(plans.length > 8);
  // A subquery has at most the rows that its own plan found.
  for (const plan of plans) assert.doesNotMatch(plan, /SCAN (?!json_each|VALUE|LIST|\(subquery)/i, plan);
});

test('the audit is followed by its primary key', () => {
  const [plan] = plansOf((on) => audit.reads.page(onOne(on)));
  assert.equal(plan, 'SEARCH audit_event USING PRIMARY KEY (tenant=? AND sequence>?)');
});

test('a search in the audit goes along one index in the order of time, and sorts nothing', () => {
  const plans = plansOf((on) => audit.reads.search(onOne(on)));
  assert.equal(plans.length, 32);
  for (const plan of plans) {
    assert.match(
      plan,
      /^SEARCH audit_event USING (?:COVERING )?INDEX \w+ \(tenant=\?(?: AND \w+=\?)? AND \(at,sequence\)>\(\?,\?\) AND \(at,sequence\)<\(\?,\?\)\)/u,
    );
    assert.doesNotMatch(plan, /TEMP B-TREE/u);
  }
});

/** The index that a walk of a list goes along, in its order, and so without a sort. */
const WALKS: Readonly<Record<string, string>> = {
  account_list: 'account_login_name (tenant=? AND login_name>? AND login_name<?)',
  account_list_with_role: 'account_role (tenant=? AND admin_role=? AND login_name>? AND login_name<?)',
  account_list_disabled: 'account_disabled (tenant=? AND login_name>? AND login_name<?)',
  account_list_recent: 'account_created (tenant=? AND created_at>? AND (created_at,sub)<(?,?))',
  session_list: 'session_created (tenant=? AND (created_at,sid)<(?,?))',
  session_list_of_client: 'session_client_use (tenant=? AND client_id=? AND (first_used_at,sid)<(?,?))',
  grant_list: 'PRIMARY KEY (tenant=? AND grant_id<?)',
  grant_list_of_subject: 'authorization_grant_subject (tenant=? AND sub=? AND grant_id<?)',
  grant_list_of_client:
    'authorization_grant_client (tenant=? AND client_id=? AND client_instance=? AND grant_id<?)',
  consent_list: 'PRIMARY KEY (tenant=? AND (sub,client_id,instance)>(?,?,?))',
  consent_list_of_subject: 'PRIMARY KEY (tenant=? AND sub=? AND (client_id,instance)>(?,?))',
  consent_list_of_client: 'consent_client (tenant=? AND client_id=? AND instance=? AND sub>?)',
  access_token_list: 'PRIMARY KEY (tenant=? AND key<?)',
  access_token_list_of_subject: 'access_token_subject (tenant=? AND sub=? AND key<?)',
  access_token_list_of_client: 'access_token_client (tenant=? AND client_id=? AND key<?)',
};

for (const walk of PEOPLE_LISTS.flatMap(({ walks }) => walks)) {
  const index = WALKS[walk.name];
  if (index === undefined) continue;
  test(`${walk.name} goes along ${index}, so that a page costs the same among millions of rows (users want 1)`, () => {
    const plan = database
      .prepare(`EXPLAIN QUERY PLAN ${sqliteListing(walk)}`)
      .all()
      .map(({ detail }) => String(detail));
    const [search, after] = plan.slice(plan.indexOf('MATERIALIZE walk') + 1);
    assert.ok(search?.endsWith(index), plan.join('\n'));
    assert.doesNotMatch(after ?? '', /TEMP B-TREE/, plan.join('\n'));
  });
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NotedRefusal } from '../ports/server-facts.ts';
import { newestFirst, rememberingRefusals } from './recent-refusals.ts';

const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined };
const BOUNDS = { latest: 4, perClient: 2, clients: 2 };

let requests = 0;
const line = (members: object): Readonly<Record<string, unknown>> => {
  requests += 1;
  return { endpoint: 'token', status: 401, tenant: 'default', request_id: `r-${requests}`, ...members };
};
const WRONG = { client: 'shop', reason: 'wrong-secret', registered: 'client_secret_basic' };
const idsOf = (refusals: readonly NotedRefusal[]): readonly string[] =>
  refusals.map(({ client, reason }) => `${client} ${reason}`);

test('a flood of names that are no clients pushes no refusal of a known client out, and takes no further room', () => {
  const { log, refusals } = rememberingRefusals(SILENT, () => 1, BOUNDS);
  log.info(line(WRONG), 'refused');
  log.info(line({ client: 'shop', reason: 'invalid_grant', error: 'invalid_grant' }), 'refused');
  for (let count = 0; count < 50; count += 1)
    log.info(line({ client: `x${count}`, reason: 'unknown-client', error: 'invalid_client' }), 'refused');
  assert.deepEqual(idsOf(refusals()), [
    ...[49, 48, 47, 46].map((count) => `x${count} unknown-client`),
    'shop invalid_grant',
    'shop wrong-secret',
  ]);
});

test('each known client has a bounded number of refusals, so have all together, and the client that was refused last stays', () => {
  const { log, refusals } = rememberingRefusals(SILENT, () => 1, { ...BOUNDS, latest: 1 });
  for (const client of ['a', 'b', 'a', 'a', 'c']) log.info(line({ ...WRONG, client }), 'refused');
  assert.deepEqual(idsOf(refusals()), ['c wrong-secret', 'a wrong-secret', 'a wrong-secret']);
});

test('clients of two tenants with one name are two clients', () => {
  const { log, refusals } = rememberingRefusals(SILENT, () => 1, { latest: 1, perClient: 1, clients: 2 });
  for (const tenant of ['default', 'rival']) log.warn(line({ ...WRONG, tenant }), 'refused');
  assert.deepEqual(
    refusals().map(({ tenant }) => tenant),
    ['rival', 'default'],
  );
});

test('other lines, and refusals without a client, are not kept for a client; development keeps the latest only', () => {
  const { log, refusals } = rememberingRefusals(SILENT, () => 1, { ...BOUNDS, latest: 1 });
  log.info(line(WRONG), 'audit');
  log.info(line({ ...WRONG, client: '' }), 'refused');
  log.info(line({ reason: 'body-too-large' }), 'refused');
  assert.deepEqual(idsOf(refusals()), [' body-too-large']);
  const few = rememberingRefusals(SILENT, () => 1);
  for (let count = 0; count < 30; count += 1) few.log.info(line(WRONG), 'refused');
  assert.equal(few.refusals().length, 20);
});

test('refusals of several processes have one order, whichever process asks', () => {
  const at = (seconds: number, request_id: string): NotedRefusal => ({
    at: seconds,
    request_id,
    endpoint: 'token',
    status: '401',
    error: 'invalid_client',
    reason: 'wrong-secret',
    detail: '',
    client: 'shop',
    tenant: 'default',
  });
  const [one, other] = [
    [at(2, 'a-9'), at(1, 'a-8')],
    [at(2, 'b-1'), at(2, 'a-10')],
  ];
  const order = ['b-1', 'a-10', 'a-9', 'a-8'];
  for (const all of [
    [...one, ...other],
    [...other, ...one],
  ])
    assert.deepEqual(
      newestFirst(all).map(({ request_id }) => request_id),
      order,
    );
});

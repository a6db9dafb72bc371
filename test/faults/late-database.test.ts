import assert from 'node:assert/strict';
import { test } from 'node:test';
import { migratedDatabase } from '../../src/testing/postgres/database.ts';
import { administer } from '../../src/testing/postgres/server.ts';
import { call, type Registration, register, SERVICE } from '../journeys/conformance-exchange.ts';
import { type Program, startProgram } from '../program/start.ts';
import { startDelayingProxy } from './delaying-proxy.ts';

const DEADLINE_MS = 1500;
/** One answer comes in time; two, one after the other, do not. */
const DELAY_MS = 1000;

const portOf = (url: string): number => Number(new URL(url.replace('postgres:', 'http:')).port);
const nameOf = (url: string): string => new URL(url.replace('postgres:', 'http:')).pathname.slice(1);

const read = async (
  program: Program,
  { client_id, registration_access_token }: Registration,
): Promise<number> => {
  const path = `/clients/${client_id}`;
  return (await call(program, { method: 'GET', path, bearer: registration_access_token })).status;
};

test('PostgreSQL answers late each time: a request that waits several times is refused once it has waited storage.deadline in all (F14)', async () => {
  const url = await migratedDatabase();
  const proxy = await startDelayingProxy(portOf(url));
  const program = await startProgram({
    environment: {
      CHANCERY_STORAGE_URL: url.replace(`:${portOf(url)}/`, `:${proxy.port}/`),
      CHANCERY_STORAGE_DEADLINE: String(DEADLINE_MS),
    },
  });
  try {
    const { client_id, client_secret } = await register(program, SERVICE);
    const token = async (): Promise<number> =>
      (
        await call(program, {
          method: 'POST',
          path: '/token',
          basic: [client_id, client_secret],
          form: { grant_type: 'client_credentials' },
        })
      ).status;
    assert.equal(await token(), 200);
    proxy.delay_ms = DELAY_MS;
    assert.equal(await token(), 500);
    await program.printed(/"endpoint":"token","status":500,.*has waited 1500 ms for the database in all/u);
    proxy.delay_ms = 0;
    while ((await token()) !== 200);
  } finally {
    await program.stop();
    await proxy.close();
  }
});

test('a table that cannot be read costs the requests that need it: 500, logged, counted; readiness is 503 after five; the process lives (F44)', async () => {
  const url = await migratedDatabase();
  const administered = async (sql: string): Promise<unknown> =>
    await administer(portOf(url), nameOf(url), sql);
  const program = await startProgram({
    environment: { CHANCERY_STORAGE_URL: url, CHANCERY_CACHE_CLIENTS: '2' },
  });
  try {
    const clients: Registration[] = [];
    for (let index = 0; index < 6; index += 1) clients.push(await register(program, SERVICE));
    await administered('ALTER TABLE client RENAME TO client_away');
    const answers = await Promise.all(clients.map(async (client) => await read(program, client)));
    assert.deepEqual(new Set(answers), new Set([500]));
    assert.equal((await fetch(`${program.url}/.well-known/openid-configuration`)).status, 200);
    const ready = await fetch(`${program.managementUrl}/health/ready`);
    assert.equal(ready.status, 503);
    const { reason } = (await ready.json()) as { readonly reason: string };
    assert.match(reason, /^the database cannot be read: \d+ of \d+ reads failed: .*client/u);
    await program.printed(/"endpoint":"client-read","status":500,.*SQLSTATE 42P01/u);
    const metrics = await (await fetch(`${program.managementUrl}/metrics`)).text();
    assert.match(metrics, /^chancery_storage_failed_reads_total [6-9]\d*$/mu);
    await administered('ALTER TABLE client_away RENAME TO client');
    for (const client of clients) assert.equal(await read(program, client), 200);
  } finally {
    await program.stop();
  }
});

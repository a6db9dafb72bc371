import assert from 'node:assert/strict';
import { Agent, get as httpGet, type IncomingMessage } from 'node:http';
import { after, before, test } from 'node:test';
import { addTenant } from '../../src/testing/storage/add-tenant.ts';
import { type Program, startProgram } from '../program/start.ts';
import { openProgramStorage } from '../program/storage-place.ts';

/** A server with more tenants than it keeps open, behind a proxy that tells it the networks of its callers. */
const TENANTS = 300;
const WAITING_MAX = 6;
const STRANGER = '203.0.113.9';
const CUSTOMER = '198.51.100.7';
let program: Program;
const agent = new Agent({ keepAlive: true, maxSockets: TENANTS + 50 });

before(async () => {
  program = await startProgram({
    environment: {
      CHANCERY_CACHE_OPEN_TENANTS: '8',
      CHANCERY_LIMITS_TENANT_OPENINGS: '3',
      CHANCERY_LIMITS_TENANTS_WAITING: String(WAITING_MAX),
      CHANCERY_LISTEN_TRUSTED_PROXIES: '127.0.0.0/8',
    },
  });
  const storage = await openProgramStorage(program.folder);
  await Promise.all(
    Array.from(
      { length: TENANTS },
      async (_, index) =>
        await addTenant(storage, { id: `t${index}`, issuer: `${program.issuer}/t${index}` }),
    ),
  );
  await storage.close();
});
after(async () => {
  agent.destroy();
  await program.stop();
});

interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
}

/** Asks for the keys of a tenant as a caller from this network. */
async function keysOf(tenant: string, network: string): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const path = tenant === '' ? '/jwks.json' : `/${tenant}/jwks.json`;
  const headers = { 'x-forwarded-for': network };
  httpGet({ host: program.host, port: program.port, path, headers, agent }, resolve).on('error', reject);
  const answer = await promise;
  answer.resume();
  return { status: answer.statusCode ?? 0, retryAfter: answer.headers['retry-after'] };
}

test('H-300 H-301 H-302: while a stranger calls 290 closed tenants at once, open ones answer and stay open, another network opens its own, and only the stranger is refused', async () => {
  assert.equal((await keysOf('t0', CUSTOMER)).status, 200);
  const refused: Answer[] = [];
  let opened = 0;
  const scan = Array.from({ length: 290 }, async (_, index) => {
    const answer = await keysOf(`t${index + 1}`, STRANGER);
    if (answer.status === 200) opened += 1;
    else refused.push(answer);
  });
  // All calls have arrived when all that cannot wait are refused.
  while (refused.length < 290 - WAITING_MAX - 10) await keysOf('', CUSTOMER);
  const before = opened;
  for (let round = 0; round < 50; round += 1) {
    assert.equal((await keysOf('t0', CUSTOMER)).status, 200);
    assert.equal((await keysOf('', CUSTOMER)).status, 200);
  }
  const ownOnes = await Promise.all([keysOf('t291', CUSTOMER), keysOf('t292', CUSTOMER)]);
  assert.deepEqual(
    ownOnes.map(({ status }) => status),
    [200, 200],
    'a customer does not wait for the whole line of the stranger',
  );
  assert.ok(opened < 20, `${opened} of the stranger's tenants are open, ${before} before`);
  assert.ok(refused.every(({ status, retryAfter }) => status === 503 && Number(retryAfter) >= 1));
  await Promise.allSettled(scan);
  assert.equal(opened + refused.length, 290);
  assert.equal((await keysOf('t0', CUSTOMER)).status, 200);
  const counted = await openings();
  assert.equal(counted['opened'], opened + 3, 'none of the customer was closed and opened again');
  assert.equal(counted['closed'], opened + 3 - 8, 'eight stay open');
  assert.equal(counted['refused'], refused.length);
  assert.equal(counted['failed'], undefined);
  assert.doesNotMatch(program.output(), /"level":"error"/u);
});

/** Reads the counts of `chancery_tenant_openings_total`. */
async function openings(): Promise<Readonly<Record<string, number>>> {
  const text = await (await fetch(`${program.managementUrl}/metrics`)).text();
  const samples = text.matchAll(/^chancery_tenant_openings_total\{outcome="(\w+)"\} (\d+)$/gmu);
  return Object.fromEntries([...samples].map(([, outcome = '', count]) => [outcome, Number(count)]));
}

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { addTenant } from '../../src/testing/storage/add-tenant.ts';
import { type Program, sha256, startProgram } from '../program/start.ts';
import { openProgramStorage } from '../program/storage-place.ts';
import { isActive, type Members, requestToken } from './registry-commands.ts';

/** Three tenants in a server that keeps one open. */
const MASTER = 'master-of-the-three';
const IDS = ['one', 'two', 'three'] as const;
let program: Program;

before(async () => {
  program = await startProgram({ environment: { CHANCERY_CACHE_OPEN_TENANTS: '1' } });
  const storage = await openProgramStorage(program.folder);
  const settings = { 'registration.master-token-sha256': [sha256(MASTER)] };
  for (const id of IDS) await addTenant(storage, { id, issuer: `${program.issuer}/${id}`, settings });
  await storage.close();
});
after(() => program.stop());

const at = (id: string): Program => ({
  ...program,
  url: `${program.url}/${id}`,
  issuer: `${program.issuer}/${id}`,
});

async function register(id: string): Promise<Members> {
  const answer = await fetch(`${at(id).url}/clients`, {
    method: 'POST',
    headers: { authorization: `Bearer ${MASTER}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      grant_types: ['client_credentials'],
      scope: `${at(id).issuer}/token/introspect`,
    }),
  });
  assert.equal(answer.status, 200, await answer.clone().text());
  return (await answer.json()) as Members;
}

const keysOf = async (id: string): Promise<string> => await (await fetch(`${at(id).url}/jwks.json`)).text();

test('tenants that are closed for one another, again and again, in turn and at once: keys, clients and tokens are what they were, and nothing fails (ADR 29)', async () => {
  const clients = new Map<string, Members>();
  const keys = new Map<string, string>();
  const tokens = new Map<string, string>();
  for (const id of IDS) {
    clients.set(id, await register(id));
    keys.set(id, await keysOf(id));
    const { client_id, client_secret } = clients.get(id) ?? {};
    const { status, access_token } = await requestToken(at(id), client_id, client_secret);
    assert.equal(status, 200);
    tokens.set(id, access_token);
  }
  const look = async (id: string): Promise<void> => {
    assert.equal(await keysOf(id), keys.get(id));
    const own = clients.get(id) ?? {};
    assert.equal(await isActive(at(id), tokens.get(id) ?? '', own), true);
    for (const other of IDS) {
      if (other !== id) assert.equal(await isActive(at(id), tokens.get(other) ?? '', own), false);
    }
  };
  for (const id of [...IDS, ...IDS]) await look(id);
  await Promise.all([...IDS, ...IDS, ...IDS].map(look));
  await program.printed(/more tenants are called than cache\.open-tenants keeps open/u);
  assert.doesNotMatch(program.output(), /"level":"error"/u);
});

test('H-311 the caches hold records of open tenants only: a tenant that is closed gives its memory back', async () => {
  const metrics = await (await fetch(`${program.managementUrl}/metrics`)).text();
  const figure = (name: string, cache: string): number =>
    Number(
      new RegExp(`^chancery_cache_${name}\\{cache="${cache}"\\} (\\d+)$`, 'mu').exec(metrics)?.[1] ??
        Number.NaN,
    );
  for (const cache of ['clients', 'access-tokens', 'authentications']) {
    // One tenant is open beside the default one, which has no client. Each has one client and one token.
    assert.ok(figure('entries', cache) <= 1, `${figure('entries', cache)} ${cache}`);
    assert.ok(figure('misses_total', cache) >= IDS.length, `each tenant asked for its ${cache}`);
  }
});

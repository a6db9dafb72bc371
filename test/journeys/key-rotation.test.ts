import assert from 'node:assert/strict';
import { createPublicKey, verify } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Program, startProgram } from '../program/start.ts';
import { type Members, registryCommands } from './registry-commands.ts';

/** Two servers under load, whose keys change by command beside them. Signed introspection answers show who signs. */
const folder = mkdtempSync(join(tmpdir(), 'chancery-rotation-'));
const commands = registryCommands(folder);
let programs: readonly [Program, Program];
let credentials = '';

before(async () => {
  const one = await startProgram({ folder });
  programs = [one, await startProgram({ folder })];
  const answer = await fetch(`${one.url}/register`, {
    method: 'POST',
    headers: { authorization: `Bearer ${one.masterToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      grant_types: ['client_credentials'],
      response_types: [],
      scope: `${one.issuer}/token/introspect`,
    }),
  });
  const { client_id, client_secret } = (await answer.json()) as Members;
  credentials = Buffer.from(`${String(client_id)}:${String(client_secret)}`).toString('base64');
});

after(async () => {
  await Promise.all(programs.map(async (program) => await program.stop()));
  rmSync(folder, { recursive: true, force: true });
});

/** A JWT that the server signs now. */
async function signed({ url }: Program): Promise<string> {
  const answer = await fetch(`${url}/token/introspect`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${credentials}`,
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'application/token-introspection+jwt',
    },
    body: 'token=nobody',
  });
  assert.equal(answer.status, 200);
  return await answer.text();
}

async function published({ url }: Program): Promise<readonly Members[]> {
  const answer = await fetch(`${url}/jwks.json`);
  assert.equal(answer.status, 200);
  const { keys } = (await answer.json()) as { readonly keys: readonly Members[] };
  assert.ok(keys.length >= 7);
  return keys;
}

const kidOf = (jwt: string): unknown =>
  (JSON.parse(Buffer.from(jwt.split('.')[0] ?? '', 'base64url').toString()) as Members)['kid'];

/** RS256, by Node's own cryptography. */
function verifies(jwt: string, keys: readonly Members[]): boolean {
  const jwk = keys.find(({ kid }) => kid === kidOf(jwt));
  if (jwk === undefined) return false;
  const [header, payload, signature = ''] = jwt.split('.');
  const key = createPublicKey({ key: { ...jwk }, format: 'jwk' });
  return verify('sha256', Buffer.from(`${header}.${payload}`), key, Buffer.from(signature, 'base64url'));
}

/** Asks one server for a signature and the other for its keys, again and again, until `done`. */
async function traffic(done: Promise<unknown>): Promise<readonly string[]> {
  const state = { over: false };
  const noteEnd = async (): Promise<void> => {
    await done.catch(() => undefined);
    state.over = true;
  };
  void noteEnd();
  const jwts: string[] = [];
  for (let round = 0; !state.over || round < 10; round += 1) {
    const [signer, publisher] = round % 2 === 0 ? programs : programs.toReversed();
    assert.ok(signer !== undefined && publisher !== undefined);
    const jwt = await signed(signer);
    assert.ok(verifies(jwt, await published(publisher)), `round ${round}: ${String(kidOf(jwt))}`);
    jwts.push(jwt);
  }
  return jwts;
}

test('keys rotate --now under load: what one server signs the other publishes, at any moment; what was signed before verifies still (decision 27)', async () => {
  const before = await signed(programs[0]);
  const rotation = commands.json('keys', 'rotate', '--use', 'sig', '--now');
  const jwts = await traffic(rotation);
  const successor = (await rotation).find(({ kind }) => kind === 'RSA')?.['kid'];
  for (const program of programs) {
    assert.equal(kidOf(await signed(program)), successor);
    const keys = await published(program);
    for (const jwt of [before, ...jwts]) assert.ok(verifies(jwt, keys));
  }
});

test('keys revoke --compromised under load: from then on neither server signs with it, publishes it, or lacks another', async () => {
  const before = await signed(programs[0]);
  const revocation = commands.json('keys', 'revoke', String(kidOf(before)), '--compromised');
  await revocation;
  for (const jwt of await traffic(Promise.resolve())) assert.notEqual(kidOf(jwt), kidOf(before));
  for (const program of programs) assert.equal(verifies(before, await published(program)), false);
});

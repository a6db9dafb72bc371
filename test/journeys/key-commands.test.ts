import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { keyMaker } from '../../src/jose/private-keys.ts';
import type { JsonWebKey } from '../../src/spec/jwk.ts';
import { type Program, startProgram } from '../program/start.ts';
import { chancery } from './command.ts';
import { type Members, one, registryCommands } from './registry-commands.ts';

/** Two servers on one database, and the commands of the keys beside them. */
const folder = mkdtempSync(join(tmpdir(), 'chancery-keys-'));
const commands = registryCommands(folder);
let programs: readonly Program[] = [];

before(async () => {
  programs = [await startProgram({ folder }), await startProgram({ folder })];
});

after(async () => {
  await Promise.all(programs.map(async (program) => await program.stop()));
  rmSync(folder, { recursive: true, force: true });
});

interface Published {
  readonly kids: readonly unknown[];
  readonly cacheControl: string | null;
}

/** Returns the keys that all servers publish. They must agree. */
async function published(): Promise<Published> {
  const [first, ...others] = await Promise.all(
    programs.map(async ({ url }): Promise<Published> => {
      const answer = await fetch(`${url}/jwks.json`);
      const { keys } = (await answer.json()) as { readonly keys: readonly Members[] };
      return { kids: keys.map(({ kid }) => kid), cacheControl: answer.headers.get('cache-control') };
    }),
  );
  assert.ok(first !== undefined);
  for (const other of others) assert.deepEqual(other.kids, first.kids);
  return first;
}

const keyWhere = (keys: readonly Members[], wanted: Members): Members => {
  const found = keys.filter((key) => Object.entries(wanted).every(([name, value]) => key[name] === value));
  assert.equal(found.length, 1, JSON.stringify(wanted));
  return found[0] ?? {};
};

test('keys list shows what is published, and nothing private', async () => {
  const keys = await commands.json('keys', 'list');
  assert.deepEqual(
    keys.filter(({ use }) => use !== 'federation').map(({ kid }) => kid),
    (await published()).kids,
  );
  assert.equal(keyWhere(keys, { use: 'federation' })['state'], 'active');
  assert.ok(keys.every(({ state }) => state === 'active'));
  const text = await commands.run('keys', 'list');
  assert.match(text, /^KID +USE +KIND +STATE +ACTIVE FROM +RETIRED FROM +REMOVED FROM\n/);
  for (const key of keys) assert.equal(Object.hasOwn(key['jwk'] as object, 'd'), false);
});

test('keys rotate: every running server publishes the new keys in its next answer, and signs with them later (decision 27)', async () => {
  const before = await published();
  assert.equal(before.cacheControl, 'public, max-age=300');
  const rotated = await commands.json('keys', 'rotate', '--use', 'sig');
  assert.equal(rotated.length, 5);
  assert.ok(rotated.every(({ change }) => change === 'announced'));
  const { kids } = await published();
  assert.deepEqual(kids, [...before.kids, ...rotated.map(({ kid }) => kid)]);
  const again = await one(commands.json('keys', 'rotate', '--kind', 'P-256', '--use', 'sig'));
  assert.equal(again['change'], 'known');
  const now = await one(commands.json('keys', 'rotate', '--kind', 'P-256', '--use', 'sig', '--now'));
  assert.deepEqual([now['kid'], now['change']], [again['kid'], 'activated']);
  const keys = await commands.json('keys', 'list');
  assert.equal(keyWhere(keys, { kid: now['succeeds'] })['state'], 'retired');
  assert.equal(keyWhere(keys, { kid: now['kid'] })['state'], 'active');
  assert.match(
    await commands.run('keys', 'rotate', '--use', 'federation'),
    /^federation RSA: \S+ is announced and takes over at 20/,
  );
});

test('keys revoke --compromised: gone from every running server in its next answer, and in the history', async () => {
  const keys = await commands.json('keys', 'list');
  const { kid } = keyWhere(keys, { use: 'sig', kind: 'RSA', state: 'active' });
  assert.deepEqual(await one(commands.json('keys', 'revoke', String(kid), '--compromised')), {
    kid,
    revoked: true,
  });
  const { kids } = await published();
  assert.equal(kids.includes(kid), false);
  const [removed] = await commands.json('keys', 'history');
  assert.deepEqual([removed?.['kid'], removed?.['reason']], [kid, 'compromised']);
  assert.ok(Number(removed?.['removed_at']) > 0);
  assert.match(await commands.run('keys', 'history'), /compromised\n$/);
  keyWhere(await commands.json('keys', 'list'), { use: 'sig', kind: 'RSA', state: 'active' });
  const gone = await commands.attempt('keys', 'revoke', String(kid), '--compromised');
  assert.deepEqual([gone.how, gone.stdout], [1, '']);
  assert.match(gone.stderr, /there is no such key/);
  const events = await commands.audit();
  const revocation = events.find(({ action }) => action === 'server-key.revoke');
  assert.deepEqual([revocation?.actor, revocation?.detail], ['cli', kid]);
});

test('keys import: a private key takes over, a public one is published; a bad set is one line', async () => {
  const file = join(folder, 'keys.json');
  const bring = (...keys: readonly object[]): void => writeFileSync(file, JSON.stringify({ keys }));
  const ours = { ...(await keyMaker.makePrivateKey('Ed25519')), use: 'sig', kid: 'ours' };
  const { d: _, ...theirs } = {
    ...(await keyMaker.makePrivateKey('P-256')),
    use: 'sig',
    kid: 'theirs',
    d: '',
  };
  bring(ours, theirs);
  const imported = await commands.json('keys', 'import', file, '--now');
  assert.deepEqual(
    imported.map(({ kid, outcome }) => [kid, outcome]),
    [
      ['ours', 'activated'],
      ['theirs', 'published'],
    ],
  );
  const { kids } = await published();
  for (const kid of ['ours', 'theirs']) assert.ok(kids.includes(kid));
  bring({ ...theirs, kid: 'weak', x: 'AAAA' });
  const refused = await commands.attempt('keys', 'import', file);
  assert.deepEqual([refused.how, refused.stdout], [1, '']);
  assert.match(
    refused.stderr,
    /^chancery keys import: the set is refused: keys\[0\] has a coordinate of the wrong size\n$/,
  );
});

test('what is called wrongly is refused before anything is opened', async () => {
  for (const [words, complaint] of [
    [['revoke', 'x'], /--compromised is missing/],
    [['rotate', '--kind', 'DSA'], /--kind must be one of/],
    [['rotate', '--use', 'mac'], /--use must be sig, enc or federation/],
    [['import'], /FILE is missing/],
  ] as const) {
    const { how, stderr } = await commands.attempt('keys', ...words);
    assert.equal(how, 2, words.join(' '));
    assert.match(stderr, complaint);
  }
});

test('a configured set is used instead of the generated keys, and one that cannot be is one line before anything starts (decision 29)', async () => {
  const rsa: JsonWebKey = { ...(await keyMaker.makePrivateKey('RSA-2048')), use: 'sig', kid: 'configured' };
  const file = join(folder, 'configured.json');
  const check = async (set: object) => {
    writeFileSync(file, JSON.stringify(set), { mode: 0o600 });
    return await chancery(['config', 'check'], {
      CHANCERY_ISSUER: 'https://op.example.com',
      CHANCERY_ENCRYPTION_KEY: '0'.repeat(64),
      CHANCERY_KEYS_JWK_SET_FILE: file,
    });
  };
  const refused = await check({ keys: [rsa, rsa] });
  assert.equal(refused.how, 1);
  assert.match(refused.stderr, /keys\.jwk-set: keys\[1\] has the same kid/);
  assert.equal(refused.stderr.includes(String(rsa['d'])), false);
  assert.equal((await check({ keys: [rsa] })).how, 0);
  const program = await startProgram({ folder, environment: { CHANCERY_KEYS_JWK_SET: file } });
  try {
    const { keys } = (await (await fetch(`${program.url}/jwks.json`)).json()) as { keys: readonly Members[] };
    assert.deepEqual(
      keys.map((key) => Object.keys(key)),
      [['kty', 'n', 'e', 'use', 'kid']],
    );
    assert.equal(keys[0]?.['kid'], 'configured');
  } finally {
    await program.stop();
  }
});

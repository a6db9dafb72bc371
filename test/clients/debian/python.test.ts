import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Program, startProgram } from '../../program/start.ts';
import { runRecipe } from '../recipe.ts';
import { atWebsite, EMAIL, register, signInAt } from '../website.ts';
import { skipReason } from './packages.ts';

const PYTHON = '/usr/bin/python3';
const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });

let program: Program;
let folder: string;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'chancery-authlib-'));
  writeFileSync(join(folder, 'key.pem'), keys.privateKey.export({ type: 'pkcs8', format: 'pem' }));
  program = await startProgram({ mode: 'dev' });
});
after(async () => {
  await program.stop();
  rmSync(folder, { recursive: true, force: true });
});

for (const [name, recipe] of [
  ['requests-oauthlib', 'requests-oauthlib.py'],
  ['authlib', 'authlib-website.py'],
] as const) {
  test(`${name}: signs a person in with its defaults`, { skip: skipReason(name) }, async () => {
    const website = { name, command: [PYTHON, recipe], callback: '/callback' } as const;
    await atWebsite(program, website, async (visit) => {
      assert.match((await signInAt(visit)).text, EMAIL);
    });
  });
}

for (const method of [
  'client_secret_basic',
  'client_secret_post',
  'client_secret_jwt',
  'private_key_jwt',
] as const) {
  // The assertions have Authlib's own lifetime of an hour.
  test(`authlib, ${method}: gets a token, introspects it and revokes it (decision 45)`, {
    skip: skipReason('authlib'),
  }, async () => {
    const scope = `${program.issuer}/token/introspect`;
    const jwk = { ...keys.publicKey.export({ format: 'jwk' }), use: 'sig', kid: 'service' };
    const client = await register(program, {
      client_name: 'authlib',
      grant_types: ['client_credentials'],
      scope,
      token_endpoint_auth_method: method,
      ...(method === 'private_key_jwt' ? { jwks: { keys: [jwk] } } : {}),
    });
    const output = await runRecipe([PYTHON, 'authlib-service.py'], {
      ISSUER: program.issuer,
      METHOD: method,
      CLIENT_ID: client.client_id,
      CLIENT_SECRET: client.client_secret ?? '',
      PRIVATE_KEY: join(folder, 'key.pem'),
    });
    const { introspection, revocation } = JSON.parse(output) as {
      introspection: Record<string, unknown>;
      revocation: number;
    };
    assert.deepEqual([introspection['active'], introspection['scope'], revocation], [true, scope, 200]);
  });
}

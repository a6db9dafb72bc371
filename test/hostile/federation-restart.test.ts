import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { signedJwt } from '../../src/testing/jwt.ts';
import { type Authorities, type Entity, startAuthorities } from '../federation/authorities.ts';
import { type Program, startProgram } from '../program/start.ts';

const ISSUER = 'http://op.localhost';

async function start(folder: string, anchor: Entity): Promise<Program> {
  return await startProgram({
    mode: 'dev',
    folder,
    environment: {
      CHANCERY_ISSUER: ISSUER,
      CHANCERY_FEDERATION_ENABLED: 'true',
      CHANCERY_FEDERATION_TRUST_ANCHORS: JSON.stringify([
        { 'entity-id': anchor.id, jwks: { keys: [anchor.key.jwk] } },
      ]),
      // Nothing but the end of the process ends the resolution of this test.
      CHANCERY_OUTBOUND_TIMEOUT: '60',
      CHANCERY_OUTBOUND_ALLOW_HTTP: 'true',
      CHANCERY_OUTBOUND_ALLOW_NETWORKS: '127.0.0.0/8',
    },
  });
}

async function register(program: Program, body: string): Promise<number> {
  const answer = await fetch(`${program.url}/federation/clients`, {
    method: 'POST',
    headers: { 'content-type': 'application/entity-statement+jwt' },
    body,
  });
  await answer.body?.cancel();
  return answer.status;
}

async function clients(program: Program): Promise<number> {
  const headers = { authorization: `Bearer ${program.masterToken}` };
  const answer = await fetch(`${program.url}/clients`, { headers });
  assert.equal(answer.status, 200);
  return ((await answer.json()) as unknown[]).length;
}

/** Returns a statement of the relying party for its registration. */
function statementOf(rp: Entity, superior: Entity): string {
  const iat = Math.floor(Date.now() / 1000);
  const claims = {
    iss: rp.id,
    sub: rp.id,
    iat,
    exp: iat + 3600,
    aud: ISSUER,
    jwks: { keys: [rp.key.jwk] },
    authority_hints: [superior.id],
    metadata: { openid_relying_party: { redirect_uris: ['https://rp.example/cb'] } },
  };
  return signedJwt(rp.key, claims, { typ: 'entity-statement+jwt' });
}

/** Makes the configuration of an entity hang. Resolves when the server asks for it. */
function hang(authorities: Authorities, { name }: Entity): Promise<void> {
  return new Promise((resolve) => {
    authorities.answer(`/${name}/.well-known/openid-federation`, () => resolve());
  });
}

test('H-229 a crash during a resolution stores nothing and uses nothing up: the same statement registers afterwards, once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-restart-'));
  const authorities = await startAuthorities();
  const [anchor, superior, rp] = [
    authorities.entity('anchor'),
    authorities.entity('superior'),
    authorities.entity('rp'),
  ];
  anchor.publish([]);
  anchor.vouch(superior);
  superior.vouch(rp);
  const statement = statementOf(rp, superior);
  const asked = hang(authorities, superior);
  let program = await start(folder, anchor);
  try {
    const before = await clients(program);
    const cut = assert.rejects(register(program, statement), TypeError);
    await asked;
    program.signal('SIGKILL');
    await cut;
    await program.exited;

    superior.publish([anchor]);
    program = await start(folder, anchor);
    assert.equal(await clients(program), before, 'a client of the broken resolution is stored');
    assert.equal(await register(program, statement), 200);
    assert.equal(await clients(program), before + 1);
    assert.equal(await register(program, statement), 200, 'the same answer (decision 35)');
    assert.equal(await clients(program), before + 1, 'and no second client');
  } finally {
    await program.stop();
    await authorities.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { signedJwt, testKey } from '../../src/testing/jwt.ts';
import { auditRowsOnceThere } from '../program/audit-events.ts';
import { type Program, startProgram } from '../program/start.ts';
import { type Answer, ask, assertRefused, call, manage, registrationOf } from './conformance-exchange.ts';

/** Software statements of issuers that chancery.yaml trusts, in managed mode (RFC 7591 §2.3). */
const ISSUER = 'https://publisher.example';
const QUIET = 'https://quiet.example';
const KEY = testKey('ES256', 'publisher-1');
const QUIET_KEY = testKey('EdDSA', 'quiet-1');
const folder = mkdtempSync(join(tmpdir(), 'chancery-statements-'));
let program: Program;

const YAML = `
registration:
  software-statement-issuers:
    - issuer: ${ISSUER}
      authorises-registration: true
      approved-software-ids: [app, other]
      jwks:
        keys:
          - { kty: EC, crv: P-256, kid: publisher-1, x: ${String(KEY.jwk['x'])}, y: ${String(KEY.jwk['y'])} }
    - issuer: ${QUIET}
      jwks:
        keys:
          - { kty: OKP, crv: Ed25519, kid: quiet-1, x: ${String(QUIET_KEY.jwk['x'])} }
`;

before(async () => {
  const config = join(folder, 'chancery.yaml');
  writeFileSync(config, YAML);
  program = await startProgram({ environment: { CHANCERY_CONFIG: config } });
});

after(async () => {
  await program.stop();
  rmSync(folder, { recursive: true });
});

const REDIRECT_URIS = ['https://app.example/cb'];
const CLAIMS = {
  iss: ISSUER,
  software_id: 'app',
  redirect_uris: REDIRECT_URIS,
  grant_types: ['authorization_code', 'client_credentials'],
  scope: 'read',
};

const anonymously = async (json: object): Promise<Answer> =>
  await call(program, { method: 'POST', path: '/register', json });

test('a statement whose issuer authorises registrations needs no token: what is in it is registered, and nothing beyond', async () => {
  const software_statement = signedJwt(KEY, CLAIMS);
  const answer = await anonymously({
    client_name: 'App',
    redirect_uris: ['https://evil.example/'],
    software_statement,
  });
  assert.equal(answer.status, 201, answer.text);
  assert.deepEqual(answer.json['redirect_uris'], REDIRECT_URIS);
  assert.equal(answer.json['scope'], 'read');
  assert.equal(answer.json['client_name'], 'App');
  assert.equal(answer.json['software_statement'], software_statement);
  const rows = await auditRowsOnceThere(program, 0, 1);
  const row = rows.find(({ action }) => action === 'client.create');
  assert.deepEqual(
    [row?.actor, row?.outcome, row?.client_id],
    [`statement:${ISSUER}`, 'done', answer.json['client_id']],
  );

  const client = registrationOf(answer);
  const wider = { redirect_uris: REDIRECT_URIS, grant_types: ['authorization_code', 'password'] };
  const update = await manage(program, client, 'PUT', { json: wider });
  assert.equal(update.status, 403, 'an update is held to what the statement permitted');
  assert.match(update.headers.get('www-authenticate') ?? '', /client-reg:grant:password/);
  const beyond = await anonymously({ data: {}, software_statement: signedJwt(KEY, CLAIMS) });
  assertRefused(beyond, 401, 'invalid_token');
});

test('a statement of an issuer that authorises nothing is read for requests with a token only', async () => {
  const software_statement = signedJwt(QUIET_KEY, {
    iss: QUIET,
    redirect_uris: REDIRECT_URIS,
    client_name: 'Stated',
  });
  assertRefused(await anonymously({ software_statement }), 401, 'invalid_token');
  const answer = await ask(program, { software_statement });
  assert.equal(answer.status, 201, answer.text);
  assert.equal(answer.json['client_name'], 'Stated');
});

test('forged, foreign, expired and unapproved statements register nothing, and leave no event (RFC 7591 §3.2.2, decision 46)', async () => {
  const now = Math.floor(Date.now() / 1000);
  const valid = signedJwt(KEY, CLAIMS);
  const [head = '', , signature = ''] = valid.split('.');
  const changed = Buffer.from(JSON.stringify({ ...CLAIMS, scope: 'admin' })).toString('base64url');
  const rows: readonly (readonly [statement: string, error: string])[] = [
    [`${head}.${changed}.${signature}`, 'invalid_software_statement'],
    [signedJwt(QUIET_KEY, CLAIMS), 'invalid_software_statement'],
    [signedJwt(testKey('ES256', 'publisher-1'), CLAIMS), 'invalid_software_statement'],
    [signedJwt(KEY, { ...CLAIMS, exp: now - 3600 }), 'invalid_software_statement'],
    [signedJwt(KEY, { ...CLAIMS, nbf: now + 3600 }), 'invalid_software_statement'],
    [signedJwt(KEY, { ...CLAIMS, iss: 'https://stranger.example' }), 'unapproved_software_statement'],
    [signedJwt(KEY, { ...CLAIMS, software_id: 'unknown' }), 'unapproved_software_statement'],
  ];
  const count = async (): Promise<number> => {
    const bearer = program.masterToken;
    const { text } = await call(program, { method: 'GET', path: '/clients', bearer });
    return (JSON.parse(text) as readonly unknown[]).length;
  };
  const before = await count();
  // Its event is stored with it, behind those of everything above.
  assert.equal((await ask(program, { redirect_uris: REDIRECT_URIS })).status, 201);
  const last = (await auditRowsOnceThere(program, 0, 1)).at(-1)?.sequence ?? 0;
  for (const [software_statement, error] of rows) {
    assertRefused(await anonymously({ software_statement }), 400, error);
  }
  const events = await auditRowsOnceThere(program, last, 0);
  assert.deepEqual(
    events.filter(({ outcome }) => outcome === 'refused'),
    [],
  );
  assert.equal(await count(), before + 1);
});

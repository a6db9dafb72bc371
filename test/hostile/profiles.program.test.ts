import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { ClientId } from '../../src/spec/identifiers.ts';
import type { Fields } from '../program/code-request.ts';
import { attackedProgram } from './attacked-program.ts';
import { testInvariantsAtTheEnd } from './closing-tests.ts';
import {
  type Accounts,
  accountsBeside,
  answered,
  authorizeUrl,
  browserAt,
  CALLBACK,
  call,
  type Registered,
  redeem,
  register,
  through,
} from './sign-in-world.ts';

/** A server with the profile for MCP, whose rules contain those of `oauth-2.1`, as attackers and old clients see it. */
const ADA = { username: 'ada', password: 'correct horse canary' };
const API = 'https://mcp.example/mcp';
const EVERYTHING = {
  grant_types: ['authorization_code', 'refresh_token'],
  scope: 'openid mcp:read',
  client_name: 'Old',
};
let accounts: Accounts;
let client: Registered;
const attacked = attackedProgram(
  { environment: { CHANCERY_PROFILE: 'mcp', CHANCERY_REGISTRATION_OPEN_SCOPE_VALUES: 'mcp:read' } },
  async ({ program, secrets }) => {
    accounts = await accountsBeside(program);
    await accounts.add(ADA);
    secrets.add(ADA.password);
    client = await register(program, EVERYTHING);
  },
);
after(async () => await accounts.close());

async function reply(change: Fields, as = client): Promise<Readonly<Record<string, string>>> {
  const { program } = attacked;
  return answered(await through(browserAt(program), authorizeUrl(program, as, change), ADA));
}

/** Metadata as a client has it that registered before the profile was switched on. */
async function asBefore(metadata: object): Promise<Registered> {
  const made = await register(attacked.program, EVERYTHING);
  const stored = await accounts.tenant.clients.find(made.client_id as ClientId);
  assert.ok(stored);
  const before = { ...(JSON.parse(stored.metadata) as object), ...metadata };
  const changed = { ...stored, version: stored.version + 1, metadata: JSON.stringify(before) };
  assert.equal(await accounts.tenant.clients.replace(changed, stored.version), 'done');
  return made;
}

const NO_PROOF: readonly (readonly [what: string, change: Fields])[] = [
  ['no code_challenge', { code_challenge: undefined, code_challenge_method: undefined }],
  ['a method without a challenge', { code_challenge: undefined }],
  ['the method plain', { code_challenge_method: 'plain' }],
  ['a challenge without a method, which means plain', { code_challenge_method: undefined }],
];

for (const [what, change] of NO_PROOF) {
  test(`H-381 ${what}: invalid_request for a confidential client, in an address and pushed (RFC 9700 §2.1.1)`, async () => {
    const given = await reply({ ...change, resource: API });
    assert.equal(given['error'], 'invalid_request');
    assert.equal(given['code'], undefined);
    const pushed = await call(attacked.program, '/par', client, {
      response_type: 'code',
      redirect_uri: CALLBACK,
      scope: 'openid',
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
      ...change,
    });
    assert.deepEqual([pushed.status, pushed.json['error']], [400, 'invalid_request']);
  });
}

test('H-382 the password grant is unsupported_grant_type, whatever the client registered (RFC 9700 §2.4)', async () => {
  const old = await asBefore({ grant_types: ['password', 'refresh_token'], response_types: [] });
  const { status, json } = await call(attacked.program, '/token', old, {
    grant_type: 'password',
    ...ADA,
    resource: API,
  });
  assert.deepEqual([status, json['error']], [400, 'unsupported_grant_type']);
});

for (const response_type of ['token', 'id_token', 'id_token token', 'code token', 'code id_token token']) {
  test(`H-382 response_type ${response_type}: an error and no token in the address (RFC 9700 §2.1.2)`, async () => {
    const old = await asBefore({
      grant_types: ['authorization_code', 'implicit'],
      response_types: [response_type],
    });
    const given = await reply({ response_type, resource: API }, old);
    assert.equal(given['error'], 'unsupported_response_type');
    assert.equal(given['access_token'] ?? given['id_token'] ?? given['code'], undefined);
  });
}

test('H-383 a request for scope of another server without resource is invalid_target, and gives no code (RFC 8707 §2)', async () => {
  const given = await reply({ scope: 'openid mcp:read' });
  assert.equal(given['error'], 'invalid_target');
  assert.equal(given['code'], undefined);
});

test('H-383 a token request cannot add a resource that the end-user never saw, and a refresh cannot change it', async () => {
  const { program } = attacked;
  const { code: own } = await reply({ scope: 'openid' });
  const added = await redeem(program, client, own, { resource: API });
  assert.deepEqual([added.status, added.json['error']], [400, 'invalid_target']);
  const { code } = await reply({ scope: 'mcp:read', resource: API });
  const first = await redeem(program, client, code);
  assert.equal(first.status, 200);
  const other = await call(program, '/token', client, {
    grant_type: 'refresh_token',
    refresh_token: String(first.json['refresh_token']),
    resource: 'https://other.example/',
  });
  assert.deepEqual([other.status, other.json['error']], [400, 'invalid_target']);
});

test('H-388 the credentials of a client that is gone: the bytes of a wrong secret, with a hint, and a page without redirect', async () => {
  const { program } = attacked;
  const answer = await fetch(`${program.url}/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ redirect_uris: [CALLBACK] }),
  });
  assert.equal(answer.status, 201);
  const gone = (await answer.json()) as Registered;
  const stored = await accounts.tenant.clients.find(gone.client_id as ClientId);
  assert.ok(stored);
  await fetch(`${program.url}/clients/${gone.client_id}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${gone.registration_access_token}` },
  });
  const form = { grant_type: 'authorization_code', code: 'x' };
  const refused = await call(program, '/token', gone, form);
  const wrong = await call(program, '/token', { ...client, client_secret: 'wrong' }, form);
  assert.deepEqual(refused, wrong);
  assert.equal(refused.status, 401);
  assert.match(String(refused.json['error_description']), /can register again$/);
  const page = await browserAt(program).visit(authorizeUrl(program, gone));
  assert.deepEqual([page.status, page.location], [400, undefined]);
  assert.match(page.html, /does not know the application/);
});

testInvariantsAtTheEnd(attacked);

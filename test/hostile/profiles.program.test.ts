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
  type Called,
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

const OPEN = { redirect_uris: [CALLBACK] };

/** A registration or an update without more rights than anyone has. */
async function submitted(path: string, metadata: object, bearer?: string): Promise<Called> {
  const answer = await fetch(`${attacked.program.url}${path}`, {
    method: bearer === undefined ? 'POST' : 'PUT',
    headers: {
      'content-type': 'application/json',
      ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
    },
    body: JSON.stringify({ ...OPEN, ...metadata }),
  });
  return { status: answer.status, json: (await answer.json()) as Called['json'] };
}

test('H-731 without a token, grants that need one are dropped beside authorization_code only, and stay out of reach', async () => {
  const grant = 'client_credentials';
  for (const grant_types of [[grant], [grant, 'refresh_token'], ['implicit', grant]]) {
    const { status, json } = await submitted('/register', { grant_types });
    assert.deepEqual([status, json['error']], [401, 'invalid_token'], grant_types.join());
  }
  const grant_types = [grant, 'authorization_code'];
  for (const member of [{ scope: 'admin' }, { data: { a: 1 } }, { preferred_client_id: 'mine' }]) {
    const { status } = await submitted('/register', { ...member, grant_types });
    assert.equal(status, 401, JSON.stringify(member));
  }
  const made = await submitted('/register', { grant_types });
  assert.deepEqual([made.status, made.json['grant_types']], [201, ['authorization_code']]);
  const as = made.json as unknown as Registered;
  const used = await call(attacked.program, '/token', as, { grant_type: grant, resource: API });
  assert.deepEqual([used.status, used.json['error']], [400, 'unauthorized_client']);
  const { client_id } = as;
  const wider = await submitted(
    `/clients/${client_id}`,
    { client_id, grant_types },
    as.registration_access_token,
  );
  assert.deepEqual([wider.status, wider.json['error']], [403, 'insufficient_scope']);
});

test('H-733 without a token, the scope of OpenID Connect may be registered, nothing beside it, and no update adds to it', async () => {
  for (const scope of [
    'openid admin',
    'openid admin:clients:read',
    'OPENID',
    'openid:admin',
    'openid\tprofile',
  ]) {
    const { status } = await submitted('/register', { scope });
    assert.equal(status, scope.includes('\t') ? 400 : 401, scope);
  }
  const { status, json } = await submitted('/register', { scope: 'openid' });
  assert.deepEqual([status, json['scope']], [201, 'openid']);
  const { client_id, registration_access_token } = json as unknown as Registered;
  const wider = await submitted(
    `/clients/${client_id}`,
    { client_id, scope: 'openid email' },
    registration_access_token,
  );
  assert.deepEqual([wider.status, wider.json['error']], [403, 'insufficient_scope']);
});

test('H-732 HTTP Basic without a password names a public client and proves nothing', async () => {
  const { program } = attacked;
  const nameless = { ...client, client_secret: '' };
  const publicClient = async () =>
    await register(program, { ...EVERYTHING, token_endpoint_auth_method: 'none' });
  const [own, other] = [await publicClient(), await publicClient()];
  const named = { ...own, client_secret: '' };
  const { code } = await reply({ resource: API }, other);
  const stolen = await redeem(program, named, code, { resource: API });
  assert.deepEqual([stolen.status, stolen.json['error']], [400, 'invalid_grant']);
  const { code: mine } = await reply({ resource: API }, own);
  const { status, json } = await redeem(program, named, mine, { resource: API });
  assert.equal(status, 200);
  const token = String(json['access_token']);
  const mixed = await call(program, '/token/revoke', named, { token, client_secret: 'x' });
  assert.deepEqual([mixed.status, mixed.json['error']], [400, 'invalid_request']);
  for (const [path, as] of [
    ['/token', nameless],
    ['/token/revoke', nameless],
    ['/token/introspect', nameless],
    ['/token/introspect', named],
    ['/token/revoke', { ...own, client_secret: 'guess' }],
    ['/token/revoke', { ...client, client_id: 'nobody', client_secret: '' }],
  ] as const) {
    const refused = await call(program, path, as, { token, grant_type: 'authorization_code', code });
    assert.deepEqual([refused.status, refused.json['error']], [401, 'invalid_client'], path);
  }
});

testInvariantsAtTheEnd(attacked);

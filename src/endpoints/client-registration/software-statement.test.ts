import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ConfiguredStatementIssuer } from '../../config/software-statement-issuers.ts';
import { assertBusy, busyOutbound } from '../../testing/busy-outbound.ts';
import {
  type Answer,
  assertBearerNeeded,
  assertError,
  assertInvalidToken,
  assertMissingScopes,
  type TestRequest,
} from '../../testing/exchange.ts';
import { signedJwt, testKey } from '../../testing/jwt.ts';
import {
  CALLBACK,
  clientInformationOf,
  MASTER,
  SERVICE,
  START,
  type TestTenant,
  type TestTenantOptions,
  testTenant,
  WEB_CLIENT,
} from '../../testing/tenant.ts';

const PUBLISHER = 'https://publisher.example';

const GATEKEEPER = 'https://gatekeeper.example';

const KEY = testKey('ES256', 'p1');

/** Two trusted issuers. A statement of the second one permits a registration without a token. */
const ISSUERS: readonly ConfiguredStatementIssuer[] = [
  { issuer: PUBLISHER, jwks: { keys: [KEY.jwk] }, 'authorises-registration': false },
  {
    issuer: GATEKEEPER,
    jwks: { keys: [KEY.jwk] },
    'authorises-registration': true,
    'approved-software-ids': ['app'],
  },
];

interface StatementTenant {
  readonly tenant: TestTenant;
  readonly register: (request: TestRequest) => Promise<Answer>;
  readonly update: (request: TestRequest) => Promise<Answer>;
  /** The audit as the log has it: written when it happens. */
  readonly audited: () => readonly string[];
}

function statementTenant(
  { settings, ...options }: TestTenantOptions = {},
  issuers: readonly ConfiguredStatementIssuer[] = ISSUERS,
): StatementTenant {
  const tenant = testTenant({
    ...options,
    settings: { 'registration.software-statement-issuers': [...issuers], ...settings },
  });
  return {
    tenant,
    register: async (request) => await tenant.send('client-registration', request),
    update: async (request) => await tenant.send('client-update', request),
    audited: () =>
      tenant.log
        .filter(({ message }) => message === 'audit')
        .map(({ members: { action, actor, outcome, detail } }) =>
          [action, actor, outcome, detail].map(String).join(' '),
        ),
  };
}

const stated = (claims: object, iss = PUBLISHER): string => signedJwt(KEY, { iss, ...claims });

// proves rfc7591-3.2.1-5
test('a statement wins over the request, and comes back unmodified at registration and on reading (RFC 7591 §3.1.1, §3.2.1)', async () => {
  const { tenant, register } = statementTenant();
  const software_statement = stated({ client_name: 'Stated', software_id: 'app', redirect_uris: [CALLBACK] });
  const json = { client_name: 'Sent', redirect_uris: ['https://evil.example/cb'], software_statement };
  const answered = await register({ bearer: MASTER, json });
  assert.equal(answered.status, 200, answered.body);
  assert.equal(answered.json['client_name'], 'Stated');
  assert.deepEqual(answered.json['redirect_uris'], [CALLBACK]);
  assert.equal(answered.json['software_statement'], software_statement);
  assert.equal(answered.json['iss'], undefined);
  const { client_id: id, registration_access_token: bearer } = clientInformationOf(answered);
  const read = await tenant.send('client-read', { id, bearer });
  assert.equal(read.json['software_statement'], software_statement);
  assert.equal(read.json['client_name'], 'Stated');
});

// proves rfc7591-3.1.1-2
test('without trusted issuers the member is ignored, whatever it is (RFC 7591 §3.1.1)', async () => {
  const tenant = testTenant();
  for (const software_statement of [stated({ client_name: 'Stated' }), 'junk', 7, null]) {
    const json = { ...WEB_CLIENT, client_name: 'Sent', software_statement };
    const answered = await tenant.send('client-registration', { bearer: MASTER, json });
    assert.equal(answered.status, 200, answered.body);
    assert.equal(answered.json['client_name'], 'Sent');
    assert.equal('software_statement' in answered.json, false);
  }
});

const UNUSABLE: readonly (readonly [name: string, statement: unknown, code: string])[] = [
  ['not a JWT', 'junk', 'invalid_software_statement'],
  ['a number', 1, 'invalid_software_statement'],
  ['alg none', signedJwt(KEY, { iss: PUBLISHER }, { alg: 'none' }), 'invalid_software_statement'],
  ['forged', signedJwt(testKey('ES256', 'p1'), { iss: PUBLISHER }), 'invalid_software_statement'],
  ['expired', stated({ exp: START - 60 }), 'invalid_software_statement'],
  ['for another audience', stated({ aud: 'https://other.example' }), 'invalid_software_statement'],
  ['more than 8 KB', 'x'.repeat(8193), 'invalid_software_statement'],
  ['of a stranger', stated({}, 'https://stranger.example'), 'unapproved_software_statement'],
  ['about other software', stated({ software_id: 'other' }, GATEKEEPER), 'unapproved_software_statement'],
];

for (const [name, software_statement, code] of UNUSABLE) {
  // proves rfc7591-3.2.2-4
  test(`a statement that is ${name}: 400 ${code}, nothing is stored, and the initial access token stays usable (RFC 7591 §3.2.2; decision 7)`, async () => {
    const { tenant, register, audited } = statementTenant();
    const bearer = await tenant.initialToken('client-reg');
    assertError(await register({ bearer, json: { ...WEB_CLIENT, software_statement } }), code);
    assert.equal((await tenant.unwatched.clients.page(undefined, 10)).length, 0);
    assert.equal(audited().at(-1)?.endsWith(`refused ${code}`), true);
    assert.equal((await register({ bearer, json: WEB_CLIENT })).status, 200);
  });
}

test('what a statement says is held to the same rules as any request (decision 8)', async () => {
  const { register } = statementTenant();
  const sent = async (claims: object) =>
    await register({ bearer: MASTER, json: { ...WEB_CLIENT, software_statement: stated(claims) } });
  assertError(await sent({ redirect_uris: ['javascript:alert(1)'] }), 'invalid_redirect_uri');
  assertError(await sent({ grant_types: ['telepathy'] }), 'invalid_client_metadata');
  assertError(await sent({ jwks: { keys: [{ kty: 'oct', k: 'AAAA' }] } }), 'invalid_client_metadata');
});

test('managed mode, no token, a statement whose issuer authorises: registered, in the name of the issuer', async () => {
  const { tenant, register, audited } = statementTenant();
  const claims = { software_id: 'app', grant_types: ['client_credentials'], scope: 'read write' };
  const answered = await register({ json: { software_statement: stated(claims, GATEKEEPER) } });
  assert.equal(answered.status, 200, answered.body);
  assert.deepEqual(answered.json['grant_types'], ['client_credentials']);
  assert.equal(answered.json['scope'], 'read write');
  const [client] = await tenant.unwatched.clients.page(undefined, 1);
  assert.equal(client?.registered_via, `statement:${GATEKEEPER}`);
  assert.deepEqual(audited(), [`client.create statement:${GATEKEEPER} done null`]);
});

test('managed mode, no token, and no statement or one that does not authorise: 401 with the bare challenge (decision 6)', async () => {
  const { register } = statementTenant();
  assertBearerNeeded(await register({ json: WEB_CLIENT }));
  assertBearerNeeded(await register({ json: { ...WEB_CLIENT, software_statement: stated({}) } }));
});

test('where no issuer authorises, 401 comes before the statement is looked at (order of the interface)', async () => {
  const { register } = statementTenant({}, ISSUERS.slice(0, 1));
  assertBearerNeeded(await register({ json: { ...WEB_CLIENT, software_statement: 'junk' } }));
  assertBearerNeeded(await register({ body: '{' }));
});

// proves rfc7591-5-3
test('an authorising statement permits what is in it and no more: 401 for the rest (decision 6)', async () => {
  const { register } = statementTenant();
  const software_statement = stated({ software_id: 'app', redirect_uris: [CALLBACK] }, GATEKEEPER);
  for (const more of [
    { grant_types: ['client_credentials'] },
    { scope: 'read' },
    { data: {} },
    { preferred_client_id: 'app' },
    { preferred_client_secret: 'a-secret-of-32-printable-letters' },
  ]) {
    assertBearerNeeded(await register({ json: { ...more, software_statement } }));
  }
  assert.equal((await register({ json: { software_statement } })).status, 200);
});

test('in open mode an authorising statement permits more than is open', async () => {
  const { register } = statementTenant({ settings: { 'registration.allow-open-registration': true } });
  const claims = { software_id: 'app', ...SERVICE };
  assertBearerNeeded(await register({ json: { software_statement: stated(claims) } }));
  assert.equal((await register({ json: { software_statement: stated(claims, GATEKEEPER) } })).status, 200);
});

test('a token that is presented is the measure, with a statement as without (decision 6)', async () => {
  const { tenant, register } = statementTenant();
  const json = { software_statement: stated({ software_id: 'app', ...SERVICE }, GATEKEEPER) };
  const bearer = await tenant.initialToken('client-reg:grant:code');
  assertMissingScopes(await register({ bearer, json }), 'client-reg:grant:client');
  assertInvalidToken(await register({ bearer: 'nobody', json }));
});

test('a dry run shows what the statement comes to, and stores nothing', async () => {
  const { tenant, register } = statementTenant();
  const software_statement = stated({ software_id: 'app', ...SERVICE }, GATEKEEPER);
  const answered = await register({ query: 'dry_run=true', json: { software_statement } });
  assert.equal(answered.status, 200, answered.body);
  assert.deepEqual(answered.json['missing_scopes'], []);
  const { metadata } = answered.json as { metadata: Record<string, unknown> };
  assert.equal(metadata['software_statement'], software_statement);
  assert.deepEqual(metadata['grant_types'], ['client_credentials']);
  assert.equal((await tenant.unwatched.clients.page(undefined, 1)).length, 0);
});

test('PUT with a statement: it wins again; PUT without one drops the old one (RFC 7592 §2.2)', async () => {
  const { register, update } = statementTenant();
  const first = stated({ client_name: 'Stated', logo_uri: 'https://client.example/1.png' });
  const json = { ...WEB_CLIENT, software_statement: first };
  const client = clientInformationOf(await register({ bearer: MASTER, json }));
  const second = stated({ client_name: 'Stated anew' });
  const updated = await update({
    id: client.client_id,
    bearer: client.registration_access_token,
    json: { ...WEB_CLIENT, client_name: 'Sent', software_statement: second },
  });
  assert.equal(updated.status, 200, updated.body);
  assert.equal(updated.json['client_name'], 'Stated anew');
  assert.equal(updated.json['logo_uri'], undefined);
  assert.equal(updated.json['software_statement'], second);
  const bearer = clientInformationOf(updated).registration_access_token;
  const plain = await update({ id: client.client_id, bearer, json: WEB_CLIENT });
  assert.equal(plain.status, 200, plain.body);
  assert.equal('client_name' in plain.json, false);
  assert.equal('software_statement' in plain.json, false);
});

test('PUT with a bad statement: 400, and the registration with its token stays as it is (RFC 7592 §2.2)', async () => {
  const { tenant, register, update } = statementTenant();
  const registered = await register({ bearer: MASTER, json: { ...WEB_CLIENT, client_name: 'First' } });
  const { client_id: id, registration_access_token: bearer, members } = clientInformationOf(registered);
  const json = { ...WEB_CLIENT, software_statement: stated({}, 'https://stranger.example') };
  assertError(await update({ id, bearer, json }), 'unapproved_software_statement');
  assert.deepEqual((await tenant.send('client-read', { id, bearer })).json, members);
});

test('PUT: a client cannot widen itself by a statement, unless its issuer authorises registrations (decision 8)', async () => {
  const { register, update } = statementTenant();
  const software_statement = stated({ software_id: 'app', redirect_uris: [CALLBACK] }, GATEKEEPER);
  const client = clientInformationOf(await register({ json: { software_statement } }));
  const request = { id: client.client_id, bearer: client.registration_access_token };
  const wider = { ...SERVICE, software_id: 'app', redirect_uris: [] };
  assertMissingScopes(await update({ ...request, json: wider }), 'client-reg:grant:client');
  const plain = { software_statement: stated(wider) };
  assertMissingScopes(await update({ ...request, json: plain }), 'client-reg:grant:client');
  const authorising = { software_statement: stated(wider, GATEKEEPER) };
  const updated = await update({ ...request, json: authorising });
  assert.equal(updated.status, 200, updated.body);
  assert.deepEqual(updated.json['grant_types'], ['client_credentials']);
});

test('PUT: a client_id in the statement is not the one that the request may name (RFC 7592 §2.2)', async () => {
  const { register, update } = statementTenant();
  const client = clientInformationOf(await register({ bearer: MASTER, json: WEB_CLIENT }));
  const json = { ...WEB_CLIENT, software_statement: stated({ client_id: 'other' }) };
  const updated = await update({ id: client.client_id, bearer: client.registration_access_token, json });
  assert.equal(updated.status, 200, updated.body);
  assert.equal(updated.json['client_id'], client.client_id);
});

test('503 with Retry-After while the server is too busy to fetch the keys of an issuer of statements (decision 50)', async () => {
  const { outbound, causes } = busyOutbound();
  const jwks_uri = `${PUBLISHER}/jwks.json`;
  const issuer = { issuer: PUBLISHER, 'jwks-uri': jwks_uri, 'authorises-registration': false };
  const { register } = statementTenant({ outbound }, [issuer]);
  const software_statement = stated({ client_name: 'App' });
  const json = { ...SERVICE, software_statement };
  assertBusy(await register({ bearer: MASTER, json, from: '198.51.100.7' }));
  assert.deepEqual(causes, [{ purpose: 'trusted-issuers', remoteAddress: '198.51.100.7' }]);
});

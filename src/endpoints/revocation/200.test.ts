import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, assertUncached } from '../../testing/exchange.ts';
import { SERVICE, type TestTenant, testTenant, WEB_CLIENT } from '../../testing/tenant.ts';

const INACTIVE = { active: false };

/** RFC 7009 §2.2: 200, and nothing that a client would have to read. */
function assertRevoked(answered: Answer): void {
  assert.equal(answered.status, 200, answered.body);
  assert.equal(answered.body, '');
  assert.equal(answered.headers['content-type'], undefined);
  assertUncached(answered);
}

interface Owner {
  readonly basic: readonly [id: string, secret: string];
  readonly token: () => Promise<string>;
}

async function ownerOf(tenant: TestTenant): Promise<Owner> {
  const { client_id, client_secret } = await tenant.register({ ...SERVICE, scope: 'read' });
  const basic = [client_id, client_secret] as const;
  const form = { grant_type: 'client_credentials' };
  return {
    basic,
    token: async () => String((await tenant.send('token', { basic, form })).json['access_token']),
  };
}

// proves rfc7009-2-1
test('POST /token/revoke: 200, and the very next introspection says inactive; tokens beside it stay (RFC 7009 §2)', async () => {
  const tenant = testTenant();
  const { basic, token } = await ownerOf(tenant);
  const [revoked, kept] = [await token(), await token()];
  assert.equal((await tenant.introspect(revoked))['active'], true);
  assertRevoked(await tenant.send('revocation', { basic, form: { token: revoked } }));
  assert.deepEqual(await tenant.introspect(revoked), INACTIVE);
  assert.equal((await tenant.introspect(kept))['active'], true);
});

// proves rfc7009-2.2-1
test('a token that was revoked, was never issued, or has expired: 200 (RFC 7009 §2.2)', async () => {
  const tenant = testTenant();
  const { basic, token } = await ownerOf(tenant);
  const [revoked, expired] = [await token(), await token()];
  await tenant.send('revocation', { basic, form: { token: revoked } });
  tenant.clock.advance(600);
  for (const nothing of [revoked, expired, 'x', 'a.b.c', 'eyJhbGciOiJub25lIn0.e30.', `${revoked}x`]) {
    assertRevoked(await tenant.send('revocation', { basic, form: { token: nothing } }));
  }
});

for (const token_type_hint of ['access_token', 'refresh_token', 'id_token', 'nonsense', '']) {
  // proves rfc7009-2.1-1
  test(`token_type_hint=${token_type_hint} changes nothing (RFC 7009 §2.1)`, async () => {
    const tenant = testTenant();
    const { basic, token } = await ownerOf(tenant);
    const revoked = await token();
    assertRevoked(await tenant.send('revocation', { basic, form: { token: revoked, token_type_hint } }));
    assert.deepEqual(await tenant.introspect(revoked), INACTIVE);
  });
}

// proves rfc7009-2.1-2
test('a public client says who it is and ends its own token (RFC 7009 §2.1; RFC 6749 §3.2.1)', async () => {
  const tenant = testTenant();
  const { client_id } = await tenant.register({ ...WEB_CLIENT, token_endpoint_auth_method: 'none' });
  const token = await tenant.authorize({ sub: 'alice', client_id, scope: ['read'] });
  assertRevoked(await tenant.send('revocation', { form: { token, client_id } }));
  assert.deepEqual(await tenant.introspect(token), INACTIVE);
});

test('a confidential client may authenticate in the body', async () => {
  const tenant = testTenant();
  const { client_id, client_secret } = await tenant.register({
    ...SERVICE,
    token_endpoint_auth_method: 'client_secret_post',
  });
  const token = await tenant.authorize({ client_id, scope: ['read'] });
  assertRevoked(await tenant.send('revocation', { form: { token, client_id, client_secret } }));
  assert.deepEqual(await tenant.introspect(token), INACTIVE);
});

test('an initial access token that its client ends registers nobody', async () => {
  const tenant = testTenant();
  const { basic } = await ownerOf(tenant);
  const token = await tenant.authorize({ client_id: basic[0], scope: ['client-reg'] });
  assertRevoked(await tenant.send('revocation', { basic, form: { token } }));
  assert.equal((await tenant.send('client-registration', { bearer: token, json: WEB_CLIENT })).status, 401);
});

test('the audit says who revoked what: a token, and a grant by its refresh token', async () => {
  const tenant = testTenant();
  const { basic, token } = await ownerOf(tenant);
  await tenant.send('revocation', { basic, form: { token: await token() } });
  await tenant.send('revocation', { basic, form: { token: 'nothing' } });
  const events = (await tenant.storage.audit.page(0, 100)).filter(({ action }) => action === 'token.revoke');
  assert.deepEqual(
    events.map(({ actor, client_id, detail }) => [actor, client_id, detail]),
    [[`client:${basic[0]}`, basic[0], null]],
  );
});

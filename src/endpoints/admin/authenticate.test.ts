import assert from 'node:assert/strict';
import { test } from 'node:test';
import { selfSigned } from '../../../test/tls/certificate.ts';
import { assertProblem } from '../../testing/admin-operations.ts';
import { registerAsOperator } from '../../testing/administration.ts';
import { shown } from '../../testing/certificate.ts';
import { dpopKey } from '../../testing/dpop.ts';
import type { TestRequest } from '../../testing/exchange.ts';
import { ADMIN, DIRECT, ISSUER, MASTER, SERVICE, type TestTenant, testTenant } from '../../testing/tenant.ts';

const SCOPE = 'admin:keys:read';
const RESOURCE = 'https://rs.example/api';

/** An access token of a client that is registered for the scope. */
async function tokenFor(
  tenant: TestTenant,
  form: Readonly<Record<string, string>> = {},
  { metadata = {}, request = {} }: { readonly metadata?: object; readonly request?: TestRequest } = {},
): Promise<string> {
  const client = await registerAsOperator(tenant, { ...SERVICE, scope: SCOPE, ...metadata });
  const { json, body } = await tenant.send('token', {
    basic: [client.client_id, client.client_secret],
    form: { grant_type: 'client_credentials', scope: SCOPE, ...form },
    ...request,
  });
  assert.equal(typeof json['access_token'], 'string', body);
  return String(json['access_token']);
}

test('H-499 a token for another resource server opens nothing here, and one for this server does, in both formats (RFC 9068 §4)', async () => {
  for (const format of ['identifier', 'self-contained'] as const) {
    const tenant = testTenant({ settings: { 'access-token.format': format } });
    for (const form of [{}, { resource: ISSUER }]) {
      const bearer = await tokenFor(tenant, form);
      assert.equal((await tenant.send('admin-key-list', { bearer })).status, 200);
    }
    const bearer = await tokenFor(tenant, { resource: RESOURCE });
    const refused = await tenant.send('admin-key-list', { bearer });
    assertProblem(refused, 401, 'invalid_token');
    assert.match(refused.headers['www-authenticate'] ?? '', /error="invalid_token"/u);
  }
});

test('H-498 a token that is bound to a certificate opens nothing without that certificate (RFC 8705 §3)', async () => {
  const tenant = testTenant({ certificateAuthorities: [] });
  const [own, other] = [selfSigned(), selfSigned()];
  const metadata = {
    token_endpoint_auth_method: 'client_secret_basic',
    tls_client_certificate_bound_access_tokens: true,
  };
  const bearer = await tokenFor(tenant, {}, { metadata, request: { certificate: shown(own) } });
  const asked = async (request: TestRequest): Promise<number> =>
    (await tenant.send('admin-key-list', { bearer, ...request })).status;
  assert.deepEqual(
    [await asked({}), await asked({ certificate: shown(other) }), await asked({ certificate: shown(own) })],
    [401, 401, 200],
  );
});

test('H-498 a token that is bound to a key by DPoP is no bearer token (RFC 9449 §7.2)', async () => {
  const tenant = testTenant();
  const proof = dpopKey().proof({ method: 'POST', address: `${ISSUER}/token`, now: tenant.clock.now() });
  const bearer = await tokenFor(tenant, {}, { request: { headers: { dpop: proof } } });
  assertProblem(await tenant.send('admin-key-list', { bearer }), 401, 'invalid_token');
});

test('only the break-glass token itself opens the administration: no other master token, and no other spelling', async () => {
  const tenant = testTenant();
  for (const bearer of [MASTER, DIRECT, `${ADMIN}x`, ADMIN.toUpperCase(), ADMIN.slice(1)])
    assertProblem(await tenant.send('admin-key-list', { bearer }), 401, 'invalid_token');
  const closed = testTenant({ settings: { 'admin.token-sha256': [] } });
  assertProblem(await closed.send('admin-key-list', { bearer: ADMIN }), 401, 'invalid_token');
  assert.equal((await tenant.send('admin-key-list', { bearer: ADMIN })).status, 200);
});

test('admin.listeners: none has no operation, management has them there alone, both has them below the issuer too', async () => {
  const names = async (listeners: 'none' | 'management' | 'both'): Promise<readonly boolean[]> => {
    const tenant = testTenant({ settings: { 'admin.listeners': listeners } });
    const sites = [await tenant.site(), await tenant.managementSite()];
    return sites.map(({ endpoints }) => endpoints.some(({ contract }) => contract.name === 'admin-key-list'));
  };
  assert.deepEqual(await names('none'), [false, false]);
  assert.deepEqual(await names('management'), [false, true]);
  assert.deepEqual(await names('both'), [true, true]);
});

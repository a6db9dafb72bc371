import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ADMIN_SCOPES } from '../../spec/admin-scopes.ts';
import { protectedResourceUrl } from '../../spec/protected-resource.ts';
import { ADMIN, ISSUER, SERVICE, testTenant } from '../../testing/tenant.ts';

const USERINFO = 'protected-resource-userinfo';
const ADMINISTRATION = 'protected-resource-administration';

// proves rfc9728-2-1, rfc9728-3.2-1
test('200: the UserInfo endpoint says which server issues its tokens, and how it takes them (RFC 9728 §2)', async () => {
  const { status, headers, json } = await testTenant().send(USERINFO);
  assert.deepEqual([status, headers['content-type']], [200, 'application/json']);
  const { dpop_signing_alg_values_supported: algorithms, ...rest } = json;
  assert.ok((algorithms as readonly string[]).includes('ES256'));
  assert.deepEqual(rest, {
    resource: `${ISSUER}/userinfo`,
    authorization_servers: [ISSUER],
    scopes_supported: ['openid'],
    bearer_methods_supported: ['header', 'body'],
  });
});

test('200: without DPoP no algorithms are named, and with certificates bound tokens are', async () => {
  const settings = { 'dpop.enabled': false, 'listen.tls-client-certificates': 'optional' } as const;
  const { json } = await testTenant({ settings }).send(USERINFO);
  assert.equal('dpop_signing_alg_values_supported' in json, false);
  assert.equal(json['tls_client_certificate_bound_access_tokens'], true);
});

// proves rfc9728-3.1-1, rfc9728-3.3-1, rfc9728-5.1-1
test('the challenge of the UserInfo endpoint leads to its metadata, whose resource is the address that was asked (RFC 9728 §3.3)', async () => {
  const tenant = testTenant();
  const { headers } = await tenant.send('userinfo');
  const [, address = ''] = /resource_metadata="([^"]+)"/u.exec(headers['www-authenticate'] ?? '') ?? [];
  assert.equal(address, 'https://op.example.com/.well-known/oauth-protected-resource/c2/userinfo');
  const { endpointsOutsideIssuer = [] } = await tenant.site();
  const there = endpointsOutsideIssuer.find(({ contract }) => contract.path === new URL(address).pathname);
  assert.ok(there !== undefined);
  const { json } = await tenant.ask(there, {});
  assert.equal(json['resource'], `${ISSUER}/userinfo`);
  assert.equal(protectedResourceUrl(`${ISSUER}/userinfo`), address);
});

test('200: the administration has metadata where it stands on the main listener, and not elsewhere', async () => {
  const both = testTenant({ settings: { 'admin.listeners': 'both' } });
  const { status, json } = await both.send(ADMINISTRATION);
  assert.deepEqual(
    [status, json['resource'], json['scopes_supported']],
    [200, `${ISSUER}/admin/v1`, ADMIN_SCOPES],
  );
  const { endpoints } = await testTenant().site();
  assert.equal(
    endpoints.some(({ contract }) => contract.name === ADMINISTRATION),
    false,
  );
});

test('a token for the administration as a resource opens it; one for the UserInfo endpoint does not (RFC 8707 §2)', async () => {
  const tenant = testTenant({ settings: { 'admin.listeners': 'both' } });
  const scope = 'admin:keys:read';
  const { client_id, client_secret } = await tenant.register({ ...SERVICE });
  await tenant.send('admin-client-patch', {
    bearer: ADMIN,
    segments: { client_id },
    headers: { 'if-match': '*', 'content-type': 'application/merge-patch+json' },
    json: { metadata: { scope } },
  });
  const opened = async (resource: string): Promise<number> => {
    const { json } = await tenant.send('token', {
      basic: [client_id, client_secret],
      form: { grant_type: 'client_credentials', scope, resource },
    });
    return (await tenant.send('admin-key-list', { bearer: String(json['access_token']) })).status;
  };
  assert.equal(await opened(`${ISSUER}/admin/v1`), 200);
  assert.equal(await opened(`${ISSUER}/userinfo`), 401);
});

for (const name of [USERINFO, ADMINISTRATION])
  test(`500: a fault of ${name} has no body`, async () => {
    const tenant = testTenant({ settings: { 'admin.listeners': 'both' } });
    const broken = {
      ...(await tenant.endpoint(name)),
      handle: () => {
        throw new Error('broken');
      },
    };
    const { status, body } = await tenant.ask(broken, {});
    assert.deepEqual([status, body], [500, '']);
  });

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { clientInformationOf, MASTER, testTenant } from '../../src/testing/tenant.ts';

const EXAMPLES = join(import.meta.dirname, '../../examples/migrate');

type Members = Readonly<Record<string, unknown>>;

/** Returns the registrations that a program of `examples/migrate` makes of an export. */
function registrations(program: string, exported: unknown): readonly Members[] {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-migrate-'));
  try {
    const file = join(folder, 'export.json');
    writeFileSync(file, JSON.stringify(exported));
    execFileSync(process.execPath, [join(EXAMPLES, program), file, join(folder, 'clients')]);
    return readdirSync(join(folder, 'clients')).map(
      (name) => JSON.parse(readFileSync(join(folder, 'clients', name), 'utf8')) as Members,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const SECRET = '0f2c5f0e2c1e4a2b9d552f1f5d2a7c11';
const OF_KEYCLOAK = { protocol: 'openid-connect', enabled: true, clientAuthenticatorType: 'client-secret' };

test('examples/migrate: a client of a Keycloak export is registered with its identifier, secret and addresses', async () => {
  const shop = {
    ...OF_KEYCLOAK,
    clientId: 'shop',
    name: 'Shop',
    secret: SECRET,
    redirectUris: ['https://shop.example.com/callback'],
    standardFlowEnabled: true,
    attributes: { 'post.logout.redirect.uris': 'https://shop.example.com/##https://shop.example.com/bye' },
    defaultClientScopes: ['profile', 'email'],
  };
  const saml = { clientId: 'saml-app', protocol: 'saml', enabled: true };
  const disabled = { ...shop, clientId: 'off', enabled: false };
  const [json = {}, ...others] = registrations('from-keycloak.mjs', { clients: [shop, saml, disabled] });
  assert.deepEqual(others, []);
  const tenant = testTenant();
  const answered = await tenant.send('client-registration', { bearer: MASTER, json });
  assert.equal(answered.status, 200, answered.body);
  assert.equal(clientInformationOf(answered).client_secret, SECRET);
  const { client_id, scope, grant_types, post_logout_redirect_uris } = answered.json;
  assert.deepEqual(
    { client_id, scope, grant_types, post_logout_redirect_uris },
    {
      client_id: 'shop',
      scope: 'openid profile email',
      grant_types: ['authorization_code', 'refresh_token'],
      post_logout_redirect_uris: ['https://shop.example.com/', 'https://shop.example.com/bye'],
    },
  );
});

test('examples/migrate: asterisks of a Keycloak export are no secret, and a public client has none', () => {
  const service = { ...OF_KEYCLOAK, clientId: 'a', secret: '**********', serviceAccountsEnabled: true };
  const spa = { ...OF_KEYCLOAK, clientId: 'b', publicClient: true, standardFlowEnabled: true };
  const [first, second] = registrations('from-keycloak.mjs', { clients: [service, spa] });
  assert.equal(first?.['preferred_client_secret'], undefined);
  assert.deepEqual(first?.['grant_types'], ['client_credentials']);
  assert.equal(second?.['token_endpoint_auth_method'], 'none');
});

test('examples/migrate: a client of Hydra is registered with its identifier, audience and data', async () => {
  const reports = {
    client_id: '3f6b5a0e-9a1c-4c1e-8f6a-1b2c3d4e5f60',
    client_name: 'Reports',
    grant_types: ['client_credentials'],
    response_types: ['code'],
    scope: 'reports:read',
    audience: ['https://api.example.com'],
    owner: '',
    jwks: {},
    redirect_uris: null,
    client_secret_expires_at: 0,
    token_endpoint_auth_method: 'client_secret_basic',
    userinfo_signed_response_alg: 'none',
    metadata: { team: 'reports' },
    created_at: '2024-05-02T10:11:12Z',
    client_credentials_grant_access_token_lifespan: null,
    skip_consent: false,
  };
  const [json = {}] = registrations('from-hydra.mjs', [reports]);
  const answered = await testTenant().send('client-registration', { bearer: MASTER, json });
  assert.equal(answered.status, 200, answered.body);
  const { client_id, scope, data, chancery_access_token_audience } = answered.json;
  assert.deepEqual(
    { client_id, scope, data, chancery_access_token_audience },
    {
      client_id: reports.client_id,
      scope: 'reports:read',
      data: { team: 'reports' },
      chancery_access_token_audience: ['https://api.example.com'],
    },
  );
});

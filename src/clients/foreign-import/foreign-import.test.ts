import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoredClient } from '../../ports/client-store.ts';
import type { ClientId } from '../../spec/identifiers.ts';
import type { JsonValue } from '../../spec/json.ts';
import { ALL_PRIVILEGES } from '../../spec/registration-privileges.ts';
import { type TestTenant, testTenant } from '../../testing/tenant.ts';
import { type ForeignClient, type ForeignRegistry, withRedirectUris } from './foreign-client.ts';
import { type ForeignServer, foreignRegistry } from './foreign-formats.ts';
import { type ForeignOutcome, importForeignClient } from './import-foreign-client.ts';

const SECRET = 'a-secret-of-another-server-0123456789';

function registry(server: ForeignServer, content: JsonValue): ForeignRegistry {
  return foreignRegistry(server, content) ?? assert.fail(`no export of ${server}`);
}

function clientOf({ clients }: ForeignRegistry, id: string): ForeignClient {
  const found = clients.find(({ client_id }) => client_id === id);
  if (found === undefined || 'skipped' in found) assert.fail(JSON.stringify(found));
  return found;
}

async function bring(
  tenant: TestTenant,
  foreign: ForeignClient,
  more: { readonly dryRun?: boolean; readonly owner?: string } = {},
): Promise<ForeignOutcome> {
  const options = {
    registrant: { kind: 'master', name: 'cli', privileges: ALL_PRIVILEGES },
    owner: more.owner ?? null,
    dryRun: more.dryRun ?? false,
  } as const;
  const trail = { action: 'client.import', request_id: 'test', actor: 'cli', client_id: null } as const;
  return await importForeignClient(await tenant.registry(), foreign, options, { ...trail });
}

async function stored(tenant: TestTenant, id: string): Promise<StoredClient> {
  return (await tenant.storage.clients.find(id as ClientId)) ?? assert.fail(`no client ${id}`);
}

const metadataOf = ({ metadata }: StoredClient): Readonly<Record<string, unknown>> =>
  JSON.parse(metadata) as Record<string, unknown>;

/** A realm in the form of an export, with one client of each kind. */
const REALM: JsonValue = {
  realm: 'shop',
  roles: { realm: [{ name: 'admin' }], client: { web: [{ name: 'a' }, { name: 'b' }] } },
  groups: [{ name: 'g' }],
  clients: [
    {
      clientId: 'web',
      name: 'Shop',
      rootUrl: 'https://shop.example',
      baseUrl: '/home',
      redirectUris: ['/callback', 'https://shop.example/*', 'https://shop.example/other'],
      webOrigins: ['+'],
      protocol: 'openid-connect',
      enabled: true,
      publicClient: false,
      clientAuthenticatorType: 'client-secret',
      secret: SECRET,
      standardFlowEnabled: true,
      implicitFlowEnabled: false,
      directAccessGrantsEnabled: true,
      serviceAccountsEnabled: false,
      defaultClientScopes: ['web-origins', 'roles', 'email'],
      optionalClientScopes: ['phone'],
      attributes: {
        'post.logout.redirect.uris': 'https://shop.example/bye##https://shop.example/*',
        'backchannel.logout.url': 'https://shop.example/out',
        'backchannel.logout.session.required': 'true',
        'access.token.lifespan': '300',
        'pkce.code.challenge.method': 'S256',
        'client.session.idle.timeout': '600',
        'saml.assertion.signature': 'false',
        'oauth2.device.authorization.grant.enabled': 'true',
      },
      protocolMappers: [{ name: 'branch', protocolMapper: 'oidc-usermodel-attribute-mapper' }],
    },
    {
      clientId: 'jobs',
      protocol: 'openid-connect',
      publicClient: false,
      secret: '**********',
      standardFlowEnabled: false,
      serviceAccountsEnabled: true,
      attributes: {},
    },
    { clientId: 'spa', publicClient: true, redirectUris: ['https://spa.example/cb'], attributes: {} },
    { clientId: 'patterns', redirectUris: ['*'] },
    { clientId: 'account', redirectUris: ['/realms/shop/account/*'] },
    { clientId: 'saml-app', protocol: 'saml' },
    { clientId: 'api', bearerOnly: true },
    { clientId: 'old', enabled: false },
  ],
};

test('a realm export of Keycloak: clients with secret, addresses, grants, scope and attributes, and a report on the rest', async () => {
  const tenant = testTenant();
  const web = await bring(tenant, clientOf(registry('keycloak', REALM), 'web'));
  assert.equal(web.outcome, 'imported', web.refused.join());
  assert.ok(web.carried.includes('client_secret'));
  const client = await stored(tenant, 'web');
  const expected = {
    client_name: 'Shop',
    client_uri: 'https://shop.example/home',
    redirect_uris: ['https://shop.example/callback', 'https://shop.example/other'],
    post_logout_redirect_uris: ['https://shop.example/bye'],
    grant_types: ['authorization_code', 'password', 'refresh_token'],
    token_endpoint_auth_method: 'client_secret_basic',
    scope: 'openid email phone',
    backchannel_logout_uri: 'https://shop.example/out',
    backchannel_logout_session_required: true,
    chancery_access_token_lifetime: 300,
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(expected))
    assert.deepEqual(metadataOf(client)[name], value, name);
  const form = { grant_type: 'password', username: 'a', password: 'b' };
  const answered = await tenant.send('token', { basic: ['web', SECRET], form });
  assert.notEqual(answered.json['error'], 'invalid_client');
  const lost = web.lost.join('\n');
  for (const words of [
    /redirectUris https:\/\/shop.example\/\*: .*list each address/,
    /post.logout.redirect.uris https:\/\/shop.example\/\*/,
    /the attribute client.session.idle.timeout/,
    /device authorisation grant/,
    /1 protocol mappers: branch/,
  ])
    assert.match(lost, words);
  assert.doesNotMatch(lost, /saml/u);
  assert.match(web.changed.join('\n'), /left out web-origins roles/);
});

test('a realm export of Keycloak: a masked secret becomes a new one, and a client of patterns is refused until its addresses are listed', async () => {
  const tenant = testTenant();
  const read = registry('keycloak', REALM);
  const jobs = await bring(tenant, clientOf(read, 'jobs'));
  assert.equal(jobs.outcome, 'imported');
  assert.match(jobs.changed.join(), /asterisks.*new one/);
  assert.match(jobs.lost.join(), /roles of the service account/);
  assert.equal((await stored(tenant, 'jobs')).secrets.length, 1);
  const patterns = clientOf(read, 'patterns');
  const refused = await bring(tenant, patterns);
  assert.deepEqual([refused.outcome, refused.carried], ['refused', []]);
  assert.match(refused.refused.join(), /redirect_uris must have at least one value/);
  const listed = await bring(tenant, withRedirectUris(patterns, ['https://p.example/cb']));
  assert.equal(listed.outcome, 'imported');
  assert.doesNotMatch(listed.lost.join(), /redirectUris/);
});

test('a realm export of Keycloak: nothing is silently left out', () => {
  const { clients, lost } = registry('keycloak', REALM);
  const skipped = clients.flatMap((one) => ('skipped' in one ? [[one.client_id, one.skipped] as const] : []));
  assert.deepEqual(
    skipped.map(([id]) => id),
    ['account', 'saml-app', 'api', 'old'],
  );
  assert.match(skipped[1]?.[1] ?? '', /no SAML clients/);
  assert.deepEqual(lost, [
    'realm shop: not carried over: 1 roles of the realm, 2 roles of clients, 1 groups',
  ]);
  assert.equal(clientOf(registry('keycloak', [REALM]), 'spa').metadata['token_endpoint_auth_method'], 'none');
});

const HYDRA = {
  client_id: 'hydra-web',
  client_name: 'Hydra',
  client_secret: SECRET,
  redirect_uris: ['https://h.example/cb'],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code', 'id_token'],
  scope: 'openid offline photos.*',
  audience: ['https://api.example'],
  owner: 'team-a',
  metadata: { team: 'a' },
  contacts: null,
  jwks: {},
  token_endpoint_auth_method: 'client_secret_post',
  userinfo_signed_response_alg: 'none',
  access_token_strategy: 'jwt',
  skip_consent: true,
  allowed_cors_origins: [],
  created_at: '2024-01-02T03:04:05Z',
  authorization_code_grant_access_token_lifespan: '1h0m0s',
  refresh_token_grant_access_token_lifespan: null,
};

test('clients of Hydra: members of RFC 7591, audience, metadata, form and lifetime of tokens, and a report on the rest', async () => {
  const tenant = testTenant();
  for (const content of [[HYDRA], { items: [HYDRA], next_page_token: '' }, { clients: [HYDRA] }, HYDRA])
    assert.equal(clientOf(registry('hydra', content), 'hydra-web').client_secret, SECRET);
  const told = await bring(tenant, clientOf(registry('hydra', [HYDRA]), 'hydra-web'));
  assert.equal(told.outcome, 'imported', told.refused.join());
  const client = await stored(tenant, 'hydra-web');
  const metadata = metadataOf(client);
  assert.deepEqual(
    [
      metadata['scope'],
      metadata['chancery_access_token_audience'],
      metadata['chancery_access_token_lifetime'],
    ],
    ['openid offline_access photos.*', ['https://api.example'], 3600],
  );
  assert.deepEqual(
    [metadata['chancery_access_token_format'], client.data, client.issued_at],
    ['self-contained', '{"team":"a"}', 1_704_164_645],
  );
  assert.match(told.changed.join('\n'), /offline_access[\s\S]*photos\.\*: is compared exactly/);
  assert.match(told.lost.join('\n'), /owner "team-a"\nskip_consent true/);
});

const NO_SECRET: readonly (readonly [what: string, client_secret: string | undefined, because: RegExp])[] = [
  ['no secret', undefined, /shows no secret/],
  ['a digest of bcrypt', '$2a$10$abcdefghijklmnopqrstuv', /is a digest/],
  ['a digest of PBKDF2', '$pbkdf2-sha256$i=25000,l=32$abc$def', /is a digest/],
  ['a secret of 6 characters', 'secret', /of 6 characters must be 32 to 256/],
];
for (const [what, client_secret, because] of NO_SECRET) {
  test(`a client of Hydra with ${what} gets a new one, the report says why, and the next import leaves it`, async () => {
    const tenant = testTenant();
    const { client_secret: _, ...others } = HYDRA;
    const content = [{ ...others, ...(client_secret === undefined ? {} : { client_secret }) }];
    const foreign = clientOf(registry('hydra', content), 'hydra-web');
    const told = await bring(tenant, foreign);
    assert.equal(told.outcome, 'imported');
    assert.match(told.changed.join('\n'), because);
    assert.ok(!told.carried.includes('client_secret'));
    const { secrets } = await stored(tenant, 'hydra-web');
    assert.equal((await bring(tenant, foreign)).outcome, 'unchanged');
    assert.deepEqual((await stored(tenant, 'hydra-web')).secrets, secrets);
  });
}

test('a list of Connect2id: secret, registration token, time of issue and data go on, so the client can manage itself', async () => {
  const tenant = testTenant();
  const registration_access_token = 'r'.repeat(43);
  const content = [
    {
      client_id: 'c2id',
      client_id_issued_at: 1_600_000_000,
      client_secret: SECRET,
      client_secret_expires_at: 0,
      registration_access_token,
      registration_client_uri: 'https://old.example/clients/c2id',
      grant_types: ['client_credentials'],
      scope: 'a b',
      data: { plan: 7 },
      custom_member: 1,
    },
  ];
  const foreign = clientOf(registry('connect2id', content), 'c2id');
  assert.equal((await bring(tenant, foreign, { dryRun: true })).outcome, 'imported');
  assert.equal(await tenant.storage.clients.find('c2id' as ClientId), undefined);
  const told = await bring(tenant, foreign, { owner: 'shop' });
  assert.deepEqual(told.carried, [
    'data',
    'grant_types',
    'scope',
    'client_secret',
    'registration_access_token',
  ]);
  assert.match(told.lost.join(), /custom_member is unknown/);
  const { json } = await tenant.send('client-read', { bearer: registration_access_token, id: 'c2id' });
  assert.deepEqual(
    [json['client_secret'], json['client_id_issued_at'], json['data']],
    [SECRET, 1_600_000_000, { plan: 7 }],
  );
  assert.equal((await stored(tenant, 'c2id')).owner, 'shop');
  assert.equal((await bring(tenant, foreign)).outcome, 'unchanged');
  const other = { ...foreign, metadata: { ...foreign.metadata, scope: 'c' } };
  const refused = await bring(tenant, other);
  assert.match(refused.refused.join(), /another client is registered with this client_id/);
});

test('a file of another kind is no export, and names of the prototype are ordinary names', () => {
  for (const server of ['keycloak', 'hydra', 'connect2id'] as const) {
    for (const content of [null, 'text', 1, {}, [1], [{}]])
      assert.equal(foreignRegistry(server, content), undefined, `${server} ${JSON.stringify(content)}`);
  }
  const strange = JSON.parse(
    '{"realm":"x","clients":[{"clientId":"a","clientAuthenticatorType":"constructor","attributes":{"constructor":"x","__proto__":"y"},"toString":1}]}',
  ) as JsonValue;
  const { metadata, lost } = clientOf(registry('keycloak', strange), 'a');
  assert.equal(metadata['token_endpoint_auth_method'], 'client_secret_basic');
  assert.match(lost.join('\n'), /authenticator constructor[\s\S]*attribute constructor[\s\S]*toString/);
});

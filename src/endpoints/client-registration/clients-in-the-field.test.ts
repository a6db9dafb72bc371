import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Answer } from '../../testing/exchange.ts';
import { MASTER, type TestTenant, testTenant } from '../../testing/tenant.ts';

/** The registrations that clients of other authors send by default, and the members that the response has for them. */
interface FieldClient {
  readonly name: string;
  /** The place in the client's source that makes the request, where it is public. */
  readonly source?: string;
  readonly sends: Readonly<Record<string, unknown>>;
  readonly gets: Readonly<Record<string, unknown>>;
  /** The `client-reg` scope values of its initial access token; none for a client that registers without. */
  readonly token?: readonly string[];
  /** Members of the request that are absent from the response. */
  readonly loses?: readonly string[];
}

const AGENT_SCOPE = 'openid profile offline_access';
const APACHE = 'https://www.example.org/protected/redirect_uri';

const AGENT_ADDRESSES = [
  'http://localhost:4242',
  'http://localhost:23871',
  'http://localhost:8080',
  'edu.kit.data.oidc-agent:/redirect',
];
const DEVICE = 'urn:ietf:params:oauth:grant-type:device_code';

/** Makes the request of oidc-agent for its `--flow` options: each adds a grant type and a response type of its own. */
const agent = (
  flows: string,
  grant_types: readonly string[],
  response_types: readonly string[],
  gets: FieldClient['gets'],
): FieldClient => ({
  name: `oidc-agent with ${flows}`,
  source: 'indigo-dc/oidc-agent src/account/issuer_helper.c, getUsableGrantTypes and getUsableResponseTypes',
  token: ['client-reg'],
  sends: {
    application_type: 'web',
    client_name: 'oidc-agent:chancery-laptop',
    response_types,
    grant_types: ['refresh_token', ...grant_types],
    scope: AGENT_SCOPE,
    redirect_uris: AGENT_ADDRESSES,
  },
  gets: { scope: AGENT_SCOPE, token_endpoint_auth_method: 'client_secret_basic', ...gets },
});

/** The flows that relying parties of one Python library prefer, in its order. */
const EVERY_FLOW = [
  'code',
  'id_token',
  'id_token token',
  'code id_token',
  'code id_token token',
  'code token',
];

const CLIENTS: readonly FieldClient[] = [
  agent('--flow=device', [DEVICE], ['token'], {
    grant_types: ['refresh_token', DEVICE],
    response_types: [],
  }),
  agent('--flow=password', ['password'], ['token'], {
    grant_types: ['refresh_token', 'password'],
    response_types: [],
  }),
  agent('--flow=code --flow=device', ['authorization_code', DEVICE], ['code', 'token'], {
    grant_types: ['refresh_token', 'authorization_code', DEVICE],
    response_types: ['code'],
  }),
  {
    name: 'mod_auth_openidc 1, which names every flow and no grant type',
    source: 'OpenIDC/mod_auth_openidc src/metadata.c, oidc_metadata_client_register',
    sends: {
      client_name: 'OpenID Connect Apache Module',
      redirect_uris: [APACHE],
      response_types: EVERY_FLOW,
    },
    gets: { grant_types: ['authorization_code'], response_types: ['code'] },
  },
  {
    name: 'OidcRP of Python, whose preferences name every flow and no grant type',
    source: 'IdentityPython/JWTConnect-Python-OidcRP oidcrp, DEFAULT_CLIENT_PREFS',
    sends: {
      application_type: 'web',
      application_name: 'rphandler',
      response_types: EVERY_FLOW,
      scope: 'openid',
      token_endpoint_auth_method: 'client_secret_basic',
      redirect_uris: ['https://rp.example/authz_cb/op'],
    },
    gets: { grant_types: ['authorization_code'], response_types: ['code'], scope: 'openid' },
    loses: ['application_name'],
  },
  {
    name: 'idpy-oidc, whose defaults have the implicit grant and code alone',
    source: 'IdentityPython/idpy-oidc src/idpyoidc/client/specification, Specification.attributes',
    sends: {
      redirect_uris: ['https://rp.example/authz_cb/op'],
      grant_types: ['authorization_code', 'implicit', 'refresh_token'],
      response_types: ['code'],
    },
    gets: { grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'] },
  },
  {
    name: 'the portal of Tyk, with the response types of its guide',
    source: 'TykTechnologies/tyk issue 3561',
    sends: {
      client_name: 'A product of the portal',
      redirect_uris: ['https://portal.example/callback'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code', 'token', 'id_token'],
    },
    gets: { grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'] },
  },
  {
    name: 'MCP Inspector, which sends an empty scope',
    source: 'modelcontextprotocol/inspector client/src/lib/auth.ts, InspectorOAuthClientProvider',
    sends: {
      redirect_uris: ['http://localhost:6274/oauth/callback', 'http://localhost:6274/oauth/callback/debug'],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      client_name: 'MCP Inspector',
      client_uri: 'https://github.com/modelcontextprotocol/inspector',
      scope: '',
    },
    gets: { scope: AGENT_SCOPE, token_endpoint_auth_method: 'none', response_types: ['code'] },
  },
  {
    name: 'mod_auth_openidc 2.4 with its defaults',
    sends: {
      client_name: 'OpenID Connect Apache Module (mod_auth_openidc)',
      redirect_uris: [APACHE],
      response_types: [
        'code',
        'id_token',
        'id_token token',
        'code id_token',
        'code token',
        'code id_token token',
      ],
      grant_types: ['authorization_code', 'implicit', 'refresh_token'],
      initiate_login_uri: APACHE,
      frontchannel_logout_uri: `${APACHE}?logout=get`,
      backchannel_logout_uri: `${APACHE}?logout=backchannel`,
    },
    gets: {
      grant_types: ['authorization_code', 'implicit', 'refresh_token'],
      frontchannel_logout_uri: `${APACHE}?logout=get`,
      token_endpoint_auth_method: 'client_secret_basic',
    },
  },
  {
    name: 'mod_auth_openidc 2.4 with certificate-bound tokens, at a server without certificates',
    sends: {
      client_name: 'OpenID Connect Apache Module (mod_auth_openidc)',
      redirect_uris: [APACHE],
      response_types: ['code', 'none'],
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'client_secret_basic',
      tls_client_certificate_bound_access_tokens: true,
      request_uris: ['https://www.example.org/request'],
      contacts: [],
    },
    gets: { response_types: ['code'], request_uris: ['https://www.example.org/request'] },
    loses: ['tls_client_certificate_bound_access_tokens', 'contacts'],
  },
  {
    name: 'the MCP TypeScript SDK',
    sends: {
      redirect_uris: ['http://localhost:8090/callback'],
      token_endpoint_auth_method: 'client_secret_post',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      client_name: 'Simple OAuth MCP Client',
    },
    gets: { scope: AGENT_SCOPE, application_type: 'web', token_endpoint_auth_method: 'client_secret_post' },
  },
  {
    name: 'an MCP client that sends empty members',
    sends: {
      redirect_uris: ['http://127.0.0.1:33418/', 'https://vscode.dev/redirect'],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
      response_types: ['code'],
      client_name: 'Visual Studio Code',
      client_uri: 'https://code.visualstudio.com',
      application_type: 'native',
      scope: '',
      contacts: [],
      software_id: null,
      policy_uri: '',
    },
    gets: { scope: AGENT_SCOPE, grant_types: ['authorization_code', 'refresh_token'] },
    loses: ['contacts', 'software_id', 'policy_uri'],
  },
  {
    name: 'Cursor',
    sends: {
      client_name: 'Cursor',
      redirect_uris: [
        'cursor://anysphere.cursor-mcp/oauth/callback',
        'https://www.cursor.com/agents/mcp/oauth/callback',
        'http://localhost:8787/callback',
      ],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    gets: { application_type: 'native', token_endpoint_auth_method: 'none' },
  },
  {
    name: 'oidc-agent, which says web',
    sends: {
      application_type: 'web',
      client_name: 'oidc-agent:chancery-laptop',
      response_types: ['code'],
      grant_types: ['refresh_token', 'authorization_code'],
      scope: AGENT_SCOPE,
      redirect_uris: AGENT_ADDRESSES,
    },
    gets: { application_type: 'native', scope: AGENT_SCOPE },
  },
  {
    name: 'openid-client 6',
    sends: {
      redirect_uris: ['https://rp.example/cb'],
      dpop_bound_access_tokens: true,
      use_mtls_endpoint_aliases: true,
    },
    gets: { redirect_uris: ['https://rp.example/cb'], dpop_bound_access_tokens: true },
    loses: ['use_mtls_endpoint_aliases'],
  },
];

const openTenant = (): TestTenant =>
  testTenant({
    settings: {
      'registration.allow-open-registration': true,
      'registration.open-scope-values': AGENT_SCOPE.split(' '),
    },
  });

for (const { name, sends, gets, token, loses = [] } of CLIENTS) {
  test(`201: the standard registration of ${name} is accepted with${token === undefined ? 'out' : ''} a token (decisions 42, 43 and 47)`, async () => {
    const tenant = openTenant();
    const answered = await tenant.send('client-registration-201', {
      json: sends,
      ...(await bearerOf(tenant, token)),
    });
    assert.equal(answered.status, 201, answered.body);
    for (const [member, value] of Object.entries(gets))
      assert.deepEqual(answered.json[member], value, member);
    for (const member of loses) assert.equal(member in answered.json, false, member);
    for (const uri of sends['redirect_uris'] as string[])
      assert.ok((answered.json['redirect_uris'] as string[]).includes(uri), uri);
  });
}

async function bearerOf(
  tenant: TestTenant,
  token: FieldClient['token'],
): Promise<{ readonly bearer?: string }> {
  return token === undefined ? {} : { bearer: await tenant.initialToken(token.join(' ')) };
}

test('200: what the response shows can be sent back as an update, and stays the same (decision 9, RFC 7592 §2.2)', async () => {
  for (const { sends, token } of CLIENTS) {
    const tenant = openTenant();
    const { json } = await tenant.send('client-registration-201', {
      json: sends,
      ...(await bearerOf(tenant, token)),
    });
    for (const bearer of [String(json['registration_access_token']), MASTER]) {
      const id = String(json['client_id']);
      const updated = await tenant.send('client-update-at-register', { bearer, id, json });
      assert.equal(updated.status, 200, updated.body);
      const changing = new Set(['client_secret', 'registration_access_token']);
      for (const [member, value] of Object.entries(json))
        if (!changing.has(member)) assert.deepEqual(updated.json[member], value, member);
    }
  }
});

const MISTAKEN = {
  redirect_uris: [
    'https://ok.example/cb',
    'rp.example/cb',
    'https://*.rp.example/cb',
    'http://rp.example/cb',
  ],
  post_logout_redirect_uri: 'https://ok.example/',
  grant_types: ['authorisation_code', 'client-credentials'],
  token_endpoint_auth_method: 'client_secret_basics',
  id_token_signed_response_alg: 'RS257',
  default_max_age: -1,
  preferred_client_secret: 'too short',
  client_name: 7,
};

const dryRun = async (tenant: TestTenant, json: object): Promise<Answer> =>
  await tenant.send('client-registration', { bearer: MASTER, json, query: 'dry_run=true' });

test('400: a dry run lists every mistake with member, index, value, rule, allowed values and the nearest (decision 42)', async () => {
  const { status, json } = await dryRun(testTenant(), MISTAKEN);
  assert.deepEqual([status, json['error'], json['dry_run']], [400, 'invalid_client_metadata', true]);
  const mistakes = json['mistakes'] as readonly Readonly<Record<string, unknown>>[];
  const named = mistakes.map(({ member, index, value, did_you_mean }) => [
    member,
    index,
    value,
    did_you_mean,
  ]);
  assert.deepEqual(named, [
    ['grant_types', 0, "'authorisation_code'", 'authorization_code'],
    ['grant_types', 1, "'client-credentials'", 'client_credentials'],
    ['token_endpoint_auth_method', undefined, "'client_secret_basics'", 'client_secret_basic'],
    ['id_token_signed_response_alg', undefined, "'RS257'", 'RS256'],
    ['default_max_age', undefined, '-1', undefined],
    ['preferred_client_secret', undefined, undefined, undefined],
    ['client_name', undefined, undefined, undefined],
    ['redirect_uris', 1, "'rp.example/cb'", undefined],
    ['redirect_uris', 2, "'https://*.rp.example/cb'", undefined],
    ['redirect_uris', 3, "'http://rp.example/cb'", undefined],
  ]);
  for (const { rule, words } of mistakes) assert.ok(String(words).includes(String(rule)));
  assert.ok(String(mistakes[0]?.['allowed']).includes('refresh_token'));
  assert.deepEqual(json['dropped'], [
    {
      member: 'post_logout_redirect_uri',
      rule: 'is unknown',
      did_you_mean: 'post_logout_redirect_uris',
      words: 'post_logout_redirect_uri is unknown; did you mean post_logout_redirect_uris?',
    },
  ]);
});

test('400: a refusal describes the first mistake and counts the others; the log has them all (decision 42)', async () => {
  const tenant = testTenant();
  const answered = await tenant.send('client-registration', { bearer: MASTER, json: MISTAKEN });
  assert.equal(
    answered.json['error_description'],
    "grant_types[0] 'authorisation_code' is not supported; supported: authorization_code, implicit, refresh_token, password, " +
      'client_credentials, urn:ietf:params:oauth:grant-type:device_code, urn:ietf:params:oauth:grant-type:jwt-bearer, urn:ietf:params:oauth:grant-type:saml2-bearer; ' +
      'did you mean authorization_code?; 9 more mistakes, which a request with dry_run=true lists',
  );
  assert.deepEqual(Object.keys(answered.json), ['error', 'error_description']);
  const [failure] = tenant.reports as { readonly detail: string }[];
  assert.match(failure?.detail ?? '', /RS257.*client_name must be a string.*redirect_uris\[3\]/);
  assert.doesNotMatch(failure?.detail ?? '', /too short/);
});

test('200: a dry run and the log list what is dropped or changed (decision 42)', async () => {
  const tenant = testTenant();
  const json = {
    redirect_uris: ['app://cb/'],
    application_type: 'web',
    grant_types: ['authorization_code', 'device_code'],
    tls_client_certificate_bound_access_tokens: true,
    'client_nam#de': 'A',
    contacts: [],
  };
  const words = [
    "grant_types[1] 'device_code' is not supported; supported: authorization_code, implicit, refresh_token, password, client_credentials, " +
      'urn:ietf:params:oauth:grant-type:device_code, urn:ietf:params:oauth:grant-type:jwt-bearer, urn:ietf:params:oauth:grant-type:saml2-bearer',
    'tls_client_certificate_bound_access_tokens true asks for something that this server does not do',
    'client_nam#de is unknown; did you mean client_name?',
    "application_type 'web' is replaced by native, because redirect_uris[0] 'app://cb/' has a private-use scheme",
  ];
  const dry = await dryRun(tenant, json);
  assert.equal(dry.status, 200, dry.body);
  assert.deepEqual(
    (dry.json['dropped'] as readonly { readonly words: string }[]).map((dropped) => dropped.words),
    words,
  );
  assert.match((dry.json['warnings'] as string[]).join(), /no domain name in reverse order/);
  const registered = await tenant.send('client-registration', { bearer: MASTER, json });
  const lines = tenant.log.filter(({ message }) => message === 'metadata dropped');
  assert.equal(lines.length, 1);
  const { client_id, count, dropped } = lines[0]?.members ?? {};
  assert.deepEqual([client_id, count, dropped], [registered.json['client_id'], 4, words]);
});

test('200: a dry run says which types do not go together, and why (decision 42, RFC 7591 §2.1)', async () => {
  const json = {
    redirect_uris: ['https://rp.example/cb'],
    grant_types: ['authorization_code', 'implicit', 'client_credentials'],
    response_types: ['code', 'none'],
  };
  const { json: both } = await dryRun(testTenant(), json);
  const { json: devices } = await dryRun(testTenant(), {
    grant_types: [DEVICE],
    response_types: ['token', 'code'],
  });
  const words = [both, devices].map(({ dropped }) =>
    (dropped as readonly { readonly words: string }[]).map((one) => one.words),
  );
  assert.deepEqual(words, [
    [
      "response_types[1] 'none' is not supported; supported: code, token, id_token, id_token token, code id_token, code token, code id_token token; did you mean code?",
      "grant_types 'implicit' is dropped, because no registered response type uses it",
    ],
    [
      "response_types 'token' is dropped, because grant_types does not include implicit",
      "response_types 'code' is dropped, because grant_types does not include authorization_code",
    ],
  ]);
});

for (const development of [true, false]) {
  test(`401: a used initial access token is called used ${development ? 'in development' : 'never in production'} (decision 43)`, async () => {
    const tenant = testTenant({ settings: { 'pages.error-details': development } });
    const bearer = await tenant.initialToken('client-reg');
    const json = { redirect_uris: ['https://rp.example/cb'] };
    assert.equal((await tenant.send('client-registration', { bearer, json })).status, 200);
    const { status, json: refused } = await tenant.send('client-registration', { bearer, json });
    const words = String(refused['error_description']);
    assert.equal(status, 401);
    assert.match(
      words,
      development ? /^the initial access token has been used;/ : /^the bearer token is not valid$/,
    );
    const unknown = await tenant.send('client-registration', { bearer: `${bearer.slice(0, -1)}~`, json });
    assert.equal(unknown.json['error_description'], 'the bearer token is not valid');
  });
}

test('204: a client is read, changed and deleted at /register/{id} as at /clients/{id} (RFC 7592 §2)', async () => {
  const tenant = testTenant();
  const created = await tenant.register({ redirect_uris: ['https://rp.example/cb'] });
  const { client_id: id, registration_access_token: bearer } = created;
  const read = await tenant.send('client-read-at-register', { bearer, id });
  assert.deepEqual([read.status, read.json], [200, created.members]);
  const json = { redirect_uris: ['https://rp.example/other'] };
  const updated = await tenant.send('client-update-at-register', { bearer, id, json });
  assert.deepEqual(updated.json['redirect_uris'], json.redirect_uris);
  const token = String(updated.json['registration_access_token']);
  assert.equal((await tenant.send('client-delete-at-register', { bearer: token, id })).status, 204);
  assert.equal((await tenant.send('client-read', { bearer: MASTER, id })).status, 404);
});

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Fields } from '../program/code-request.ts';
import type { Visit } from '../program/plain-browser.ts';
import { type Answer, attackedProgram, CANARY, type HostileRequest } from './attacked-program.ts';
import { testInvariantsAtTheEnd } from './closing-tests.ts';
import {
  assertAnswer,
  authorise,
  clientPath,
  JSON_TYPE,
  PLAIN,
  postClient,
  putClient,
  register,
} from './registry.ts';
import {
  type Accounts,
  accountsBeside,
  authorizeUrl,
  browserAt,
  type Registered,
  through,
} from './sign-in-world.ts';

/** H-321…H-331: what a registration takes, says and lends, over real sockets. */
const ADA = { username: 'ada', password: 'correct horse canary' };
const SCHEME = 'cursor://anysphere.cursor-mcp/oauth/callback';
let accounts: Accounts;
const attacked = attackedProgram(
  {
    environment: {
      CHANCERY_REGISTRATION_ALLOW_OPEN_REGISTRATION: 'true',
      CHANCERY_REGISTRATION_OPEN_SCOPE_VALUES: 'mcp:read,mcp:write',
    },
  },
  async ({ program, secrets }) => {
    accounts = await accountsBeside(program);
    await accounts.add(ADA);
    secrets.add(ADA.password);
  },
);
after(async () => await accounts.close());

const narrow = attackedProgram({
  environment: {
    CHANCERY_REGISTRATION_ALLOW_OPEN_REGISTRATION: 'true',
    CHANCERY_REGISTRATION_PRIVATE_SCHEMES: 'reverse-domain',
  },
});

const dry = (request: HostileRequest): HostileRequest => ({
  ...request,
  path: `${request.path}?dry_run=true`,
});

async function openly(metadata: object): Promise<Registered & Answer['json']> {
  const answer = await attacked.send(postClient({ client_name: CANARY, ...metadata }));
  assertAnswer(answer, 'registered');
  return answer.json as unknown as Registered & Answer['json'];
}

test('H-321 where the setting says reverse-domain, no client registers another private-use scheme', async () => {
  for (const bearer of [undefined, narrow.program.masterToken]) {
    const wide = await narrow.send(postClient({ ...PLAIN, redirect_uris: [SCHEME] }, bearer));
    assertAnswer(wide, 'invalid_redirect_uri');
    const reversed = await narrow.send(
      postClient({ ...PLAIN, redirect_uris: ['com.example.app:/cb'] }, bearer),
    );
    assertAnswer(reversed, 'registered');
    assert.equal(reversed.json['application_type'], 'native');
  }
});

const PUBLIC = { redirect_uris: [SCHEME], token_endpoint_auth_method: 'none' };
const visit = async (client: Registered, change: Fields = {}): Promise<Visit> =>
  await browserAt(attacked.program).visit(
    authorizeUrl(attacked.program, client, { redirect_uri: SCHEME, ...change }),
  );

function assertWaits({ status, location, html, headers }: Visit, parameter: RegExp): void {
  assert.deepEqual([status, location, headers.get('refresh')], [200, undefined, null]);
  assert.doesNotMatch(html, /<script|http-equiv/);
  assert.match(html, parameter);
}

test('H-322 no code leaves for a private-use scheme without PKCE, also of a client with a secret', async () => {
  const plain = { code_challenge: undefined, code_challenge_method: undefined };
  for (const method of ['none', 'client_secret_basic']) {
    const client = await openly({ ...PUBLIC, token_endpoint_auth_method: method });
    assertWaits(await visit(client, plain), /cursor:[^"]*error=invalid_request&/);
  }
});

test('H-323 without a page of this server, the answer to a private-use scheme waits for the person', async () => {
  const client = await openly(PUBLIC);
  assertWaits(await visit(client, { prompt: 'none' }), /cursor:[^"]*error=login_required&/);
  assertWaits(await visit(client, { scope: 'a"b' }), /cursor:[^"]*error=invalid_scope&/);
  assertWaits(
    await visit(client, { prompt: 'none', response_mode: 'form_post' }),
    /<form method="post" action="cursor:/,
  );
  const browser = browserAt(attacked.program);
  const url = authorizeUrl(attacked.program, client, { redirect_uri: SCHEME });
  const led = await through(browser, url, ADA);
  assert.match(led.location ?? led.html, /^cursor:.*[?&]code=/);
  for (const silent of [url, `${url}&prompt=none`])
    assertWaits(await browser.visit(silent), /href="cursor:[^"]*code=/);
});

test('H-324 empty members lend no default that the token does not permit', async () => {
  const token = await authorise(attacked, 'client-reg:grant:client');
  for (const empty of [[], '', null]) {
    const answer = await attacked.send(postClient({ ...PLAIN, grant_types: empty }, token));
    assertAnswer(answer, 'insufficient_scope');
    assert.match(answer.headers['www-authenticate'] ?? '', /scope="client-reg:grant:code"$/);
  }
});

test('H-325 dropped values and members lend nothing to the privileged ones beside them', async () => {
  const unsupported = {
    response_types: ['code', 'none', 'vp_token'],
    tls_client_certificate_bound_access_tokens: true,
    backchannel_token_delivery_mode: 'poll',
    Scope: 'admin',
  };
  const device = 'urn:ietf:params:oauth:grant-type:device_code';
  for (const grant_types of [
    ['authorization_code', device, 'password'],
    [device, 'client_credentials'],
  ]) {
    const answer = await attacked.send(postClient({ ...PLAIN, ...unsupported, grant_types }));
    assertAnswer(answer, 'invalid_token', true);
  }
  const client = await openly({
    redirect_uris: PLAIN.redirect_uris,
    ...unsupported,
    grant_types: ['authorization_code', device],
  });
  assert.deepEqual(client['grant_types'], ['authorization_code']);
  assert.deepEqual(client['response_types'], ['code']);
  for (const name of Object.keys(unsupported).slice(1)) assert.equal(name in client, false, name);
});

test('H-326 hundreds of unknown members and of mistakes are answered quickly, with bounded texts', async () => {
  const unknown = Object.fromEntries(
    Array.from({ length: 190 }, (_, at) => [`token_endpoint_auth_method${'x'.repeat(at + 1)}`, CANARY]),
  );
  const wrong = { redirect_uris: Array.from({ length: 100 }, (_, at) => `http://a.example/${at}`) };
  const started = performance.now();
  const answers = [];
  for (let time = 0; time < 20; time += 1) {
    answers.push(await attacked.send(dry(postClient({ ...PLAIN, ...unknown }))));
    answers.push(await attacked.send(dry(postClient({ ...PLAIN, ...unknown, ...wrong }))));
  }
  assert.ok(performance.now() - started < 60_000);
  const listed = answers.map(({ json }) => (json['mistakes'] ?? json['dropped']) as readonly unknown[]);
  for (const entries of listed) assert.equal(entries.length, 100);
  const refused = await attacked.send(postClient({ ...PLAIN, ...unknown, ...wrong }));
  assertAnswer(refused, 'invalid_redirect_uri');
  assert.match(String(refused.json['error_description']), /; 99 more mistakes, which/);
  assertAnswer(await attacked.send(postClient({ ...PLAIN, ...unknown })), 'registered');
  await attacked.program.printed(/"count":190/);
  for (const line of attacked.program.output().split('\n'))
    if (line.includes('"count":190')) assert.ok(line.length < 8_000, String(line.length));
});

const SECRET = 'a-secret-that-no-text-may-show';
const SECRETIVE: readonly object[] = [
  { preferred_client_secret: SECRET },
  { jwks: { keys: [{ kty: 'oct', k: SECRET }] } },
  { jwks: SECRET },
  { data: SECRET },
  { client_name: `${SECRET}\u202e` },
  { contacts: [`${SECRET}\n`, SECRET, SECRET] },
  { software_statement: `${SECRET}.${SECRET}.${SECRET}`, client_name: 7 },
  { redirect_uris: [`https://user:${SECRET}@a.example/`] },
  { redirect_uris: [{ client_secret: SECRET }, [SECRET]] },
  { token_endpoint_auth_method: { client_secret: SECRET } },
];

test('H-327 wrong values of secrets, and words of people, are in no answer and in no line of the log', async () => {
  attacked.secrets.add(SECRET);
  for (const metadata of SECRETIVE) {
    for (const request of [postClient({ ...PLAIN, ...metadata }, attacked.program.masterToken)])
      for (const sent of [request, dry(request)]) assert.equal((await attacked.send(sent)).status, 400);
  }
});

test('H-328 a syntax error has its place, and quotes nothing', async () => {
  const body = `{\n  "client_name": "${CANARY}",\n  "preferred_client_secret": "${SECRET}" "x"\n}`;
  const answer = await attacked.send(postClient(body, attacked.program.masterToken));
  assertAnswer(answer, 'invalid_request');
  assert.match(
    String(answer.json['error_description']),
    / at line 3, column 63: a comma or } must stand here$/,
  );
});

test('H-329 the default scope is what the operator listed, and no update widens it', async () => {
  const client = await openly(PUBLIC);
  const update = async (metadata: object): Promise<Answer> =>
    await attacked.send(putClient(client.client_id, { ...PUBLIC, ...metadata }, token));
  let token = client.registration_access_token;
  assert.equal(client['scope'], 'mcp:read mcp:write');
  assertWaits(await visit(client, { scope: 'admin mcp:delete', prompt: 'none' }), /error=invalid_scope&/);
  for (const metadata of [{ scope: 'mcp:read mcp:write' }, {}, { scope: '' }]) {
    const updated = await update(metadata);
    assertAnswer(updated, 'registered');
    assert.equal(updated.json['scope'], 'mcp:read mcp:write');
    token = String(updated.json['registration_access_token']);
    // Still the default: the client may ask for the scope of OpenID Connect beside it.
    assertWaits(await visit(client, { scope: 'openid', prompt: 'none' }), /error=login_required&/);
  }
  for (const scope of ['mcp:read mcp:write admin', 'openid'])
    assertAnswer(await update({ scope }), 'insufficient_scope');
  const narrowed = await update({ scope: 'mcp:read' });
  assert.equal(narrowed.json['scope'], 'mcp:read');
  assertWaits(await visit(client, { scope: 'openid', prompt: 'none' }), /error=invalid_scope&/);
});

test('H-330 in production a used initial access token is like an unknown one', async () => {
  const token = await authorise(attacked, 'client-reg');
  assertAnswer(await attacked.send(postClient(PLAIN, token)), 'registered');
  const [used, unknown] = [
    await attacked.send(postClient(PLAIN, token)),
    await attacked.send(postClient(PLAIN, `${token.slice(0, -1)}~`)),
  ];
  assert.deepEqual([used.status, used.body], [401, unknown.body]);
});

test('H-331 /register/{id} asks for the same credentials as /clients/{id}', async () => {
  const [own, other] = [await register(attacked), await register(attacked)];
  const master = attacked.program.masterToken;
  const at = (id: string): string => clientPath(id).replace('/clients/', '/register/');
  for (const method of ['GET', 'PUT', 'DELETE']) {
    const ask = async (id: string, bearer: string | undefined): Promise<number> => {
      const body = method === 'PUT' ? { headers: JSON_TYPE, body: JSON.stringify(PLAIN) } : {};
      const credentials = bearer === undefined ? {} : { bearer };
      return (await attacked.send({ method, path: at(id), ...body, ...credentials })).status;
    };
    assert.equal(await ask(own.client_id, other.registration_access_token), 401, method);
    assert.equal(await ask(own.client_id, 'x'.repeat(43)), 401, method);
    assert.equal(await ask(own.client_id, undefined), 401, method);
    assert.equal(await ask('nobody', own.registration_access_token), 401, method);
    assert.equal(await ask('nobody', master), 404, method);
    assert.equal(await ask(own.client_id, master), method === 'DELETE' ? 204 : 200, method);
  }
});

testInvariantsAtTheEnd(attacked);

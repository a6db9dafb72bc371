import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as client from 'openid-client';
import { converse } from '../program/raw-socket.ts';
import { ENCRYPTION_KEY, type Program, sha256, startProgram } from '../program/start.ts';
import { storageUrl } from '../program/storage-place.ts';
import { chancery, type Ended } from './command.ts';
import { jsonLines, type Members } from './registry-commands.ts';

/** Tenants as their operator and their clients see them: made while the server runs, beside its default issuer. */
const insecure = { execute: [client.allowInsecureRequests] };
const MASTER = 'master-of-b';
let program: Program;

before(async () => {
  program = await startProgram({ mode: 'dev' });
});
after(() => program.stop());

async function attempt(...words: readonly string[]): Promise<Ended> {
  return await chancery([...words, '--mode', 'development'], {
    CHANCERY_ISSUER: program.issuer,
    CHANCERY_STORAGE_URL: await storageUrl(program.folder),
    CHANCERY_ENCRYPTION_KEY: ENCRYPTION_KEY,
  });
}

async function run(...words: readonly string[]): Promise<string> {
  const { how, stdout, stderr } = await attempt(...words);
  assert.deepEqual([how, stderr], [0, ''], words.join(' '));
  return stdout;
}

const json = async (...words: readonly string[]): Promise<readonly Members[]> =>
  jsonLines(await run(...words, '--json'));

async function get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  return await fetch(`${program.issuer}${path}`, { headers });
}

async function issuerAt(path: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const answer = await get(path, headers);
  assert.equal(answer.status, 200, path);
  return String(((await answer.json()) as Members)['issuer']);
}

async function assertNobody(path: string, headers: Readonly<Record<string, string>> = {}): Promise<void> {
  const answer = await get(path, headers);
  assert.equal(answer.status, 404, path);
  assert.equal(await answer.text(), '');
}

const DISCOVERY = '/.well-known/openid-configuration';
const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });

test('without tenants the headers Issuer and Tenant-ID are not heeded, and nothing varies by them (decision 38)', async () => {
  const answer = await get(DISCOVERY, { issuer: 'https://unknown.example', 'tenant-id': 'unknown' });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get('vary'), null);
  await assertNobody(`/b${DISCOVERY}`);
});

test('a tenant that the command line creates is there in the next request', async () => {
  const issuer = `${program.issuer}/b`;
  const names = ['--issuer', issuer, '--alias', 'http://alias.localhost'];
  const digest = `registration.master-token-sha256=ops:${sha256(MASTER)}`;
  await run('tenants', 'create', 'b', ...names, '--set', digest, '--set', 'access-token.lifetime=77');
  assert.equal(await issuerAt(`/b${DISCOVERY}`), issuer);
  assert.equal(await issuerAt('/.well-known/oauth-authorization-server/b'), issuer);
  assert.equal(await issuerAt(DISCOVERY), program.issuer);
});

test('openid-client discovers, registers, gets a token and introspects at the tenant, whose lifetime is its own', async () => {
  const issuer = `${program.issuer}/b`;
  const scope = `${issuer}/token/introspect`;
  const [made] = await json('iat', 'create', '--tenant', 'b');
  const metadata = { grant_types: ['client_credentials'], scope };
  const configuration = await client.dynamicClientRegistration(
    new URL(issuer),
    metadata,
    client.ClientSecretBasic(),
    {
      ...insecure,
      initialAccessToken: String(made?.['access_token']),
    },
  );
  const issued = await client.clientCredentialsGrant(configuration, { scope });
  assert.equal(issued.expires_in, 77);
  const introspected = await client.tokenIntrospection(configuration, issued.access_token);
  assert.equal(introspected.active, true);
  assert.equal(introspected['iss'], issuer);
  const clients = await json('clients', 'list', '--tenant', 'b');
  assert.deepEqual(
    clients.map(({ client_id }) => client_id),
    [configuration.clientMetadata().client_id],
  );
  const others = await json('clients', 'list');
  assert.ok(!others.some(({ client_id }) => client_id === clients[0]?.['client_id']));
});

test('Issuer and Tenant-ID choose, with the path of the tenant and without it (decision 38)', async () => {
  const b = `${program.issuer}/b`;
  for (const headers of [{ 'tenant-id': 'b' }, { issuer: b }, { issuer: b, 'tenant-id': 'b' }]) {
    assert.equal(await issuerAt(DISCOVERY, headers), b);
    assert.equal(await issuerAt(`/b${DISCOVERY}`, headers), b);
  }
  for (const headers of [{ 'tenant-id': 'default' }, { issuer: program.issuer }]) {
    assert.equal(await issuerAt(DISCOVERY, headers), program.issuer);
    await assertNobody(`/b${DISCOVERY}`, headers);
  }
  for (const headers of [
    { issuer: 'https://unknown.example' },
    { issuer: `${b}/` },
    { issuer: '' },
    { 'tenant-id': 'B' },
    { 'tenant-id': '__proto__' },
    { issuer: b, 'tenant-id': 'unknown' },
    { issuer: 'x'.repeat(8000) },
  ]) {
    await assertNobody(DISCOVERY, headers);
  }
});

test('Issuer and Tenant-ID that disagree, or come twice: 400 (decision 38; H-154)', async () => {
  const disagreeing = await get(DISCOVERY, { issuer: program.issuer, 'tenant-id': 'b' });
  assert.equal(disagreeing.status, 400);
  assert.equal(((await disagreeing.json()) as Members)['error'], 'invalid_request');
  for (const twice of ['Tenant-ID: b\r\nTenant-ID: b\r\n', `Issuer: ${program.issuer}\r\nissuer: x\r\n`]) {
    const { answers } = await converse(program, [`GET ${DISCOVERY} HTTP/1.1\r\nHost: x\r\n${twice}\r\n`]);
    assert.equal(answers[0]?.status, 400);
  }
});

test('what can be cached says that it varies by tenant, and the key sets differ (decision 30; H-155)', async () => {
  const sets = await Promise.all(
    ['default', 'b'].map(async (id) => {
      const answer = await get('/jwks.json', { 'tenant-id': id });
      assert.equal(answer.headers.get('vary'), 'Issuer, Tenant-ID');
      const known = { 'tenant-id': id, 'if-none-match': answer.headers.get('etag') ?? '' };
      const unchanged = await get('/jwks.json', known);
      assert.deepEqual([unchanged.status, unchanged.headers.get('vary')], [304, 'Issuer, Tenant-ID']);
      return (await answer.json()) as { readonly keys: readonly { readonly kid: string }[] };
    }),
  );
  const [first = [], second = []] = sets.map(({ keys }) => keys.map(({ kid }) => kid));
  assert.ok(first.length >= 7 && second.length >= 7);
  const metadata = await get('/.well-known/openid-configuration', { origin: 'https://spa.example' });
  assert.equal(metadata.headers.get('access-control-allow-origin'), '*');
  assert.equal(metadata.headers.get('vary'), 'Issuer, Tenant-ID');
  const nobody = await get('/jwks.json', { 'tenant-id': 'nobody' });
  assert.deepEqual([nobody.status, nobody.headers.get('cache-control')], [404, 'no-store']);
  assert.deepEqual(
    first.filter((kid) => second.includes(kid)),
    [],
  );
});

test('the authority of an absolute-form target chooses the tenant, and Host does not (H-021; RFC 9112 §3.2.2)', async () => {
  const own = new URL(program.issuer).host;
  for (const [target, host, issuer] of [
    [`http://alias.localhost${DISCOVERY}`, own, 'http://alias.localhost'],
    [`HTTP://ALIAS.localhost:80${DISCOVERY}`, 'unknown.example', 'http://alias.localhost'],
    [`${program.issuer}${DISCOVERY}`, 'alias.localhost', program.issuer],
    [`http://unknown.example${DISCOVERY}`, 'alias.localhost', program.issuer],
  ] as const) {
    const { answers } = await converse(program, [`GET ${target} HTTP/1.1\r\nHost: ${host}\r\n\r\n`]);
    assert.equal(answers[0]?.status, 200, target);
    assert.equal((JSON.parse(answers[0].body) as Members)['issuer'], issuer, target);
  }
});

test('an alias is another name: its own addresses and iss, the same clients, tokens that are good under it alone', async () => {
  const call = async (alias: boolean, path: string, init: RequestInit): Promise<Members> => {
    const issuer = alias ? 'http://alias.localhost' : `${program.issuer}/b`;
    const answer = await fetch(`${program.issuer}${path}`, {
      ...init,
      method: 'POST',
      headers: { ...(init.headers as Record<string, string>), issuer },
    });
    return (await answer.json()) as Members;
  };
  const scopes = [`${program.issuer}/b/token/introspect`, 'http://alias.localhost/token/introspect'];
  const metadata = { grant_types: ['client_credentials'], scope: scopes.join(' ') };
  const registered = await call(true, '/clients', {
    headers: { ...bearer(MASTER), 'content-type': 'application/json' },
    body: JSON.stringify(metadata),
  });
  assert.match(String(registered['registration_client_uri']), /^http:\/\/alias\.localhost\/clients\//);
  const credentials = `${String(registered['client_id'])}:${String(registered['client_secret'])}`;
  const authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
  const form = (body: Readonly<Record<string, string>>): RequestInit => ({
    headers: { authorization },
    body: new URLSearchParams(body),
  });
  for (const alias of [false, true]) {
    const issued = await call(alias, '/token', form({ grant_type: 'client_credentials' }));
    const token = String(issued['access_token']);
    // The second read comes from the record cache, which all names of a tenant share.
    for (let time = 0; time < 2; time += 1) {
      const here = await call(alias, '/token/introspect', form({ token }));
      assert.deepEqual(
        [here['active'], here['iss']],
        [true, alias ? 'http://alias.localhost' : `${program.issuer}/b`],
      );
      assert.deepEqual(await call(!alias, '/token/introspect', form({ token })), { active: false });
    }
    const untried = await call(alias, '/token', form({ grant_type: 'client_credentials' }));
    const elsewhere = form({ token: String(untried['access_token']) });
    assert.deepEqual(await call(!alias, '/token/introspect', elsewhere), { active: false });
    assert.equal((await call(alias, '/token/introspect', elsewhere))['active'], true);
  }
});

test('a changed setting holds in the next request; what a tenant may not set is refused in words', async () => {
  const list = async (token: string): Promise<number> => (await get('/b/clients', bearer(token))).status;
  assert.equal(await list(MASTER), 200);
  await run('tenants', 'update', 'b', '--set', `registration.master-token-sha256=${sha256('another')}`);
  assert.deepEqual(
    [await list(MASTER), await list('another'), await list(program.masterToken)],
    [401, 200, 401],
  );
  const refused = await attempt(
    'tenants',
    'update',
    'b',
    '--set',
    'listen.port=1',
    '--set',
    'access-token.lifetime=x',
  );
  assert.equal(refused.how, 1);
  assert.match(refused.stderr, /listen\.port: is a setting of the process/);
  assert.match(refused.stderr, /access-token\.lifetime: must be an integer/);
});

test('a disabled tenant answers nothing from the next request on, and everything is there when it is enabled', async () => {
  await run('tenants', 'disable', 'b');
  for (const [path, headers] of [
    [`/b${DISCOVERY}`, {}],
    [DISCOVERY, { 'tenant-id': 'b' }],
    [DISCOVERY, { issuer: 'http://alias.localhost' }],
    ['/b/clients', bearer('another')],
  ] as const) {
    await assertNobody(path, headers);
  }
  assert.equal(await issuerAt(DISCOVERY), program.issuer);
  const [listed] = await json('tenants', 'list');
  assert.equal(typeof listed?.['disabled_at'], 'number');
  await run('tenants', 'enable', 'b');
  assert.equal((await get('/b/clients', bearer('another'))).status, 200);
});

test('tenants list shows what is set, and no digest', async () => {
  const [listed, ...more] = await json('tenants', 'list');
  assert.equal(more.length, 0);
  const { created_at, ...known } = listed ?? {};
  assert.equal(typeof created_at, 'number');
  assert.deepEqual(known, {
    id: 'b',
    issuer: `${program.issuer}/b`,
    aliases: ['http://alias.localhost'],
    settings: { 'registration.master-token-sha256': '******', 'access-token.lifetime': 77 },
    owner: null,
    disabled_at: null,
    deleted_at: null,
  });
  assert.match(await run('tenants', 'list'), /^ID .*\nb .*access-token\.lifetime/);
});

test('ids and names that are taken, reserved, or in the way of an endpoint are refused', async () => {
  for (const [id, issuer, words] of [
    ['b', 'http://127.0.0.1:1', /there is a tenant b already/],
    ['default', 'http://127.0.0.1:1', /the default tenant is the one of the configuration/],
    ['B', 'http://127.0.0.1:1', /lower-case letters/],
    ['c', program.issuer, /is the name of another issuer already/],
    ['c', `${program.issuer}/b`, /is the name of another issuer already/],
    ['c', 'http://alias.localhost', /is the name of another issuer already/],
    ['c', `${program.issuer}/clients`, /would hide an endpoint/],
    ['c', 'http://op.example.com', /issuer: must use https/],
    ['c', 'https://op.example.com/', /issuer: must be an https URL/],
  ] as const) {
    const { how, stderr } = await attempt('tenants', 'create', id, '--issuer', issuer);
    assert.notEqual(how, 0);
    assert.match(stderr, words);
  }
  const unknown = await attempt('clients', 'list', '--tenant', 'c');
  assert.deepEqual([unknown.how, unknown.stderr], [1, 'chancery clients list: there is no tenant "c"\n']);
});

test('the log of all this has no error', () => {
  assert.doesNotMatch(program.output(), /"level":"error"|"level":50|\n\s+at /);
});

test('a tenant has a profile of its own: it rules the next request, config print names it, and no setting breaks it (decision 52)', async () => {
  const issuer = `${program.issuer}/strict`;
  await run('tenants', 'create', 'strict', '--issuer', issuer);
  const metadata = async (): Promise<Members> => (await (await get(`/strict${DISCOVERY}`)).json()) as Members;
  assert.ok((await metadata())['grant_types_supported']?.toString().includes('password'));
  await run('tenants', 'update', 'strict', '--set', 'profile=mcp');
  assert.deepEqual((await metadata())['response_types_supported'], ['code']);
  const anonymous = await fetch(`${issuer}/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ redirect_uris: ['https://rp.example/cb'] }),
  });
  assert.equal(anonymous.status, 201, await anonymous.text());
  const printed = (await run('config', 'print', '--tenant', 'strict')).split('\n');
  for (const line of [
    'profile = "mcp" (tenant strict)',
    'authorization.pkce = "all-clients" (profile mcp, tenant strict)',
    'registration.open-scope-values = [] (default)',
    'listen.port = 8080 (default)',
  ])
    assert.ok(printed.includes(line), line);
  const refused = await attempt('tenants', 'update', 'strict', '--set', 'authorization.pkce=public-clients');
  assert.equal(refused.how, 1);
  assert.match(
    refused.stderr,
    /authorization\.pkce: must be "all-clients" with profile mcp \(tenant strict\), found "public-clients"/,
  );
  assert.deepEqual(
    (await run('config', 'print')).split('\n').filter((line) => line.startsWith('profile')),
    ['profile = "standard" (default)'],
  );
  assert.equal((await attempt('config', 'print', '--tenant', 'nowhere')).how, 1);
  await run('tenants', 'disable', 'strict');
});

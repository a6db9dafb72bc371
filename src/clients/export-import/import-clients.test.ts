import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClientId } from '../../spec/identifiers.ts';
import { CALLBACK, MASTER, SERVICE, START, type TestTenant, testTenant } from '../../testing/tenant.ts';
import { audited } from '../audit-trail.ts';
import { exportClients } from './export-clients.ts';
import { type ImportOptions, type ImportOutcome, importClient } from './import-clients.ts';
import { readExportHeader } from './imported-client.ts';

type Members = Readonly<Record<string, unknown>>;

const NOTHING_ELSE: ImportOptions = { replace: false, dryRun: false };

async function exported(tenant: TestTenant): Promise<readonly string[]> {
  const needs = await tenant.registry();
  const lines: string[] = [];
  for await (const line of exportClients(needs)) lines.push(line ?? 'unreadable');
  return lines.slice(1);
}

async function bring(
  tenant: TestTenant,
  line: string | Members,
  options: Partial<ImportOptions> = {},
): Promise<ImportOutcome> {
  const needs = await tenant.registry();
  const bytes = Buffer.from(typeof line === 'string' ? line : JSON.stringify(line));
  return await audited(needs, 'client.import', 'test', async (trail) => {
    trail.actor = 'cli';
    return await importClient(needs, bytes, { ...NOTHING_ELSE, ...options }, trail);
  });
}

/** The line of one exported client of the grant `client_credentials`, parsed. */
async function serviceLine(): Promise<Members> {
  const tenant = testTenant();
  await tenant.register({ ...SERVICE, preferred_client_id: 'service', scope: 'a b' });
  const [line = ''] = await exported(tenant);
  return JSON.parse(line) as Members;
}

test('export, import, export: the same bytes, for a confidential, a public and a shared client', async () => {
  const settings = {
    'registration.allow-open-registration': true,
    'registration.open-idempotent': true,
  };
  const from = testTenant({ settings });
  await from.register({ ...SERVICE, data: { exact: 1 }, 'client_name#de': 'Dienst', client_name: 'Service' });
  await from.register({ redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none' });
  const shared = { redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none', client_name: 'Shared' };
  const registration = await from.send('client-registration', { json: shared });
  assert.equal(registration.status, 200);
  const lines = await exported(from);
  assert.equal(lines.length, 3);

  const to = testTenant({ settings: { ...settings, 'registration.open-idempotent': false } });
  for (const line of lines) assert.equal(await bring(to, line), 'imported');
  assert.deepEqual(await exported(to), lines);
  for (const line of lines) assert.equal(await bring(to, line), 'unchanged');
});

test('export: a client is one line, also if its data has line breaks, and import takes the line', async () => {
  const from = testTenant();
  const body = JSON.stringify({ ...SERVICE, data: { team: 'a\nb', of: [1] } }, null, '\r\n ');
  assert.equal((await from.send('client-registration', { bearer: MASTER, body })).status, 200);
  const [line = ''] = await exported(from);
  assert.doesNotMatch(line, /[\r\n]/u);
  assert.deepEqual((JSON.parse(line) as Members)['data'], { team: 'a\nb', of: [1] });
  assert.equal(await bring(testTenant(), line), 'imported');
  assert.equal(await bring(from, line), 'unchanged');
});

test("import: letters of data are kept, and so are an update's bounds", async () => {
  const tenant = testTenant();
  const line = JSON.stringify(await serviceLine());
  await bring(tenant, `${line.slice(0, -1)},"data":{ "n": 1.00, "e":1e400}}`);
  const client = await (await tenant.registry()).clients.find('service' as ClientId);
  assert.equal(client?.data, '{ "n": 1.00, "e":1e400}');
  assert.deepEqual(JSON.parse(client?.privileges ?? ''), (await serviceLine())['privileges']);
});

test('export and import keep the owner of a client that files declare', async () => {
  const tenant = testTenant();
  await bring(tenant, { ...(await serviceLine()), owner: 'shop.team' });
  const client = await (await tenant.registry()).clients.find('service' as ClientId);
  assert.equal(client?.owner, 'shop.team');
  const [line = ''] = await exported(tenant);
  assert.equal((JSON.parse(line) as Members)['owner'], 'shop.team');
  assert.equal(await bring(tenant, line), 'unchanged');
});

test('import keeps the last uses, so an imported client is not idle', async () => {
  const tenant = testTenant();
  const last_used = [
    { secret: 0, at: START - 5 },
    { secret: null, at: START - 9 },
  ];
  await bring(tenant, { ...(await serviceLine()), last_used });
  const client = await (await tenant.registry()).clients.find('service' as ClientId);
  assert.ok(client !== undefined);
  const uses = await (await tenant.registry()).clients.uses(client);
  assert.deepEqual(
    uses.map(({ secret_digest, last_used_at }) => [secret_digest, last_used_at]),
    [
      [null, START - 9],
      [client.secrets[0]?.digest, START - 5],
    ],
  );
});

test('import registers a deleted client again only with replace', async () => {
  const tenant = testTenant();
  const line = await serviceLine();
  await bring(tenant, line);
  const client = await (await tenant.registry()).clients.find('service' as ClientId);
  assert.ok(client !== undefined);
  const event = { action: 'client.delete', actor: 'cli', client_id: 'service', request_id: 'test' } as const;
  await (await tenant.registry()).clients.delete(client, {
    ...event,
    at: START,
    outcome: 'done',
    detail: null,
  });
  await assert.rejects(bring(tenant, line), /a client with this client_id was deleted/);
  assert.equal(await bring(tenant, line, { replace: true }), 'imported');
});

test('import drops what this server does not have, says so, and keeps empty members as they were stored (decision 42)', async () => {
  const tenant = testTenant();
  const line = await serviceLine();
  const metadata = {
    ...(line['metadata'] as object),
    scope: '',
    contacts: [],
    grant_types: ['client_credentials', 'urn:openid:params:grant-type:ciba'],
    post_logout_redirect_uri: 'https://client.example/',
  };
  const said: string[] = [];
  await bring(tenant, { ...line, metadata }, { onDropped: (sentence) => said.push(sentence) });
  assert.match(said[0] ?? '', /^grant_types\[1\] 'urn:openid:params:grant-type:ciba' is not supported/);
  assert.equal(said[1], 'post_logout_redirect_uri is unknown; did you mean post_logout_redirect_uris?');
  assert.equal(said.length, 2);
  const client = await (await tenant.registry()).clients.find('service' as ClientId);
  const stored = JSON.parse(client?.metadata ?? '{}') as Members;
  assert.deepEqual(
    [stored['scope'], stored['contacts'], stored['grant_types']],
    ['', [], ['client_credentials']],
  );
});

test('import as a dry run reports the outcome and changes nothing', async () => {
  const tenant = testTenant();
  const line = await serviceLine();
  assert.equal(await bring(tenant, line, { dryRun: true }), 'imported');
  assert.deepEqual(await exported(tenant), []);
  await bring(tenant, line);
  const other = { ...line, issued_at: START - 1 };
  assert.equal(await bring(tenant, other, { dryRun: true, replace: true }), 'replaced');
  assert.deepEqual(await exported(tenant), [JSON.stringify(line)]);
});

test('fifty parallel imports of one line create one client', async () => {
  const tenant = testTenant();
  const line = await serviceLine();
  const outcomes = await Promise.all(Array.from({ length: 50 }, async () => await bring(tenant, line)));
  assert.equal(outcomes.filter((outcome) => outcome === 'imported').length, 1);
  assert.equal(outcomes.filter((outcome) => outcome === 'unchanged').length, 49);
});

const SECRET = { client_secret: 's'.repeat(43), created_at: START, expires_at: 0 };

/** A change to a valid line, and the expected error. */
const BAD: readonly (readonly [what: string, change: Members, because: RegExp])[] = [
  ['no client_id', { client_id: undefined }, /client_id/],
  ['a client_id that could not be preferred', { client_id: 'a b' }, /client_id/],
  ["the server's own name", { client_id: 'chancery' }, /is a name of this server/],
  ['a time that is none', { issued_at: '2026' }, /issued_at must be a time in whole seconds/],
  ['a negative time', { issued_at: -1 }, /issued_at must be a time in whole seconds/],
  ['a registrant that there is not', { registered_via: 'root' }, /registered_via/],
  ['a registrant with a line break', { registered_via: 'initial:a\nb' }, /registered_via/],
  ['shared neither true nor false', { shared: 1 }, /shared must be true or false/],
  ['no secret where the method needs one', { secrets: [] }, /secrets/],
  ['a secret that is too short', { secrets: [{ ...SECRET, client_secret: 'short' }] }, /32 to 256/],
  ['a secret that is a number', { secrets: [{ ...SECRET, client_secret: 1 }] }, /client_secret/],
  ['a secret without end', { secrets: [{ ...SECRET, expires_at: undefined }] }, /expires_at/],
  ['secrets that are no list', { secrets: SECRET }, /secrets must be an array/],
  ['a short registration token', { registration_access_token: 'short' }, /registration_access_token/],
  ['no privileges', { privileges: undefined }, /privileges must be an object/],
  ['metadata that is a list', { metadata: [] }, /metadata must be an object/],
  [
    'a javascript: URI, which no token may register',
    { metadata: { redirect_uris: ['javascript:alert(1)'] } },
    /invalid_redirect_uri/,
  ],
  [
    'metadata that hides another identifier',
    { metadata: { preferred_client_id: 'other', grant_types: ['client_credentials'] } },
    /names a member twice/,
  ],
  ['data that is no object', { data: 'text' }, /data/],
  ['an owner that could not be one', { owner: 'Shop team' }, /owner is missing or malformed/],
  ['a use of a secret that is not there', { last_used: [{ secret: 1, at: START }] }, /last_used/],
];

for (const [what, change, because] of BAD) {
  test(`import of a line with ${what} is refused and recorded, and stores nothing`, async () => {
    const tenant = testTenant();
    await assert.rejects(bring(tenant, { ...(await serviceLine()), ...change }), because);
    assert.deepEqual(await exported(tenant), []);
    const line = tenant.log.find(({ message }) => message === 'audit');
    assert.deepEqual([line?.members['action'], line?.members['outcome']], ['client.import', 'refused']);
  });
}

for (const privilege of ['grant_types', 'scope', 'data', 'set_id', 'set_secret', 'redirect_hosts']) {
  test(`import of a line with a wrong privileges.${privilege} is refused`, async () => {
    const line = await serviceLine();
    for (const value of [undefined, null, 'all', [''], [1], 1]) {
      const privileges = { ...(line['privileges'] as Members), [privilege]: value };
      await assert.rejects(bring(testTenant(), { ...line, privileges }), /invalid_request/);
    }
  });
}

const HEADERS: readonly (readonly [line: string, because: RegExp])[] = [
  ['{"client_id":"a"}', /is not an export of clients/],
  ['{"chancery_export":1}', /is not an export of clients/],
  ['{"chancery_export":2,"issuer":"https://op.example"}', /format version .2.; this program reads 1/],
  ['[]', /not a JSON object/],
];

for (const [line, because] of HEADERS) {
  test(`the header ${line} is refused`, async () => {
    const needs = await testTenant().registry();
    assert.throws(() => readExportHeader(needs, Buffer.from(line)), because);
  });
}

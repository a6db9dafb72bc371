import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Program, startProgram } from '../program/start.ts';
import { developmentFolder, storageUrl } from '../program/storage-place.ts';
import { chancery } from './command.ts';
import {
  isActive,
  jsonLines,
  type Members,
  one,
  type RegistryCommands,
  readOverHttp,
  registryCommands,
  requestToken,
} from './registry-commands.ts';

const INTROSPECTION = 'https://op.example.com/token/introspect';
const SERVICE = { client_name: 'Service', grant_types: ['client_credentials'], scope: INTROSPECTION };

let folder: string;
let program: Program;
let registry: RegistryCommands;
const folders: string[] = [];

function newFolder(): string {
  const made = mkdtempSync(join(tmpdir(), 'chancery-registry-'));
  folders.push(made);
  return made;
}

before(async () => {
  folder = newFolder();
  program = await startProgram({ folder });
  registry = registryCommands(folder);
});

after(async () => {
  await program.stop();
  for (const made of folders) rmSync(made, { recursive: true, force: true });
});

function jsonFile(value: object): string {
  const file = join(newFolder(), 'request.json');
  writeFileSync(file, JSON.stringify(value));
  return file;
}

async function create(metadata: object = SERVICE): Promise<Members> {
  return await one(registry.json('clients', 'create', jsonFile(metadata)));
}

test('clients create: the running server authenticates the client with the printed secret at once', async () => {
  const printed = await registry.run('clients', 'create', jsonFile(SERVICE));
  const [, client_id] = /^client_id +(\S+)$/mu.exec(printed) ?? [];
  const [, client_secret] = /^client_secret +(\S+)$/mu.exec(printed) ?? [];
  assert.equal((await requestToken(program, client_id, client_secret)).status, 200);
  const listed = await registry.json('clients', 'list');
  const row = listed.find((client) => client['client_id'] === client_id);
  assert.deepEqual([row?.['registered_via'], row?.['client_name']], ['cli', 'Service']);
});

test('clients update: as PUT, the old secret and registration token end; show --secrets has the new ones', async () => {
  const client = await create();
  const id = String(client['client_id']);
  const shown = await registry.run('clients', 'update', id, jsonFile({ ...SERVICE, client_name: 'Renamed' }));
  assert.match(shown, /^client_name +Renamed$/mu);
  assert.doesNotMatch(shown, /client_secret |registration_access_token/u);
  assert.equal((await requestToken(program, id, client['client_secret'])).status, 401);
  assert.equal((await readOverHttp(program, client)).status, 401);
  const renewed = await one(registry.json('clients', 'show', id, '--secrets'));
  assert.equal((await requestToken(program, id, renewed['client_secret'])).status, 200);
  assert.equal((await readOverHttp(program, renewed)).status, 200);
});

test('clients rotate-secret: the previous secret ends, or stays for the time asked for and is retired by its name', async () => {
  const client = await create();
  const id = String(client['client_id']);
  const second = await one(registry.json('clients', 'rotate-secret', id));
  assert.equal((await requestToken(program, id, client['client_secret'])).status, 401);
  assert.equal((await requestToken(program, id, second['client_secret'])).status, 200);
  const third = await one(registry.json('clients', 'rotate-secret', id, '--keep-previous', '3600'));
  for (const { client_secret } of [second, third]) {
    assert.equal((await requestToken(program, id, client_secret)).status, 200);
  }
  const [newest, previous, ...more] = await registry.json('clients', 'secrets', id);
  assert.deepEqual([newest?.['expires_at'], more.length], [0, 0]);
  assert.ok(Number(previous?.['expires_at']) > 0);
  await registry.run('clients', 'retire-secret', id, String(previous?.['name']));
  assert.equal((await requestToken(program, id, second['client_secret'])).status, 401);
  assert.equal((await requestToken(program, id, third['client_secret'])).status, 200);
  const last = await registry.attempt('clients', 'retire-secret', id, String(newest?.['name']));
  assert.equal(last.how, 1);
  assert.match(last.stderr, /^chancery clients retire-secret: invalid_request: the last live secret .*\n$/u);
  assert.equal((await readOverHttp(program, client)).status, 200, 'the registration token is as it was');
});

test('clients delete: its token is inactive at once on the running server', async () => {
  const [caller, doomed] = [await create(), await create()];
  const id = String(doomed['client_id']);
  const { access_token } = await requestToken(program, id, doomed['client_secret']);
  assert.equal(await isActive(program, access_token, caller), true);
  assert.equal(await registry.run('clients', 'delete', id), `deleted ${id}\n`);
  assert.equal(await isActive(program, access_token, caller), false);
  assert.equal((await requestToken(program, id, doomed['client_secret'])).status, 401);
  const again = await registry.attempt('clients', 'delete', id);
  assert.deepEqual([again.how, again.stderr], [1, `chancery clients delete: there is no client "${id}"\n`]);
});

test('iat create, its command, iat list, iat revoke --cascade: the token registers once and takes its client with it', async () => {
  const printed = await registry.run(
    'iat',
    'create',
    '--label',
    'for the wiki',
    '--redirect-host',
    'wiki.example',
  );
  const [, id = ''] = /^id +(\S+)$/mu.exec(printed) ?? [];
  const [, token, body] =
    /^curl .*Bearer (\S+)' .* -d '(.*)' https:\/\/op\.example\.com\/clients$/mu.exec(printed) ?? [];
  const register = async (): Promise<Response> =>
    await fetch(`${program.url}/clients`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: body ?? '',
    });
  const answer = await register();
  const client = (await answer.json()) as Members;
  assert.deepEqual([answer.status, client['redirect_uris']], [200, ['https://wiki.example/callback']]);
  assert.equal((await register()).status, 401);

  const row = (await registry.json('iat', 'list')).find((candidate) => candidate['id'] === id);
  assert.deepEqual(
    [row?.['label'], row?.['state'], row?.['used_by_client_id']],
    ['for the wiki', 'used', client['client_id']],
  );
  const refused = await registry.attempt('iat', 'revoke', id);
  assert.equal(refused.how, 1);
  assert.match(refused.stderr, /--cascade deletes it\n$/u);
  assert.equal((await readOverHttp(program, client)).status, 200);

  const revoked = await one(registry.json('iat', 'revoke', id, '--cascade'));
  assert.equal(revoked['deleted'], client['client_id']);
  assert.equal((await readOverHttp(program, client)).status, 401);
});

test('iat revoke --cascade: a client that was registered again under the id is not the one the token made', async () => {
  const made = await one(
    registry.json('iat', 'create', '--scope', 'client-reg:grant:client client-reg:set-id'),
  );
  const request = { grant_types: ['client_credentials'], preferred_client_id: 'again' };
  const answer = await fetch(`${program.url}/clients`, {
    method: 'POST',
    headers: { authorization: `Bearer ${String(made['access_token'])}`, 'content-type': 'application/json' },
    body: JSON.stringify(request),
  });
  assert.equal(answer.status, 200);
  await registry.run('clients', 'delete', 'again');
  const successor = await create(request);
  const cascade = await registry.attempt('iat', 'revoke', String(made['id']), '--cascade');
  assert.equal(cascade.how, 1);
  assert.match(cascade.stderr, /"again", which is gone already\n$/u);
  assert.equal((await readOverHttp(program, successor)).status, 200);
});

test('iat revoke: a token that was not used ends at once', async () => {
  const { id, access_token } = await one(registry.json('iat', 'create', '--lifetime', '600'));
  assert.equal(await registry.run('iat', 'revoke', String(id)), `revoked ${String(id)}\n`);
  const answer = await fetch(`${program.url}/clients`, {
    method: 'POST',
    headers: { authorization: `Bearer ${String(access_token)}`, 'content-type': 'application/json' },
    body: '{"redirect_uris":["https://rp.example/cb"]}',
  });
  assert.equal(answer.status, 401);
});

test('export, import into another database with another key: old secrets and registration tokens go on working', async () => {
  const client = await create({ ...SERVICE, data: { exact: 1 } });
  const id = String(client['client_id']);
  await registry.run('clients', 'rotate-secret', id, '--keep-previous', '3600');
  const renewed = await one(registry.json('clients', 'show', id, '--secrets'));
  const file = join(newFolder(), 'clients.jsonl');
  await registry.run('clients', 'export', '--out', file);
  assert.equal(statSync(file).mode & 0o777, 0o600);

  const [otherFolder, otherKey] = [newFolder(), randomBytes(32).toString('hex')];
  const other = registryCommands(otherFolder, otherKey);
  const clients = jsonLines(readFileSync(file, 'utf8')).length - 1;
  const expected = { imported: clients, replaced: 0, unchanged: 0, refused: 0, dry_run: false };
  assert.deepEqual(await one(other.json('clients', 'import', file)), expected);

  const second = await startProgram({
    folder: otherFolder,
    environment: { CHANCERY_ENCRYPTION_KEY: otherKey },
  });
  try {
    for (const { client_secret } of [client, renewed]) {
      assert.equal((await requestToken(second, id, client_secret)).status, 200);
    }
    const answer = await readOverHttp(second, client);
    const text = await answer.text();
    assert.equal(answer.status, 200);
    assert.match(text, /"data":\{"exact":1\}/u);
    // Beside the running server, which has used the client meanwhile: nothing changes.
    const again = { ...expected, imported: 0, unchanged: clients };
    assert.deepEqual(await one(other.json('clients', 'import', file)), again);
  } finally {
    await second.stop();
  }
  const events = (await other.audit()).filter(({ action }) => action === 'client.import');
  assert.equal(events.length, clients);
  assert.ok(events.every(({ actor, outcome }) => actor === 'cli' && outcome === 'done'));
});

test('import: a different client with the id is refused by its line unless --replace; the other lines go on', async () => {
  const other = registryCommands(newFolder());
  const text = await registry.run('clients', 'export');
  const [header = '', first = '{}'] = text.split('\n');
  const line = JSON.parse(first) as { client_id: string; metadata: object };
  const changed = { ...line, metadata: { ...line.metadata, client_name: 'Changed' } };
  const fresh = { ...line, client_id: 'fresh' };
  const invalid = {
    ...line,
    client_id: 'invalid',
    metadata: { ...line.metadata, redirect_uris: ['javascript:1'] },
  };
  const write = (...lines: readonly object[]): string => {
    const file = join(newFolder(), 'clients.jsonl');
    writeFileSync(file, [header, ...lines.map((each) => JSON.stringify(each)), ''].join('\n'));
    return file;
  };
  await other.run('clients', 'import', write(line));
  const mixed = write(changed, invalid, fresh);
  const { how, stdout, stderr } = await other.attempt('clients', 'import', mixed);
  assert.deepEqual([how, stdout], [1, '1 imported, 0 replaced, 0 unchanged, 2 refused\n']);
  assert.match(
    stderr,
    /^line 2: .*another client is registered with this client_id; the option replace overwrites it$/mu,
  );
  assert.match(stderr, /^line 3: invalid_redirect_uri: /mu);
  assert.equal(stderr.trimEnd().split('\n').length, 2);
  const replaced = await other.run('clients', 'import', write(changed), '--replace');
  assert.equal(replaced, '0 imported, 1 replaced, 0 unchanged, 0 refused\n');
  assert.match(await other.run('clients', 'show', line.client_id), /^client_name +Changed$/mu);
  const refusals = (await other.audit()).filter(({ outcome }) => outcome === 'refused');
  const told = refusals.map(({ client_id, detail }) => `${client_id} ${detail}`);
  assert.deepEqual(
    told.sort(),
    [`${line.client_id} invalid_client_metadata`, 'invalid invalid_redirect_uri'].sort(),
  );
});

test('import: another format version is refused, another issuer is a warning', async () => {
  const other = registryCommands(newFolder());
  const file = join(newFolder(), 'clients.jsonl');
  writeFileSync(file, '{"chancery_export":2,"issuer":"https://op.example.com"}\n');
  const version = await other.attempt('clients', 'import', file);
  assert.equal(version.how, 1);
  assert.match(version.stderr, /^chancery clients import: .*format version .2.; this program reads 1\n$/u);
  writeFileSync(file, '{"chancery_export":1,"issuer":"https://old.example"}\n');
  const issuer = await other.attempt('clients', 'import', file);
  assert.equal(issuer.how, 0);
  assert.match(issuer.stderr, /^the clients are those of "https:\/\/old\.example".*\n$/u);
});

test('clients prune deletes unused openly registered clients and no others; a dry run deletes nothing', async () => {
  const other = registryCommands(newFolder());
  const [header = '', first = '{}'] = (await registry.run('clients', 'export')).split('\n');
  const line = JSON.parse(first) as Members;
  const now = Math.floor(Date.now() / 1000);
  const long = { ...line, issued_at: now - 400 * 86_400, last_used: [] };
  const clients = [
    { ...long, client_id: 'idle', registered_via: 'open' },
    { ...long, client_id: 'by-token', registered_via: 'initial:wiki' },
    { ...long, client_id: 'used', registered_via: 'open', last_used: [{ secret: 0, at: now - 60 }] },
    { ...long, client_id: 'young', registered_via: 'open', issued_at: now },
  ];
  const file = join(newFolder(), 'clients.jsonl');
  writeFileSync(file, [header, ...clients.map((client) => JSON.stringify(client))].join('\n'));
  await other.run('clients', 'import', file);
  const prune = ['clients', 'prune', '--idle', String(90 * 86_400)] as const;
  assert.equal(await other.run(...prune, '--dry-run'), 'idle\n1 idle clients would be deleted\n');
  assert.equal((await other.json('clients', 'list')).length, 4);
  assert.deepEqual(await other.json(...prune), [{ client_id: 'idle' }]);
  const left = (await other.json('clients', 'list')).map(({ client_id }) => client_id);
  assert.deepEqual(left, ['by-token', 'used', 'young']);
});

test('clients list: filters by registrant, grant and name; says when there are more than the limit', async () => {
  const other = registryCommands(newFolder());
  for (const [preferred_client_id, client_name] of [
    ['a', 'Wiki'],
    ['b', 'the WIKI of others'],
    ['c', 'Blog'],
  ]) {
    const request = { ...SERVICE, preferred_client_id, client_name };
    await other.run('clients', 'create', jsonFile(request));
  }
  const ids = async (...words: readonly string[]): Promise<unknown> =>
    (await other.json('clients', 'list', ...words)).map(({ client_id }) => client_id);
  assert.deepEqual(await ids('--name', 'wiki'), ['a', 'b']);
  assert.deepEqual(await ids('--grant-type', 'implicit'), []);
  assert.deepEqual(await ids('--registered-via', 'cli', '--limit', '3'), ['a', 'b', 'c']);
  const limited = await other.attempt('clients', 'list', '--limit', '2');
  assert.equal(limited.how, 0);
  assert.equal(limited.stderr, 'there are more clients than --limit 2\n');
  assert.match(
    limited.stdout,
    /^CLIENT_ID {2}NAME +GRANTS +REGISTERED VIA +ISSUED +EXPIRES +LAST USED\na +Wiki .*\nb .*\n$/u,
  );
});

test('--mode development: the commands open the data folder with the key that is in it', async () => {
  const data = newFolder();
  const environment = { CHANCERY_STORAGE_URL: await storageUrl(data) };
  const words = ['clients', 'create', jsonFile({ grant_types: ['client_credentials'] }), '--json'];
  const { how, stdout, stderr } = await chancery([...words, '--mode', 'development'], environment, {
    folder: data,
  });
  assert.deepEqual([how, stderr], [0, '']);
  const [client] = jsonLines(stdout);
  const [key = ''] = JSON.parse(
    readFileSync(join(developmentFolder(data), 'development-encryption-key.json'), 'utf8'),
  ) as string[];
  const development = await startProgram({
    mode: 'dev',
    folder: data,
    environment: { CHANCERY_ENCRYPTION_KEY: key },
  });
  try {
    const token = await requestToken(development, client?.['client_id'], client?.['client_secret']);
    assert.equal(token.status, 200);
  } finally {
    await development.stop();
  }
});

const CALLED_WRONGLY: readonly (readonly [words: readonly string[], line: RegExp])[] = [
  [['clients', 'show'], /^chancery clients show: ID is missing\n$/u],
  [['clients', 'delete', 'a', 'b'], /^chancery clients delete: unexpected argument "b"\n$/u],
  [['clients', 'list', '--limit', '0'], /^chancery clients list: --limit must be .*\n$/u],
  [['clients', 'list', '--grant-type', 'code'], /^chancery clients list: --grant-type must be one of .*\n$/u],
  [['clients', 'prune'], /^chancery clients prune: --idle must be .*\n$/u],
  [['iat', 'create', '--scope', 'openid'], /^chancery iat create: --scope takes client-reg:… .*\n$/u],
  [['iat', 'list', '--mode', 'test'], /^chancery iat list: --mode must be development or production.*\n$/u],
];

test('commands of the registry, called wrongly: one line on standard error, exit code 2', async () => {
  for (const [words, line] of CALLED_WRONGLY) {
    const { how, stdout, stderr } = await registry.attempt(...words);
    assert.match(stderr, line);
    assert.deepEqual([how, stdout], [2, ''], words.join(' '));
  }
});

test('a database that is not there is one line, and is not made by a command that only looks', async () => {
  const absent = registryCommands(join(newFolder(), 'mistyped'));
  const { how, stdout, stderr } = await absent.attempt('clients', 'list');
  assert.deepEqual([how, stdout], [1, '']);
  assert.match(
    stderr,
    /^chancery clients list: there is no database at .*mistyped\/chancery\.db \(storage\.url\)\n$/u,
  );
});

test('clients create: metadata that no token may register is refused in one line, and recorded', async () => {
  const other = registryCommands(newFolder());
  const file = jsonFile({ redirect_uris: ['javascript:alert(1)'] });
  const { how, stdout, stderr } = await other.attempt('clients', 'create', file);
  assert.deepEqual([how, stdout], [1, '']);
  assert.match(stderr, /^chancery clients create: invalid_redirect_uri: .*\n$/u);
  const [event] = await other.audit();
  assert.deepEqual(
    [event?.action, event?.actor, event?.outcome, event?.detail],
    ['client.create', 'cli', 'refused', 'invalid_redirect_uri'],
  );
});

test('clients create --name: the options stand for a file, and the token of that client is introspected', async () => {
  const client = await one(
    registry.json('clients', 'create', '--name', 'Nightly', '--scope', INTROSPECTION, '--id', 'nightly'),
  );
  assert.deepEqual(
    [client['client_id'], client['client_name'], client['grant_types'], client['scope']],
    ['nightly', 'Nightly', ['client_credentials'], INTROSPECTION],
  );
  const { access_token } = await requestToken(program, 'nightly', client['client_secret']);
  const claims = await one(registry.json('token', 'introspect', access_token));
  assert.deepEqual([claims['active'], claims['client_id']], [true, 'nightly']);
  const piped = await registry.attempt('token', 'introspect', 'not-a-token', '--json');
  assert.deepEqual([piped.how, piped.stdout], [1, '{"active":false}\n']);
});

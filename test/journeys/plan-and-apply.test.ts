import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { FILE_BYTES_MAX } from '../../src/cli/plan-file.ts';
import { yamlOf } from '../examples/documents.ts';
import { type Program, startProgram } from '../program/start.ts';
import type { Ended } from './command.ts';
import { type Members, type RegistryCommands, registryCommands, requestToken } from './registry-commands.ts';

const SECRET = 'declared-secret-0123456789-0123456789-0123456789';

let folder: string;
let files: string;
let program: Program;
let registry: RegistryCommands;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'chancery-plan-'));
  files = join(folder, 'files');
  mkdirSync(files);
  program = await startProgram({ folder });
  registry = registryCommands(folder, undefined, { DECLARED_SECRET: SECRET });
});

after(async () => {
  await program.stop();
  rmSync(folder, { recursive: true, force: true });
});

function file(name: string, content: string): string {
  const path = join(files, name);
  writeFileSync(path, content, { mode: 0o600 });
  return path;
}

const SHOP = `chancery: 1
owner: shop
defaults: {grant_types: [client_credentials]}
clients:
  job: {client_name: Job, client_secret: {file: job.secret}}
  other: {client_name: Other, data: {note: "\\u001b[31m"}, client_secret: {env: DECLARED_SECRET}}
`;

const said = ({ how, stdout, stderr }: Ended): readonly unknown[] => [how, stdout, stderr];

test('plan ends with 2 for a difference, apply makes it, then plan ends with 0, and the running server knows the client', async () => {
  file('job.secret', SECRET);
  const shop = file('shop.yaml', SHOP);
  const planned = await registry.attempt('plan', shop);
  assert.deepEqual([planned.how, planned.stderr], [2, '']);
  assert.match(planned.stdout, /^ {2}\+ client job \(owner shop\)$/mu);
  assert.match(planned.stdout, /^ {6}\+ data: \{"note":"\\u001b\[31m"\}$/mu);
  assert.match(
    planned.stdout,
    /^Plan: 2 to create, 0 to change, 0 to replace, 0 to delete; 0 unchanged\.$/mu,
  );
  assert.deepEqual(said(await registry.attempt('plan', shop)), said(planned));
  const unasked = await registry.attempt('apply', shop);
  assert.equal(unasked.how, 2);
  assert.match(unasked.stderr, /nothing was applied: give --yes/);
  const applied = await registry.attempt('apply', files, '--yes');
  assert.deepEqual([applied.how, applied.stderr], [0, '']);
  assert.match(applied.stdout, /^2 changes applied$/mu);
  assert.equal((await requestToken(program, 'job', SECRET)).status, 200);
  assert.equal((await requestToken(program, 'other', SECRET)).status, 200);
  assert.equal(
    await registry.run('plan', shop),
    'No changes: everything is as declared (clients and tenants: 2).\n',
  );
  for (const { stdout, stderr } of [planned, unasked, applied])
    assert.ok(!`${stdout}${stderr}`.includes(SECRET), 'no secret is printed');
});

test('a stored plan is applied as it was made, again without effect, and not at all after another change', async () => {
  const shop = file('shop.yaml', SHOP.replace('client_name: Job', 'client_name: Renamed'));
  const plan = join(folder, 'shop.plan');
  assert.equal((await registry.attempt('plan', shop, '--out', plan)).how, 2);
  assert.ok(!readFileSync(plan, 'utf8').includes(SECRET), 'a plan holds no secret');
  assert.match(
    await registry.run('apply', plan),
    /^ {6}~ client_name: "Job" → "Renamed"$(?:.|\n)*^1 changes applied$/mu,
  );
  assert.match(await registry.run('apply', plan), /^0 changes applied, 1 were there already$/mu);
  assert.equal((await requestToken(program, 'job', SECRET)).status, 200);
  const late = join(folder, 'late.plan');
  const both = SHOP.replace('client_name: Job', 'client_name: X').replace(' Other', ' Y');
  assert.equal((await registry.attempt('plan', file('late.yaml', both), '--out', late)).how, 2);
  await registry.run('clients', 'rotate-secret', 'job');
  const refused = await registry.attempt('apply', late);
  assert.equal(refused.how, 1);
  assert.match(refused.stderr, /client "job" was changed meanwhile\n.*2 changes were not applied/u);
  const [other] = await registry.json('clients', 'show', 'other');
  assert.equal(other?.['client_name'], 'Other');
});

test('plan --prune deletes what the owner no longer declares, and --adopt takes over a client without owner', async () => {
  await registry.run(
    'clients',
    'create',
    '--name',
    'Free',
    '--id',
    'free',
    '--grant-type',
    'client_credentials',
  );
  const shop = file(
    'pruned.yaml',
    'chancery: 1\nowner: shop\nclients: {free: {grant_types: [client_credentials]}}',
  );
  const refused = await registry.attempt('plan', shop, '--prune');
  assert.equal(refused.how, 1);
  assert.match(refused.stderr, /pruned.yaml:3: client "free": is registered and has no owner: adopt it/);
  const { how, stdout } = await registry.attempt(
    'apply',
    shop,
    '--prune',
    '--adopt',
    'free',
    '--yes',
    '--json',
  );
  assert.deepEqual([how, JSON.parse(stdout)], [0, { applied: 3, settled: 0, conflicts: [], left: 0 }]);
  const clients = await registry.json('clients', 'list');
  assert.deepEqual(
    clients.map(({ client_id }) => client_id),
    ['free'],
  );
});

test('plan and apply end with 1 for mistakes and for a wrong command line: a pipeline takes 2 for a difference', async () => {
  const wrong = file(
    'wrong.yaml',
    'chancery: 1\nowner: shop\nclients: {a: {redirect_uris: [javascript:x], client_secret: {file: none}}}',
  );
  const { how, stdout, stderr } = await registry.attempt('plan', wrong);
  assert.deepEqual([how, stdout], [1, '']);
  assert.match(stderr, /client_secret names the file .*none, which cannot be read: ENOENT/);
  assert.equal((await registry.attempt('plan', wrong, '--strange')).how, 1);
  assert.equal((await registry.attempt('plan', join(folder, 'absent.yaml'))).how, 1);
});

test('docs/guides/configuration-as-code.md: plan takes both examples', async () => {
  const [example = '', tenants = ''] = yamlOf('docs/guides/configuration-as-code.md');
  mkdirSync(join(files, 'secrets'));
  file('secrets/shop-jobs', SECRET);
  file('secrets/acme-master', `ops:${'a'.repeat(64)}`);
  const { how, stdout, stderr } = await registry.attempt('plan', file('example.yaml', example));
  assert.deepEqual([how, stderr], [2, '']);
  assert.match(stdout, /^Plan: 2 to create, /mu);
  const ofTenants = await registry.attempt('plan', file('tenants.yaml', tenants));
  assert.deepEqual([ofTenants.how, ofTenants.stderr], [2, '']);
  assert.match(ofTenants.stdout, /^ {2}\+ tenant acme (?:.|\n)*^ {2}\+ client acme-jobs .*tenant acme\)$/mu);
});

test('a file of 100 MB is refused before it is read (H-563)', async () => {
  const large = file('large.yaml', '');
  truncateSync(large, 100_000_000);
  const { how, stderr } = await registry.attempt('plan', large);
  assert.equal(how, 1);
  assert.match(stderr, new RegExp(`large.yaml is larger than ${FILE_BYTES_MAX} bytes: split it`, 'u'));
});

test('plan --schema prints the JSON Schema of the files', async () => {
  const schema = JSON.parse(await registry.run('plan', '--schema')) as Members;
  const { metadata } = schema['$defs'] as { metadata: { properties: Members } };
  assert.ok('redirect_uris' in metadata.properties && 'client_secret' in metadata.properties);
  assert.ok(!('preferred_client_secret' in metadata.properties));
  const { tenants } = schema['properties'] as {
    tenants: { additionalProperties: { properties: Readonly<Record<string, { properties: Members }>> } };
  };
  const { settings, federation } = tenants.additionalProperties.properties;
  assert.ok('access-token.lifetime' in (settings?.properties ?? {}), 'a setting that a tenant may have');
  assert.ok(!('storage.url' in (settings?.properties ?? {})), 'a setting of the process');
  assert.ok('authority-hints' in (federation?.properties ?? {}), 'a setting of the federation by its name');
});

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { DISK_FOLDER } from '../../src/testing/disk-folder.ts';
import { listeningPort } from '../../src/testing/listening-port.ts';
import { type Program, startProgram } from '../program/start.ts';
import { chancery, type Ended } from './command.ts';
import { jsonLines, type Members, one, requestToken } from './registry-commands.ts';

const SECRET = 'declared-over-http-0123456789-0123456789-0123456789';

let folder: string;
let tokenFile: string;
let program: Program;

before(async () => {
  folder = mkdtempSync(join(DISK_FOLDER, 'chancery-http-'));
  program = await startProgram();
  tokenFile = file('token', program.adminToken);
});

after(async () => {
  await program.stop();
  rmSync(folder, { recursive: true, force: true });
});

function file(name: string, content: string, mode = 0o600): string {
  const path = join(folder, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, content, { mode });
  return path;
}

/** Runs a command in an empty folder, without settings: everything comes from the server. */
async function remote(
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  return await chancery(
    [...words, '--server', program.managementUrl],
    { CHANCERY_TOKEN_FILE: tokenFile, ...environment },
    { folder },
  );
}

async function json(...words: readonly string[]): Promise<readonly Members[]> {
  const { how, stdout, stderr } = await remote([...words, '--json']);
  assert.deepEqual([how, stderr], [0, ''], words.join(' '));
  return jsonLines(stdout);
}

test('commands with --server create, show, list and delete a client on a machine without settings and database', async () => {
  const created = await one(
    json('clients', 'create', '--name', 'Job', '--id', 'job', '--grant-type', 'client_credentials'),
  );
  assert.equal((await requestToken(program, 'job', created['client_secret'])).status, 200);
  const shown = await remote(['clients', 'show', 'job']);
  assert.match(shown.stdout, /^client_id +job$/mu);
  assert.ok(!shown.stdout.includes(String(created['client_secret'])));
  const rotated = await one(json('clients', 'rotate-secret', 'job', '--keep-previous', '1h'));
  assert.equal((await requestToken(program, 'job', rotated['client_secret'])).status, 200);
  const listed = await remote(['clients', 'list']);
  assert.match(listed.stdout, /^CLIENT ID .*\n(?:.*\n)*job /u);
  const deleted = await remote(['clients', 'delete', 'job', '--reason', 'no longer used']);
  assert.deepEqual([deleted.how, deleted.stdout], [0, 'done\n']);
  const [event] = await json('audit', 'list', '--action', 'client.delete');
  assert.deepEqual([event?.['client_id'], event?.['reason']], ['job', 'no longer used']);
});

test('a refusal of the API is the message of the command, with the scope that the token needs', async () => {
  const absent = await remote(['clients', 'show', 'nowhere']);
  assert.deepEqual([absent.how, absent.stderr], [1, 'chancery clients show: there is no such client\n']);
  const wrong = await remote(['clients', 'create', '--name', 'X', '--redirect-uri', 'javascript:alert(1)']);
  assert.equal(wrong.how, 1);
  assert.match(wrong.stderr, /redirect_uris\[0\]/);
  const refused = await remote(['keys', 'list'], { CHANCERY_TOKEN_FILE: file('wrong', 'not-a-token') });
  assert.equal(refused.how, 1);
  assert.match(refused.stderr, /\(the token needs admin:keys:read\)/);
});

test('plan and apply with --server do what they do on a database, and a prune removes what the owner lacks', async () => {
  file('job.secret', SECRET);
  const many = Array.from(
    { length: 120 },
    (_, index) => `  c${index}: {client_name: "${'n'.repeat(200)}"}`,
  ).join('\n');
  const files = file(
    'shop.yaml',
    `chancery: 1\nowner: shop\ndefaults: {grant_types: [client_credentials]}\nclients:\n  job: {client_secret: {file: job.secret}}\n${many}\n`,
  );
  const planned = await remote(['plan', files]);
  assert.deepEqual([planned.how, planned.stderr], [2, '']);
  assert.match(planned.stdout, /^Plan: 121 to create/mu);
  const applied = await remote(['apply', files, '--yes']);
  assert.deepEqual([applied.how, applied.stderr], [0, '']);
  assert.match(applied.stdout, /^121 changes applied$/mu);
  assert.equal((await requestToken(program, 'job', SECRET)).status, 200);
  assert.equal((await remote(['plan', files])).how, 0);
  const fewer = file('fewer.yaml', 'chancery: 1\nowner: shop\nclients: {}\n');
  const pruned = await remote(['apply', fewer, '--prune', '--yes', '--json']);
  assert.equal((JSON.parse(pruned.stdout) as Members)['applied'], 121, pruned.stderr);
});

test('accounts are named by their names, and sessions and grants belong to them', async () => {
  const password = Buffer.from('correct horse battery staple\n');
  const words = [
    'accounts',
    'add',
    'ada',
    '--email',
    'ada@example.com',
    '--password-stdin',
    '--server',
    program.managementUrl,
  ];
  const added = await chancery(words, { CHANCERY_TOKEN_FILE: tokenFile }, { input: password, folder });
  assert.deepEqual([added.how, added.stderr], [0, '']);
  const shown = await one(json('accounts', 'show', 'Ada'));
  assert.equal(shown['username'], 'ada');
  assert.deepEqual(await json('sessions', 'list', 'ada'), []);
  assert.deepEqual(await json('sessions', 'list', '--sub', String(shown['sub'])), []);
  assert.deepEqual(await json('sessions', 'end', 'ada'), [{ ended: 0 }]);
  assert.equal((await remote(['accounts', 'disable', 'ada'])).how, 0);
  assert.match((await remote(['accounts', 'show', 'eve'])).stderr, /there is no account "eve"/);
});

const REFUSED: readonly (readonly [what: string, words: readonly string[], because: RegExp])[] = [
  ['http to another host', ['keys', 'list', '--server', 'http://op.example.com'], /must have https/],
  [
    'http to a name that looks like this machine',
    ['keys', 'list', '--server', 'http://localhost.example.com'],
    /must have https/,
  ],
  ['a user in the URL', ['keys', 'list', '--server', 'https://a:b@op.example.com'], /no user/],
  ['a URL of another scheme', ['keys', 'list', '--server', 'file:///etc/passwd'], /no URL of http or https/],
  [
    'settings beside a server',
    ['keys', 'list', '--server', 'https://op.example.com', '--mode', 'production'],
    /exclude each other/,
  ],
  ['a token without a server', ['keys', 'list', '--token', 'x'], /--token needs --server/],
  [
    'a command without operation',
    ['clients', 'export', '--server', 'https://op.example.com'],
    /every secret in clear/,
  ],
  [
    'an option without counterpart',
    ['clients', 'show', 'x', '--secrets', '--server', 'https://op.example.com'],
    /shows a secret in the answer that makes it/,
  ],
];

for (const [what, words, because] of REFUSED) {
  test(`--server refuses ${what}, and sends nothing`, async () => {
    const { how, stderr } = await chancery(words, { CHANCERY_TOKEN_FILE: tokenFile }, { folder });
    assert.equal(how, 2, stderr);
    assert.match(stderr, because);
  });
}

test('a token file that others can read is refused, and --token warns about the list of processes', async () => {
  const open = file('open', program.adminToken, 0o644);
  const refused = await remote(['keys', 'list'], { CHANCERY_TOKEN_FILE: open });
  assert.match(refused.stderr, /every user of the machine can read/);
  const warned = await remote(['keys', 'list', '--token', program.adminToken], { CHANCERY_TOKEN_FILE: '' });
  assert.equal(warned.how, 0, warned.stderr);
  assert.match(warned.stderr, /list of processes: prefer --token-file/);
});

test('a redirect of a server is not followed: the token goes nowhere else', async () => {
  const seen: (string | undefined)[] = [];
  const other = createServer((request, response) => {
    seen.push(request.headers.authorization);
    response.writeHead(302, { location: `${program.managementUrl}/admin/v1/keys` }).end();
  });
  const port = await listeningPort(other.listen(0, '127.0.0.1'));
  const words = ['keys', 'list', '--server', `http://127.0.0.1:${port}`];
  const { how, stderr } = await chancery(words, { CHANCERY_TOKEN_FILE: tokenFile }, { folder });
  other.close();
  assert.deepEqual([how, seen.length], [1, 1]);
  assert.match(stderr, /answers 302 without problem details/);
});

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Storage, TenantStorage } from '../../src/ports/storage.ts';
import { DEFAULT_TENANT, type Digest, type SessionId, type Subject } from '../../src/spec/identifiers.ts';
import { ENCRYPTION_KEY } from '../program/start.ts';
import { openProgramStorage, storageUrl } from '../program/storage-place.ts';
import { chancery, type Ended } from './command.ts';
import { registryCommands } from './registry-commands.ts';

const root = mkdtempSync(join(tmpdir(), 'chancery-accounts-'));
after(() => rmSync(root, { recursive: true }));

/** A folder of its own, its commands, and one that is given `input` to read. */
function accountsIn(name: string) {
  const folder = join(root, name);
  const fed = async (input: string | Uint8Array, ...words: readonly string[]): Promise<Ended> => {
    const environment = {
      CHANCERY_ISSUER: 'https://op.example.com',
      CHANCERY_STORAGE_URL: await storageUrl(folder),
      CHANCERY_ENCRYPTION_KEY: ENCRYPTION_KEY,
    };
    return await chancery([...words, '--password-stdin'], environment, {
      input: Buffer.from(input),
    });
  };
  return { folder, fed, registry: registryCommands(folder) };
}

/** As another process sees the data. */
async function beside(folder: string, act: (tenant: TenantStorage) => Promise<void>): Promise<void> {
  const storage: Storage = await openProgramStorage(folder);
  try {
    await act(storage.forTenant(DEFAULT_TENANT));
  } finally {
    await storage.close();
  }
}

async function withSession(tenant: TenantStorage, sub: Subject, key: string): Promise<Digest> {
  const now = Math.floor(Date.now() / 1000);
  const times = { auth_time: now, created_at: now, last_seen_at: now };
  const session = {
    key: key as Digest,
    sid: `sid of ${key}` as SessionId,
    sub,
    acr: null,
    amr: ['pwd'],
    ...times,
    expires_at: now + 3600,
    ends_at: now + 3600,
  };
  const conditions = { replaces: undefined, accountVersion: undefined, sessionsMax: 10, now };
  await tenant.sessions.create(session, conditions);
  return session.key;
}

test('accounts add, list, show: an account with claims, and never its password or its hash', async () => {
  const { fed, registry } = accountsIn('add');
  const claims = ['--claim', 'name=Ada', '--claim', 'email_verified=true', '--claim', 'birthdate=1815'];
  const added = await fed(
    'correct horse\nnot read\n',
    'accounts',
    'add',
    'Ada',
    '--email',
    'a@b.example',
    ...claims,
  );
  assert.deepEqual([added.how, added.stderr], [0, '']);
  const [account] = await registry.json('accounts', 'list');
  assert.deepEqual(account?.['claims'], {
    email: 'a@b.example',
    name: 'Ada',
    email_verified: true,
    birthdate: '1815',
  });
  assert.match(String(account['sub']), /^[A-Za-z0-9]{24}$/u);
  const [shown] = await registry.json('accounts', 'show', 'ADA');
  assert.deepEqual(shown, { ...account, sessions: [] });
  const texts = [
    added.stdout,
    await registry.run('accounts', 'list'),
    await registry.run('accounts', 'show', 'ada'),
  ];
  for (const text of [...texts, JSON.stringify([account, shown, await registry.audit()])]) {
    assert.ok(text.includes(String(account['sub'])));
    assert.doesNotMatch(text, /correct horse|argon2/u);
  }
  const [event] = await registry.audit();
  assert.deepEqual([event?.action, event?.actor], ['account.create', 'cli']);
});

const REFUSED: readonly (readonly [string, readonly string[], string | Uint8Array, RegExp])[] = [
  ['a short password', ['Bob'], 'short', /shorter than 8/u],
  ['no password', ['Bob'], '', /holds no password/u],
  ['a password that is not UTF-8', ['Bob'], Uint8Array.of(0xff, 0xfe, 0x41, 0x42), /not UTF-8/u],
  ['a password with NUL', ['Bob'], 'correct\0horse', /control/u],
  ['a password of a megabyte', ['Bob'], 'x'.repeat(1 << 20), /longer than/u],
  ['one of the commonest passwords', ['Bob'], 'Password123', /too common/u],
  ['a name with a space', ['Bob B'], 'correct horse', /is not a valid account name/u],
  ['a name of two scripts', ['B\u043eb'], 'correct horse', /is not a valid account name/u],
  ['a claim of the server', ['Bob', '--claim', 'sub=x'], 'correct horse', /reserved for the server/u],
  [
    'a claim of the wrong type',
    ['Bob', '--claim', 'email_verified=yes'],
    'correct horse',
    /must be of the type boolean, not string/u,
  ],
];

test('accounts add: what cannot be an account is refused in one line without the password, exit code 1', async () => {
  const { fed, registry } = accountsIn('refused');
  assert.equal((await fed('correct horse', 'accounts', 'add', 'Ada')).how, 0);
  for (const [what, words, input, why] of REFUSED) {
    const { how, stdout, stderr } = await fed(input, 'accounts', 'add', ...words);
    assert.deepEqual([how, stdout], [1, ''], what);
    assert.match(stderr, why, what);
    assert.match(stderr, /^[^\n]+\n$/u, what);
    assert.doesNotMatch(stderr, /correct|Password123/u, what);
  }
  assert.match((await fed('correct horse', 'accounts', 'add', 'ＡＤＡ')).stderr, /already/u);
  assert.equal((await registry.json('accounts', 'list')).length, 1);
});

test('a password is no argument, and there is no terminal here to ask at', async () => {
  const { registry } = accountsIn('argument');
  assert.equal((await registry.attempt('accounts', 'add', 'Ada', 'correct horse')).how, 2);
  const { how, stderr } = await registry.attempt('accounts', 'add', 'Ada');
  assert.equal(how, 1);
  assert.match(stderr, /--password-stdin/u);
});

test('disable, set-password and delete end the sessions that other processes serve', async () => {
  const { folder, fed, registry } = accountsIn('ends');
  await fed('correct horse', 'accounts', 'add', 'Ada');
  const [account] = await registry.json('accounts', 'show', 'ada');
  const sub = String(account?.['sub']) as Subject;
  await beside(folder, async (tenant) => {
    const first = await withSession(tenant, sub, 'one');
    const [shown] = await registry.json('accounts', 'show', 'ada');
    assert.match(JSON.stringify(shown?.['sessions']), /^\[\{"sid":"sid of one",[^{}]*\}\]$/u);
    await registry.run('accounts', 'disable', 'ada');
    assert.equal(await tenant.sessions.find(first), undefined);
    assert.notEqual((await tenant.accounts.find(sub))?.disabled_at, null);
    await registry.run('accounts', 'enable', 'ada');
    assert.equal((await tenant.accounts.find(sub))?.disabled_at, null);

    const second = await withSession(tenant, sub, 'two');
    const before = (await tenant.accounts.find(sub))?.password_hash;
    assert.equal((await fed('battery staple', 'accounts', 'set-password', 'ada')).how, 0);
    assert.equal(await tenant.sessions.find(second), undefined);
    assert.notEqual((await tenant.accounts.find(sub))?.password_hash, before);

    const third = await withSession(tenant, sub, 'three');
    await registry.run('accounts', 'delete', 'ada');
    assert.equal(await tenant.sessions.find(third), undefined);
    assert.equal(await tenant.accounts.find(sub), undefined);
  });
  const { how, stderr } = await registry.attempt('accounts', 'show', 'ada');
  assert.deepEqual([how, stderr.includes('there is no account "ada"')], [1, true]);
  const details = (await registry.audit()).map((event) => [event.action, event.sub, event.detail]);
  assert.deepEqual(details, [
    ['account.create', sub, null],
    ['account.update', sub, 'disabled'],
    ['account.update', sub, 'enabled'],
    ['account.update', sub, 'password'],
    ['account.delete', sub, null],
  ]);
});

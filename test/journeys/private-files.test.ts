import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { startProgram } from '../program/start.ts';
import { chancery } from './command.ts';
import { type Production, production } from './production.ts';

let world: Production;
let folder = '';

beforeEach(async () => {
  world = await production();
  folder = world.folder;
});

afterEach(() => world.remove());

test('clients export --out follows no link and reuses no file at FILE.new, and its file has mode 0600 (C-41)', async () => {
  const target = join(folder, 'target');
  const [linked, reused] = [join(folder, 'linked.jsonl'), join(folder, 'reused.jsonl')];
  writeFileSync(target, 'of another user', { mode: 0o644 });
  symlinkSync(target, `${linked}.new`);
  writeFileSync(`${reused}.new`, '', { mode: 0o666 });
  const planted = lstatSync(`${reused}.new`).ino;
  const { environment } = world;
  await chancery(['migrate', 'up'], environment);
  for (const file of [linked, reused]) {
    const { how, stderr } = await chancery(['clients', 'export', '--out', file], environment);
    assert.equal(how, 0, stderr);
    const { mode, ino } = lstatSync(file);
    assert.ok(lstatSync(file).isFile(), 'no link');
    assert.equal(mode & 0o777, 0o600);
    assert.notEqual(ino, planted);
  }
  assert.equal(readFileSync(target, 'utf8'), 'of another user');
  assert.equal(lstatSync(target).mode & 0o777, 0o644);
  const drafts = readdirSync(folder).filter((name) => name.endsWith('.new'));
  assert.deepEqual(drafts.sort(), ['linked.jsonl.new', 'reused.jsonl.new']);
});

test('the development mode follows no link where it writes its keys and tokens (C-41)', async () => {
  const target = join(folder, 'target');
  writeFileSync(target, 'of another user');
  symlinkSync(target, join(folder, 'development-tokens.json.new'));
  symlinkSync(target, join(folder, 'development-account.json.new'));
  const program = await startProgram({ mode: 'dev', folder });
  await program.stop();
  assert.equal(readFileSync(target, 'utf8'), 'of another user');
});

test('keys encryption generate --out makes a new file of mode 0600, and never replaces or follows anything (C-44)', async () => {
  const [file, target, link] = ['encryption.key', 'target', 'link'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const generate = async (out: string) =>
    await chancery(['keys', 'encryption', 'generate', '--out', out], world.environment);
  const made = await generate(file);
  assert.equal(made.how, 0, made.stderr);
  assert.equal(lstatSync(file).mode & 0o777, 0o600);
  const key = readFileSync(file, 'utf8');
  assert.match(key, /^[0-9a-f]{64}\n$/u);
  assert.equal(made.stdout.includes(key.trim()), false);
  symlinkSync(target, link);
  for (const taken of [file, link]) {
    const refused = await generate(taken);
    assert.equal(refused.how, 1);
    assert.match(refused.stderr, /is there already: nothing was changed/u);
  }
  assert.equal(readFileSync(file, 'utf8'), key);
  assert.equal(existsSync(target), false);
  const { CHANCERY_ENCRYPTION_KEY: _, ...rest } = world.environment;
  const check = async () =>
    await chancery(['config', 'check'], { ...rest, CHANCERY_ENCRYPTION_KEY_FILE: file });
  assert.equal((await check()).how, 0);
  chmodSync(file, 0o666);
  const open = await check();
  assert.equal(open.how, 1);
  assert.match(
    open.stderr,
    /encryption\.key: names a file that other users can change \(mode 0666\): chmod 600 /u,
  );
});

test('a new database and the copy of one are new files of mode 0600, with drafts of random names (C-46)', async () => {
  const drafts: string[] = [];
  const watching = watch(folder, (_, name) => void drafts.push(String(name)));
  const umask = process.umask(0);
  const copy = join(folder, 'copy.db');
  const { environment, database } = world;
  try {
    for (const words of [
      ['migrate', 'up'],
      ['clients', 'export', '--out', join(folder, 'clients.jsonl')],
      ['storage', 'copy', '--from', `sqlite:${database}`, '--to', `sqlite:${copy}`],
      ['backup', 'create', '--out', join(folder, 'backup.db')],
    ]) {
      const { how, stderr } = await chancery(words, environment);
      assert.equal(how, 0, stderr);
    }
  } finally {
    process.umask(umask);
    watching.close();
  }
  const made = readdirSync(folder).filter((name) => name !== 'storage-url');
  assert.ok(made.includes('copy.db') && made.includes('backup.db') && made.includes('clients.jsonl'));
  for (const name of made) assert.equal(lstatSync(join(folder, name)).mode & 0o777, 0o600, name);
  const seen = new Set(drafts.filter((name) => name.includes('.new')));
  assert.ok(seen.size >= 4, [...seen].join());
  for (const name of seen)
    assert.match(name, /\.(?:new-[0-9a-f]{16}|[0-9a-f]{16}\.new)(?:-wal|-shm|-journal)?$/u);
});

test('a command escapes control characters of a path that it names (C-42)', async () => {
  const { how, stdout, stderr } = await chancery(
    ['clients', 'import', join(folder, 'a\u001b[2J\u009b31m')],
    world.environment,
  );
  assert.equal(how, 1);
  assert.match(stderr, /\\u001b\[2J\\u009b31m/u);
  // biome-ignore lint: the test is about control characters
  assert.doesNotMatch(stdout + stderr, /[^\P{Cc}\n\t]/u);
});

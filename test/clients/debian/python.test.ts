import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Program, startProgram } from '../../program/start.ts';
import { atWebsite, EMAIL, signInAt } from '../website.ts';
import { skipReason } from './packages.ts';

let program: Program;

before(async () => {
  program = await startProgram({ mode: 'dev' });
});
after(async () => await program.stop());

test('requests-oauthlib: signs a person in with its defaults', {
  skip: skipReason('requests-oauthlib'),
}, async () => {
  const website = {
    name: 'requests-oauthlib',
    command: ['/usr/bin/python3', 'requests-oauthlib.py'],
    callback: '/callback',
  } as const;
  await atWebsite(program, website, async (visit) => {
    assert.match((await signInAt(visit)).text, EMAIL);
  });
});

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

for (const [name, recipe] of [
  ['openid_connect', 'openid-connect.rb'],
  ['oauth2', 'oauth2.rb'],
] as const) {
  test(`Ruby's ${name}: signs a person in with its defaults`, { skip: skipReason(name) }, async () => {
    const website = { name, command: ['/usr/bin/ruby', recipe], callback: '/callback' } as const;
    await atWebsite(program, website, async (visit) => {
      assert.match((await signInAt(visit)).text, EMAIL);
    });
  });
}

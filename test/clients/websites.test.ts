import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Program, startProgram } from '../program/start.ts';
import { installClients } from './installed.ts';
import { atWebsite, SUBJECT, signInAt, type Website } from './website.ts';

const node = (recipe: string): Website['command'] => [process.execPath, recipe];

const WEBSITES: readonly Website[] = [
  {
    name: 'passport-openidconnect',
    command: node('passport-openidconnect.mjs'),
    callback: '/callback',
  },
];

let program: Program;

before(async () => {
  await installClients();
  program = await startProgram({ mode: 'dev' });
});
after(async () => await program.stop());

for (const website of WEBSITES) {
  test(`${website.name}: signs a person in with its defaults`, async () => {
    await atWebsite(program, website, async (visit) => {
      assert.match((await signInAt(visit)).text, SUBJECT);
    });
  });
}

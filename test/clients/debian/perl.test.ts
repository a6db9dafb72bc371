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

test("Perl's Net::OAuth2: signs a person in with its defaults", {
  skip: skipReason('net-oauth2'),
}, async () => {
  const website = {
    name: 'net-oauth2',
    command: ['/usr/bin/perl', 'net-oauth2.pl'],
    callback: '/callback',
  } as const;
  await atWebsite(program, website, async (visit) => {
    assert.match((await signInAt(visit)).text, EMAIL);
  });
});

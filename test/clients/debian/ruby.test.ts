import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Program, startProgram } from '../../program/start.ts';
import { arrived, atWebsite, EMAIL, registersItself } from '../website.ts';
import { skipReason } from './packages.ts';

let program: Program;

before(async () => {
  program = await startProgram({ mode: 'dev' });
});
after(async () => await program.stop());

for (const [name, recipe, login, callback] of [
  ['openid_connect', 'openid-connect.rb', '/login', '/callback'],
  ['oauth2', 'oauth2.rb', '/login', '/callback'],
  ['omniauth', 'omniauth.rb', '/auth/chancery', '/auth/chancery/callback'],
] as const) {
  test(`Ruby's ${name}: signs a person in with its defaults`, { skip: skipReason(name) }, async () => {
    const website = { name, command: ['/usr/bin/ruby', recipe], callback } as const;
    await atWebsite(program, website, async (visit) => {
      assert.match(arrived(visit, await visit.person.go(`${visit.base}${login}`)).text, EMAIL);
    });
  });
}

test("Ruby's openid_connect: registers itself with an initial access token", {
  skip: skipReason('openid_connect'),
}, async () => {
  await registersItself(program, ['/usr/bin/ruby', 'openid-connect-registration.rb']);
});

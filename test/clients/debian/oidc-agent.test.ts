import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { initialAccessToken } from '../../journeys/initial-access-token.ts';
import { developer } from '../../program/developer.ts';
import { freePort } from '../../program/free-port.ts';
import { plainBrowser } from '../../program/plain-browser.ts';
import { type Program, startProgram } from '../../program/start.ts';
import { launchRecipe, type RunningRecipe } from '../recipe.ts';
import { visitor } from '../visitor.ts';
import { EMAIL } from '../website.ts';
import { skipReason } from './packages.ts';

let program: Program;
let home: string;

before(async () => {
  home = mkdtempSync(join(tmpdir(), 'chancery-oidc-agent-'));
  mkdirSync(join(home, '.config'));
  program = await startProgram({ mode: 'dev' });
});
after(async () => {
  await program.stop();
  rmSync(home, { recursive: true, force: true });
});

test('oidc-agent: registers itself, signs a person in, and gives access tokens, also by its refresh token', {
  skip: skipReason('oidc-agent'),
}, async () => {
  const recipe = launchRecipe(['bash', 'oidc-agent.sh'], {
    HOME: home,
    OIDC_ENCRYPTION_PW: 'a password',
    ISSUER: program.issuer,
    INITIAL_ACCESS_TOKEN: await initialAccessToken(program, ['client-reg']),
    PORT: String(await freePort()),
  });
  const [url = ''] = await recipe.printed(/http:\S+\/authorize\?\S+/);
  const page = await visitor(program.issuer, await developer(program)).go(url);
  assert.match(page.url, /^http:\/\/localhost:/, page.text);
  await givesTokens(recipe);
});

test('oidc-agent: on a machine without a browser registers itself, and shows a code, which the person allows elsewhere (RFC 8628 §3)', {
  skip: skipReason('oidc-agent'),
}, async () => {
  const recipe = launchRecipe(['bash', 'oidc-agent-device.sh'], {
    HOME: home,
    OIDC_ENCRYPTION_PW: 'a password',
    ISSUER: program.issuer,
    INITIAL_ACCESS_TOKEN: await initialAccessToken(program, ['client-reg']),
  });
  const [code] = await recipe.printed(/[A-Z]{4}-[A-Z]{4}/);
  const [address = ''] = await recipe.printed(/http:\S+\/device\b/);
  const browser = plainBrowser(program.issuer);
  let page = await browser.open(address);
  page = await browser.submit(page, 'continue', { user_code: code });
  page = await browser.submit(page, 'sign-in', await developer(program));
  page = await browser.submit(page, 'allow');
  assert.match(page.html, /Your device is connected/);
  await givesTokens(recipe);
});

/** Asks for the token, and for a new one: both show the person. */
async function givesTokens(recipe: RunningRecipe): Promise<void> {
  assert.equal(await recipe.exited, 0, recipe.output());
  const tokens = new Set(recipe.output().match(/^[\w.-]{40,}$/gm));
  assert.equal(tokens.size, 2, recipe.output());
  for (const token of tokens) {
    const answer = await fetch(`${program.issuer}/userinfo`, {
      headers: { authorization: `Bearer ${token}` },
    });
    assert.match(await answer.text(), EMAIL);
  }
}

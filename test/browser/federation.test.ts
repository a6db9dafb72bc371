import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { BrowserContext } from 'playwright-core';
import { developer } from '../program/developer.ts';
import { freePort } from '../program/free-port.ts';
import { type Program, startProgram } from '../program/start.ts';
import { newBrowser } from './browser.ts';
import { heading, shownClaims, signIn } from './sample-website.ts';

suite('a federation on a desk in a browser', () => {
  let program: Program;
  let browser: BrowserContext;
  let website: string;

  before(async () => {
    const port = await freePort();
    website = `http://127.0.0.1:${port}/website`;
    program = await startProgram({
      mode: 'dev',
      parameters: ['--federation', '--federation-port', String(port)],
    });
    browser = await newBrowser({ viewport: { width: 390, height: 800 } });
  });
  after(async () => {
    await browser.close();
    await program.stop();
  });

  test('a person signs in at a website that never registered: its first request object registers it (OpenID Federation 1.0 §12.1)', async () => {
    const page = await browser.newPage();
    await page.goto(website);
    await heading(page, 'Website of the federation');
    await page.getByRole('link', { name: 'Sign in' }).click();
    await signIn(page, await developer(program));
    await heading(page, 'Allow access?');
    assert.match(await page.locator('main').innerText(), /Website of the federation/);
    await page.getByRole('button', { name: 'Allow' }).click();
    await heading(page, 'Signed in');
    const claims = await shownClaims(page);
    assert.deepEqual([claims['iss'], claims['aud']], [program.issuer, website]);
    await program.printed(new RegExp(`"actor":"federation:${website}".*"action":"client.create"`, 'u'));
  });

  test('the website refuses a response that this browser did not ask for', async () => {
    const page = await browser.newPage();
    await page.goto(`${website}/callback?code=stolen&state=made-up`);
    await heading(page, 'That did not work');
    assert.match(await page.locator('#problem').innerText(), /this browser has begun no sign-in here/);
  });
});

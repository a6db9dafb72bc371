import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, afterEach, before, beforeEach, suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { BrowserContext, Page } from 'playwright-core';
import { freePort } from '../program/free-port.ts';
import { type Program, sha256, startProgram } from '../program/start.ts';
import { newBrowser } from './browser.ts';
import {
  heading,
  type SampleWebsite,
  shownClaims,
  startExample,
  startSampleWebsite,
} from './sample-website.ts';

const EXAMPLE = fileURLToPath(new URL('../../examples/external-sign-in/sign-in-page.mjs', import.meta.url));

suite('sign-in at the operator’s own page, in a browser (docs/sign-in.md)', () => {
  let program: Program;
  let page: { readonly origin: string; stop(): Promise<void> };
  let website: SampleWebsite;
  let browser: BrowserContext;

  before(async () => {
    const port = await freePort();
    const token = randomBytes(32).toString('hex');
    program = await startProgram({
      mode: 'dev',
      environment: {
        CHANCERY_SIGN_IN_EXTERNAL_URL: `http://localhost:${port}/`,
        CHANCERY_SIGN_IN_TOKEN_SHA256: sha256(token),
      },
    });
    const words = ['--issuer', program.issuer, '--port', String(port)];
    const { stop } = await startExample(EXAMPLE, words, /Sign-in page on/, { SIGN_IN_TOKEN: token });
    page = { origin: `http://localhost:${port}`, stop };
  });
  after(async () => {
    await page.stop();
    await program.stop();
  });
  beforeEach(async () => {
    website = await startSampleWebsite(program);
    browser = await newBrowser();
  });
  afterEach(async () => {
    await browser.close();
    await website.stop();
  });

  async function sentOut(context: BrowserContext, query = ''): Promise<Page> {
    const tab = await context.newPage();
    await tab.goto(`${website.origin}/login${query}`);
    await heading(tab, 'Our sign-in');
    assert.ok(tab.url().startsWith(`${page.origin}/?interaction=`), tab.url());
    return tab;
  }

  async function signIn(tab: Page, password: string): Promise<void> {
    await tab.getByLabel('username').fill('ada');
    await tab.getByLabel('password').fill(password);
    await tab.getByRole('button', { name: 'Sign in and allow' }).click();
  }

  test('from the website over the operator’s page and back: signed in with what that page said, and not asked again', async () => {
    const tab = await sentOut(browser);
    assert.match(
      await tab.locator('body').innerText(),
      /Sample relying party \(localhost:\d+\) asks for: openid, profile, email/,
    );
    await signIn(tab, 'a wrong one');
    await tab.getByText('That is not right.').waitFor();
    await signIn(tab, 'analytical engine');
    await heading(tab, 'Signed in');
    const { sub, name, amr } = await shownClaims(tab);
    assert.deepEqual({ sub, name, amr }, { sub: 'ada', name: 'Ada Lovelace', amr: ['pwd'] });
    await tab.goto(`${website.origin}/login`);
    await heading(tab, 'Signed in');
    await tab.getByRole('button', { name: 'Refresh' }).click();
    await heading(tab, 'Signed in');
    await tab.getByRole('button', { name: 'Sign out' }).click();
    await tab.getByRole('button', { name: 'Sign out' }).click();
    await heading(tab, 'Signed out');
    await sentOut(browser);
  });

  test('cancelled there: the website hears access_denied', async () => {
    const tab = await sentOut(browser);
    await tab.getByRole('button', { name: 'Cancel' }).click();
    assert.equal(await tab.locator('#problem').innerText(), 'access_denied');
  });

  test('phished: a link from an attacker’s request signs in neither the attacker nor the victim', async () => {
    const mallory = await sentOut(browser);
    const other = await newBrowser();
    const victim = await other.newPage();
    await victim.goto(mallory.url());
    await signIn(victim, 'analytical engine');
    await heading(victim, 'Something went wrong');
    assert.ok(victim.url().startsWith(`${program.issuer}/interaction/`));
    const [address = ''] = victim.url().split('?');
    await mallory.goto(address);
    await heading(mallory, 'Something went wrong');
    await mallory.goto(`${website.origin}/login?prompt=none`);
    assert.equal(await mallory.locator('#problem').innerText(), 'login_required');
    await victim.goto(`${website.origin}/login?prompt=none`);
    assert.equal(await victim.locator('#problem').innerText(), 'login_required');
    await other.close();
  });

  test('the back button to the operator’s page: that sign-in is over, and a new one works', async () => {
    const tab = await sentOut(browser);
    const address = tab.url();
    await signIn(tab, 'analytical engine');
    await heading(tab, 'Signed in');
    await tab.goto(address);
    await heading(tab, 'This sign-in is over');
    const again = await sentOut(browser, '?prompt=login');
    await signIn(again, 'analytical engine');
    await heading(again, 'Signed in');
  });
});

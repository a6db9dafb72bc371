import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, suite, test } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { type Program, startProgram } from '../program/start.ts';
import { newBrowser } from './browser.ts';
import { heading, type SampleWebsite, signInAtWebsite, startSampleWebsite } from './sample-website.ts';

suite('logout in a browser', () => {
  let program: Program;
  let website: SampleWebsite;
  let browser: BrowserContext;
  let complaints: string[];

  before(async () => {
    program = await startProgram({ mode: 'dev' });
  });
  after(async () => await program.stop());
  beforeEach(async () => {
    website = await startSampleWebsite(program);
    browser = await newBrowser();
    complaints = [];
    browser.on('console', (message) => {
      if (/content security policy|refused to/i.test(message.text())) complaints.push(message.text());
    });
  });
  afterEach(async () => {
    await browser.close();
    await website.stop();
  });

  /** Where the website sends this browser to log out, with its hint and its state. */
  async function logoutAddress(): Promise<URL> {
    const answer = await browser.request.post(`${website.origin}/logout`, { maxRedirects: 0 });
    return new URL(answer.headers()['location'] ?? '');
  }

  async function isSignedInAtServer(page: Page): Promise<boolean> {
    await page.goto(`${website.origin}/login?prompt=none`);
    const [words] = await page.getByRole('heading', { level: 1 }).allInnerTexts();
    if (words === 'That did not work') {
      assert.equal(await page.locator('#problem').innerText(), 'login_required');
      return false;
    }
    assert.equal(words, 'Signed in');
    return true;
  }

  test('confirmed: asked first, then signed out at the server too, and back at the website with its state', async () => {
    const page = await signInAtWebsite(browser, website);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await heading(page, 'Sign out?');
    assert.ok(page.url().startsWith(program.issuer));
    assert.match(
      await page.locator('main').innerText(),
      /Sample relying party\s+localhost:\d+[^]*this server too, developer\?/,
    );
    await page.getByRole('button', { name: 'Sign out' }).click();
    await heading(page, 'Signed out');
    assert.match(page.url(), new RegExp(`^${website.origin}/signed-out\\?state=[\\w-]+$`));
    assert.equal(await isSignedInAtServer(page), false);
    assert.deepEqual(complaints, []);
  });

  test('declined: back at the website all the same, and the session goes on', async () => {
    const page = await signInAtWebsite(browser, website);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Stay signed in' }).click();
    await heading(page, 'Signed out');
    assert.equal(await isSignedInAtServer(page), true);
    assert.deepEqual(complaints, []);
  });

  for (const [what, spoil, why] of [
    ['without a hint', (address: URL) => address.searchParams.delete('id_token_hint'), /no id_token_hint/],
    [
      'with a hint that is none',
      (address: URL) => address.searchParams.set('id_token_hint', 'a.b.c'),
      /id_token_hint/,
    ],
    [
      'with almost the registered address',
      (address: URL) =>
        address.searchParams.set(
          'post_logout_redirect_uri',
          `${address.searchParams.get('post_logout_redirect_uri')}/`,
        ),
      /did you mean http:\/\/localhost:\d+\/signed-out\?/,
    ],
  ] as const) {
    test(`${what}: the session ends, and the browser stays here; in development the page says why`, async () => {
      const page = await signInAtWebsite(browser, website);
      const address = await logoutAddress();
      spoil(address);
      await page.goto(address.href);
      await heading(page, 'Sign out?');
      assert.match(await page.locator('.notice').innerText(), why);
      await page.getByRole('button', { name: 'Sign out' }).click();
      await heading(page, 'You are signed out');
      assert.ok(page.url().startsWith(program.issuer));
      assert.equal(await page.getByRole('link').count(), 0);
      assert.equal(await isSignedInAtServer(page), false);
    });
  }

  test('two tabs: both ask, one ends the session, the other finds none', async () => {
    const one = await signInAtWebsite(browser, website);
    const address = (await logoutAddress()).href;
    const two = await browser.newPage();
    await one.goto(address);
    await two.goto(address);
    await one.getByRole('button', { name: 'Sign out' }).click();
    await heading(one, 'Signed out');
    await two.getByRole('button', { name: 'Sign out' }).click();
    await two.getByRole('heading', { level: 1 }).waitFor();
    assert.equal(await isSignedInAtServer(two), false);
    assert.deepEqual(complaints, []);
  });

  test('the back button after a logout: the used dialog ends no session, even that of another end-user', async () => {
    const page = await signInAtWebsite(browser, website);
    await page.goto((await logoutAddress()).href);
    await page.getByRole('button', { name: 'Stay signed in' }).click();
    await heading(page, 'Signed out');
    const tab = await browser.newPage();
    await tab.goto(`${website.origin}/login`);
    await heading(tab, 'Signed in');
    await page.goBack();
    await page.getByRole('heading', { level: 1 }).waitFor();
    assert.ok(page.url().startsWith(program.issuer));
    assert.equal(await isSignedInAtServer(tab), true);
  });

  test('a page of another site ends no session: not by a picture, not by a form to the dialog’s own address', async () => {
    const page = await signInAtWebsite(browser, website);
    const address = await logoutAddress();
    const dialog = await browser.newPage();
    await dialog.goto(address.href);
    const action = await dialog.locator('form').getAttribute('action');
    assert.match(action ?? '', /^\/logout\/\w{40,}$/);
    const evil = await browser.newPage();
    await evil.goto(`${website.origin}/nowhere`);
    await evil.setContent(`<img src="${address.href}"><form method="post" action="${program.issuer}${action}">
      <input name="choice" value="logout"><button>go</button></form>`);
    const answer = evil.waitForResponse((response) => response.request().method() === 'POST');
    await evil.getByRole('button').click();
    assert.equal((await answer).status(), 400);
    await evil.waitForURL(`${program.issuer}/**`);
    assert.equal(await isSignedInAtServer(page), true);
  });

  test('a website that posts its logout request: the same dialog, which knows the session (OpenID Connect RP-Initiated Logout 1.0 §2)', async () => {
    const page = await signInAtWebsite(browser, website);
    const address = await logoutAddress();
    const fields = [...address.searchParams].map(
      ([name, value]) => `<input type="hidden" name="${name}" value="${value}">`,
    );
    await page.setContent(
      `<form method="post" action="${address.origin}${address.pathname}">${fields.join('')}<button>go</button></form>`,
    );
    await page.getByRole('button').click();
    await heading(page, 'Sign out?');
    assert.match(await page.locator('main').innerText(), /this server too, developer\?/);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await heading(page, 'Signed out');
    assert.equal(await isSignedInAtServer(page), false);
  });

  test('without JavaScript, by keyboard: Tab, Enter, and signed out', async () => {
    await browser.close();
    browser = await newBrowser({ javaScriptEnabled: false });
    const page = await signInAtWebsite(browser, website);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await heading(page, 'Sign out?');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await heading(page, 'Signed out');
    assert.equal(await isSignedInAtServer(page), false);
  });
});

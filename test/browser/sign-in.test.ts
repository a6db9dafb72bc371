import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, suite, test } from 'node:test';
import type { BrowserContext, ConsoleMessage, Page, Request } from 'playwright-core';
import { type Program, startProgram } from '../program/start.ts';
import { newBrowser } from './browser.ts';
import {
  heading,
  type SampleWebsite,
  shownClaims,
  signIn,
  signInAtWebsite,
  startSampleWebsite,
} from './sample-website.ts';

suite('sign-in in a browser', () => {
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
    browser.on('console', (message: ConsoleMessage) => {
      if (/content security policy|refused to/i.test(message.text())) complaints.push(message.text());
    });
  });
  afterEach(async () => {
    await browser.close();
    await website.stop();
  });

  const atServer = (page: Page): boolean => page.url().startsWith(`${program.issuer}/`);

  async function begin(query = ''): Promise<Page> {
    const page = await browser.newPage();
    await page.goto(`${website.origin}/login${query}`);
    return page;
  }

  test('a site that opens the sign-in in a window cannot see or move that window, and the sign-in goes on (H-246)', async () => {
    const page = await browser.newPage();
    await page.goto(website.origin);
    const opening = browser.waitForEvent('page');
    await page.evaluate(`void (window.opened = window.open('${website.origin}/login'))`);
    const opened = await opening;
    await heading(opened, 'Sign in');
    assert.ok(atServer(opened), opened.url());
    assert.equal(await opened.evaluate('window.opener'), null);
    assert.equal(await page.evaluate('window.opened.closed'), true);
    await page.evaluate(`void (window.opened.location = '${website.origin}/moved')`);
    await signIn(opened, website.person);
    await opened.getByRole('button', { name: 'Allow' }).click();
    await heading(opened, 'Signed in');
    assert.deepEqual(complaints, []);
  });

  test('sign in, consent, code, tokens, UserInfo, refresh: a website on another site knows who it is', async () => {
    const posts: Request[] = [];
    browser.on('request', (request) => {
      if (request.method() === 'POST') posts.push(request);
    });
    const page = await browser.newPage();
    await page.goto(website.origin);
    await page.getByRole('link', { name: 'Sign in' }).click();
    await heading(page, 'Sign in');
    assert.ok(atServer(page), page.url());
    assert.equal(await page.title(), 'Sign in');
    await signIn(page, website.person);
    await heading(page, 'Allow access?');
    assert.match(await page.locator('main').innerText(), /Sample relying party\s+localhost:\d+/);
    await page.getByRole('button', { name: 'Allow' }).click();
    await heading(page, 'Signed in');
    assert.equal(page.url(), `${website.origin}/`);
    const claims = await shownClaims(page);
    assert.equal(claims['iss'], program.issuer);
    assert.equal(claims['preferred_username'], website.person.username);
    await page.getByRole('button', { name: 'Refresh' }).click();
    await heading(page, 'Signed in');
    assert.equal((await shownClaims(page))['sub'], claims['sub']);
    assert.deepEqual(complaints, []);
    for (const post of posts.slice(0, 2)) {
      const headers = await post.allHeaders();
      assert.equal(headers['origin'], 'null', 'what Chromium says under no-referrer (WHATWG Fetch §3.2)');
      assert.equal(headers['sec-fetch-site'], 'same-origin');
    }
    assert.equal(posts.length, 3);
  });

  test('the redirection to the website after the form needs its origin in form-action: without it Chromium stops (CSP Level 3 §6.4.1)', async () => {
    const page = await begin();
    await signIn(page, website.person);
    await heading(page, 'Allow access?');
    await page.route(page.url(), async (route) => {
      const response = await route.fetch();
      const policy = response.headers()['content-security-policy'] ?? '';
      const narrowed = policy.replace(` ${website.origin}`, '');
      assert.notEqual(narrowed, policy);
      await route.fulfill({
        response,
        headers: { ...response.headers(), 'content-security-policy': narrowed },
      });
    });
    await page.reload();
    await page.unrouteAll();
    const complaint = page.waitForEvent('console', (message) => message.text().includes('form-action'));
    await page.getByRole('button', { name: 'Allow' }).click();
    await complaint;
    assert.ok(atServer(page));
  });

  test('a wrong password: the same page says so to everybody, keeps the name, and the right one works', async () => {
    const page = await begin();
    await signIn(page, { ...website.person, password: 'wrong' });
    const alert = page.getByRole('alert');
    assert.equal(await alert.innerText(), 'The user name or the password is incorrect.');
    assert.equal(
      await page.getByLabel('Password').getAttribute('aria-describedby'),
      await alert.getAttribute('id'),
    );
    assert.equal(await page.getByLabel('Password').inputValue(), '');
    await signIn(page, website.person);
    await page.getByRole('button', { name: 'Allow' }).click();
    await heading(page, 'Signed in');
    assert.deepEqual(complaints, []);
  });

  test('cancel on the sign-in page, deny on the consent page: the website hears access_denied, and is not asked again for what was not given', async () => {
    const page = await begin();
    await page.getByRole('button', { name: 'Cancel' }).click();
    assert.equal(await page.locator('#problem').innerText(), 'access_denied');
    assert.ok(page.url().startsWith(`${website.origin}/callback?`));
    await page.goto(`${website.origin}/login`);
    await signIn(page, website.person);
    await page.getByRole('button', { name: 'Deny' }).click();
    assert.equal(await page.locator('#problem').innerText(), 'access_denied');
    await page.goto(`${website.origin}/login`);
    await heading(page, 'Allow access?');
    assert.deepEqual(complaints, []);
  });

  test('signed in before: no page the second time; prompt=login asks for the password, prompt=none never asks', async () => {
    const stranger = await begin('?prompt=none');
    assert.equal(await stranger.locator('#problem').innerText(), 'login_required');
    const page = await signInAtWebsite(browser, website);
    const first = await shownClaims(page);
    await page.goto(`${website.origin}/login?prompt=none`);
    await heading(page, 'Signed in');
    assert.equal((await shownClaims(page))['sid'], first['sid']);
    await page.goto(`${website.origin}/login?prompt=login`);
    await heading(page, 'Sign in');
    await page.locator('input[name=password]:focus').waitFor();
    assert.equal(await page.getByLabel('User name').inputValue(), website.person.username);
    await signIn(page, website.person);
    await heading(page, 'Signed in');
  });

  test('two tabs: each sign-in is its own; the second does not end the first', async () => {
    const [one, two] = [await begin(), await begin('?ui_locales=de')];
    await heading(two, 'Anmelden');
    await signIn(one, website.person);
    await one.getByRole('button', { name: 'Allow' }).click();
    await heading(one, 'Signed in');
    // The second tab still shows its form; who sends it is signed in anew and comes back where that tab was going.
    await two.getByLabel('Benutzername').fill(website.person.username);
    await two.getByLabel('Passwort').fill(website.person.password);
    await two.getByRole('button', { name: 'Anmelden' }).click();
    await heading(two, 'Signed in');
    await one.reload();
    await heading(one, 'Signed in');
    assert.deepEqual(complaints, []);
  });

  test('the back button: a page that was answered says that it is over, and gives nothing twice', async () => {
    const page = await begin();
    const asked = page.url();
    await signIn(page, website.person);
    await page.getByRole('button', { name: 'Allow' }).click();
    await heading(page, 'Signed in');
    await page.goBack();
    if (!atServer(page)) await page.goto(asked);
    await heading(page, 'Something went wrong');
    await page.goto(asked);
    await heading(page, 'Something went wrong');
    assert.match(await page.locator('main').innerText(), /has already been used/);
    await page.goto(website.origin);
    await heading(page, 'Signed in');
  });

  test('a page’s address does not work in another browser', async () => {
    const page = await begin();
    const other = await newBrowser();
    const there = await other.newPage();
    const answer = await there.goto(page.url());
    assert.equal(answer?.status(), 400);
    await heading(there, 'Something went wrong');
    await other.close();
    await signIn(page, website.person);
    await heading(page, 'Allow access?');
  });

  test('a request of an unknown client: an error page without a way to the client', async () => {
    const page = await browser.newPage();
    const query = new URLSearchParams({
      client_id: website.client_id,
      response_type: 'code',
      scope: 'openid',
      redirect_uri: 'https://evil.example/callback',
    });
    const answer = await page.goto(`${program.issuer}/authorize?${query.toString()}`);
    assert.equal(answer?.status(), 400);
    await heading(page, 'Something went wrong');
    assert.equal(await page.getByRole('link').count(), 0);
    assert.equal(await page.getByRole('button').count(), 0);
  });

  test('by keyboard alone, from the website and back to it', async () => {
    const page = await browser.newPage();
    await page.goto(website.origin);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.locator('input[name=username]:focus').waitFor();
    await page.keyboard.type(website.person.username);
    await page.keyboard.press('Tab');
    await page.keyboard.type(website.person.password);
    await page.keyboard.press('Enter');
    await heading(page, 'Allow access?');
    await page.keyboard.press('Tab');
    await page.getByRole('button', { name: 'Allow' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Space');
    await heading(page, 'Signed in');
    assert.deepEqual(complaints, []);
  });

  test('without JavaScript everything is the same', async () => {
    await browser.close();
    browser = await newBrowser({ javaScriptEnabled: false });
    const page = await signInAtWebsite(browser, website);
    await page.getByRole('button', { name: 'Refresh' }).click();
    await heading(page, 'Signed in');
    assert.equal((await shownClaims(page))['preferred_username'], website.person.username);
  });
});

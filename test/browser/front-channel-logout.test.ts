import assert from 'node:assert/strict';
import { after, afterEach, before, suite, test } from 'node:test';
import { decodeJwt } from 'jose';
import type { BrowserContext, Page } from 'playwright-core';
import { codeRequest } from '../program/code-request.ts';
import { developer } from '../program/developer.ts';
import { type Program, startProgram } from '../program/start.ts';
import { newBrowser } from './browser.ts';
import { type FrameClient, startFrameClient } from './frame-clients.ts';
import { heading, signIn } from './sample-website.ts';

/** Long enough for any test not to see it; the test of the time has a program of its own. */
const WAIT = '30';

suite('front-channel logout in a browser (OpenID Connect Front-Channel Logout 1.0)', () => {
  let program: Program;
  const opened: { close(): Promise<unknown> }[] = [];

  before(async () => {
    program = await startProgram({ mode: 'dev', environment: { CHANCERY_LOGOUT_FRAMES_WAIT: WAIT } });
  });
  after(async () => await program.stop());
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close();
  });

  async function client(path?: string): Promise<FrameClient> {
    const started = await startFrameClient(program, path);
    opened.push(started);
    return started;
  }

  /** Signs in at these clients one after the other, in one browser. */
  async function signedIn(clients: readonly FrameClient[], javaScriptEnabled = true): Promise<Page> {
    const browser = await newBrowser({ javaScriptEnabled });
    opened.unshift(browser);
    const page = await browser.newPage();
    for (const { origin, client_id } of clients) {
      await page.goto(codeRequest(program.issuer, { client_id, redirect_uri: `${origin}/cb` }));
      if (page.url().startsWith(program.issuer)) await signIn(page, await developer(program));
      await heading(page, '/cb');
    }
    return page;
  }

  /** From the logout request of this client to the answer of its end-user. */
  async function signOut(page: Page, { origin, idToken }: FrameClient): Promise<void> {
    const parameters = {
      id_token_hint: await idToken(),
      post_logout_redirect_uri: `${origin}/signed-out`,
      state: 'xyz',
    };
    await page.goto(`${program.issuer}/logout?${new URLSearchParams(parameters).toString()}`);
    await page.getByRole('button', { name: 'Sign out' }).click({ noWaitAfter: true });
  }

  function complaintsOf(browser: BrowserContext): readonly string[] {
    const complaints: string[] = [];
    browser.on('console', (message) => {
      if (/content security policy|refused to/i.test(message.text())) complaints.push(message.text());
    });
    return complaints;
  }

  for (const scripts of [true, false]) {
    // proves openid-frontchannel-logout-2-2, openid-frontchannel-logout-2-3, openid-frontchannel-logout-2-4
    test(`${scripts ? 'with' : 'without'} JavaScript: every client of the session is asked for in a frame with its iss and sid, then the browser is back with the state (§2, §3)`, async () => {
      const [one, two] = [await client(), await client('/out?logout=get')];
      const page = await signedIn([one, two], scripts);
      const complaints = complaintsOf(page.context());
      const { iss, sid } = decodeJwt(await one.idToken());
      assert.equal(iss, program.issuer);
      await signOut(page, two);
      await heading(page, '/signed-out');
      assert.equal(page.url(), `${two.origin}/signed-out?state=xyz`);
      assert.deepEqual(
        [one, two].map(({ frames }) => frames.map(({ parameters }) => parameters)),
        [[{ iss, sid }], [{ logout: 'get', iss, sid }]],
      );
      for (const { destination, referrer } of [...one.frames, ...two.frames]) {
        assert.deepEqual([destination, referrer], ['iframe', undefined]);
      }
      assert.deepEqual(complaints, []);
      // The page was replaced: the back button leads past it, and nothing is asked for again.
      await page.goBack();
      assert.equal(one.frames.length, 1);
    });

    test(`${scripts ? 'with' : 'without'} JavaScript: the browser stays until a slow frame has loaded, with a link to go on`, async () => {
      const [slow, sender] = [await client(), await client()];
      const page = await signedIn([slow, sender], scripts);
      slow.behave('hang');
      await signOut(page, sender);
      await heading(page, 'You are signed out');
      await page.getByRole('link', { name: 'Continue' }).waitFor();
      while (slow.frames.length === 0) await page.waitForTimeout(20);
      assert.ok(page.url().startsWith(program.issuer), page.url());
      slow.release();
      await heading(page, '/signed-out');
    });

    test(`${scripts ? 'with' : 'without'} JavaScript: H-345: a frame that hangs keeps no end-user: the link leads on at once`, async () => {
      const [slow, sender] = [await client(), await client()];
      const page = await signedIn([slow, sender], scripts);
      slow.behave('hang');
      await signOut(page, sender);
      await page.getByRole('link', { name: 'Continue' }).click();
      await heading(page, '/signed-out');
      assert.equal(page.url(), `${sender.origin}/signed-out?state=xyz`);
    });
  }

  for (const behaviour of ['navigate', 'open'] as const) {
    test(`H-345: a frame that tries to ${behaviour} the window or another one is stopped by the sandbox, and the browser goes back`, async () => {
      const [evil, sender] = [await client(), await client()];
      const page = await signedIn([evil, sender]);
      const dialogs: string[] = [];
      page.on('dialog', (dialog) => void dialogs.push(dialog.message()));
      evil.behave(behaviour);
      await signOut(page, sender);
      await heading(page, '/signed-out');
      assert.deepEqual([evil.frames.length, evil.strays, dialogs], [1, [], []]);
      assert.equal(page.context().pages().length, 1);
    });
  }

  test('a client that stays signed in, because the end-user answers no, is asked for in no frame', async () => {
    const one = await client();
    const page = await signedIn([one]);
    await page.goto(`${program.issuer}/logout`);
    await page.getByRole('button', { name: 'Stay signed in' }).click();
    await heading(page, 'You are still signed in');
    assert.deepEqual(one.frames, []);
  });

  test('a logout without a way back shows the page, whose frames have loaded', async () => {
    const one = await client();
    const page = await signedIn([one]);
    await page.goto(`${program.issuer}/logout`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await heading(page, 'You are signed out');
    await page.waitForLoadState('load');
    assert.equal(one.frames.length, 1);
    assert.equal(await page.getByRole('link').count(), 0);
  });

  test('cookies with SameSite=Lax or Partitioned that the client set in its own pages do not reach its frame (docs/operate/accounts.md)', async () => {
    const one = await client();
    const page = await signedIn([one]);
    await signOut(page, one);
    await heading(page, '/signed-out');
    const cookies = one.frames[0]?.cookies ?? '';
    assert.doesNotMatch(cookies, /lax=|partitioned=/);
  });
});

suite('front-channel logout with a short wait', () => {
  test('H-345: a frame that hangs keeps the browser for logout.frames-wait and no longer', async () => {
    const program = await startProgram({ mode: 'dev', environment: { CHANCERY_LOGOUT_FRAMES_WAIT: '1' } });
    const slow = await startFrameClient(program);
    const browser = await newBrowser();
    try {
      const page = await browser.newPage();
      const { origin, client_id } = slow;
      await page.goto(codeRequest(program.issuer, { client_id, redirect_uri: `${origin}/cb` }));
      await signIn(page, await developer(program));
      await heading(page, '/cb');
      slow.behave('hang');
      const parameters = {
        id_token_hint: await slow.idToken(),
        post_logout_redirect_uri: `${origin}/signed-out`,
      };
      await page.goto(`${program.issuer}/logout?${new URLSearchParams(parameters).toString()}`);
      await page.getByRole('button', { name: 'Sign out' }).click({ noWaitAfter: true });
      await heading(page, '/signed-out');
      assert.equal(slow.frames.length, 1);
    } finally {
      await browser.close();
      await slow.close();
      await program.stop();
    }
  });
});

import { after, before, suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import { newBrowser } from '../browser/browser.ts';
import { heading, signIn } from '../browser/sample-website.ts';
import { developer } from '../program/developer.ts';
import { type Program, startProgram } from '../program/start.ts';
import { installClients } from './installed.ts';
import { type ScriptPage, servePage } from './script-page.ts';
import { register } from './website.ts';

suite('clients that run in a browser', () => {
  let program: Program;

  before(async () => {
    await installClients();
    program = await startProgram({ mode: 'dev' });
  });
  after(async () => await program.stop());

  /** Serves a page whose script is a public client, opens it, and closes both when `visiting` is done. */
  async function atPage(
    recipe: string,
    visiting: (page: Page, served: ScriptPage) => Promise<void>,
  ): Promise<void> {
    const served = await servePage(recipe);
    const browser = await newBrowser();
    try {
      const client = await register(program, {
        client_name: recipe,
        redirect_uris: [`${served.base}/`],
        post_logout_redirect_uris: [`${served.base}/signed-out`],
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
      });
      served.configure({ ISSUER: program.issuer, CLIENT_ID: client.client_id, BASE_URL: served.base });
      await visiting(await browser.newPage(), served);
    } finally {
      await browser.close();
      await served.stop();
    }
  }

  /** Waits for the claims that the page shows, and clears them. */
  async function shown(page: Page): Promise<void> {
    const text = page.locator('pre');
    await text.filter({ hasText: 'developer@example.com' }).waitFor();
    await text.evaluate((element: { textContent: string }) => {
      element.textContent = '';
    });
  }

  for (const recipe of ['oidc-client-ts']) {
    test(`${recipe}: signs a person in, renews without a page, and signs out, with its defaults`, async () => {
      await atPage(`${recipe}.html`, async (page, { base }) => {
        await page.goto(`${base}/`);
        await signIn(page, await developer(program));
        await page.getByRole('button', { name: 'Allow' }).click();
        await shown(page);
        await page.locator('#renew').click();
        await shown(page);
        await page.locator('#sign-out').click();
        await heading(page, 'Sign out?');
        await page.getByRole('button', { name: 'Sign out' }).click();
        await page.waitForURL(`${base}/signed-out**`);
      });
    });
  }
});

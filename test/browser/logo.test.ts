import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { after, before, suite, test } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { pngImage } from '../../src/testing/images.ts';
import { listeningPort } from '../../src/testing/listening-port.ts';
import { codeRequest } from '../program/code-request.ts';
import { developer } from '../program/developer.ts';
import { type Program, startProgram } from '../program/start.ts';
import { newBrowser } from './browser.ts';
import { heading, signIn } from './sample-website.ts';

suite('the logo of a client in a browser (docs/adr/0053-logos.md)', () => {
  let program: Program;
  let host: Server;
  let origin: string;
  let browser: BrowserContext;
  let requests: string[];
  let askedByServer = 0;

  before(async () => {
    host = createServer(({ url = '' }, response) => {
      askedByServer += 1;
      if (url === '/logo.png')
        response.writeHead(200, { 'content-type': 'image/png' }).end(pngImage(300, 100));
      else response.writeHead(404).end();
    }).listen(0, '127.0.0.1');
    origin = `http://127.0.0.1:${await listeningPort(host)}`;
    program = await startProgram({
      mode: 'dev',
      environment: {
        CHANCERY_OUTBOUND_ALLOW_HTTP: 'true',
        CHANCERY_OUTBOUND_ALLOW_NETWORKS: '127.0.0.1/32',
      },
    });
    browser = await newBrowser();
    browser.on('request', (request) => void requests.push(request.url()));
  });
  after(async () => {
    await browser.close();
    await program.stop();
    host.closeAllConnections();
    host.close();
    await once(host, 'close');
  });

  /** Opens the sign-in page of a client with this logo, and notes what the browser asks for from then on. */
  async function signInPage(logo_uri: string): Promise<Page> {
    requests = [];
    const redirect_uri = 'https://rp.example/cb';
    const answer = await fetch(`${program.issuer}/register`, {
      method: 'POST',
      headers: { authorization: `Bearer ${program.masterToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ client_name: 'Paper Clips', redirect_uris: [redirect_uri], logo_uri }),
    });
    const { client_id } = (await answer.json()) as { readonly client_id: string };
    const page = await browser.newPage();
    await page.goto(codeRequest(program.issuer, { client_id, redirect_uri }, { prompt: 'login consent' }));
    await heading(page, 'Sign in');
    return page;
  }

  const sizeOf = async (page: Page): Promise<readonly number[]> =>
    await page.evaluate(`(() => {
      const { naturalWidth, naturalHeight, width, height } = document.querySelector('.logo');
      return [naturalWidth, naturalHeight, width, height];
    })()`);

  test('sign-in and consent show it, scaled; this server asks for it once, and the browser never asks the host', async () => {
    const page = await signInPage(`${origin}/logo.png`);
    assert.deepEqual(await sizeOf(page), [300, 100, 144, 48]);
    await signIn(page, await developer(program));
    await heading(page, 'Allow access?');
    assert.deepEqual(await sizeOf(page), [300, 100, 144, 48]);
    assert.equal(askedByServer, 1);
    assert.ok(requests.length > 0);
    assert.deepEqual(
      requests.filter((url) => !url.startsWith(program.issuer)),
      [],
    );
  });

  test('an address that gives none has no height on the page, and is left out of the next one', async () => {
    const page = await signInPage(`${origin}/missing.png`);
    assert.equal((await sizeOf(page)).at(-1), 0);
    await page.reload();
    assert.equal(await page.locator('.logo').count(), 0);
  });
});

import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { ConsoleMessage } from 'playwright-core';
import { type DocumentServer, publishing, startDocumentServer } from '../hostile/document-host.ts';
import { codeRequest } from '../program/code-request.ts';
import { developer } from '../program/developer.ts';
import { type Program, startProgram } from '../program/start.ts';
import { newBrowser } from './browser.ts';
import { heading, signIn } from './sample-website.ts';

/** Set it to a folder to look at the pages. */
const PICTURES = process.env['CHANCERY_TEST_PICTURES'];

suite('a client of a document in a browser', () => {
  let program: Program;
  let host: DocumentServer;

  before(async () => {
    program = await startProgram({
      mode: 'dev',
      environment: {
        CHANCERY_REGISTRATION_CLIENT_ID_METADATA_DOCUMENTS: 'true',
        CHANCERY_OUTBOUND_ALLOW_HTTP: 'true',
        CHANCERY_OUTBOUND_ALLOW_NETWORKS: '127.0.0.0/8',
      },
    });
    host = await startDocumentServer({
      client: publishing({
        client_name: 'Editor',
        redirect_uris: ['http://localhost/callback'],
        logo_uri: 'https://client.example/logo.png',
      }),
      callback: (response) => {
        response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Back in the editor</h1>');
      },
    });
  });
  after(async () => {
    host.close();
    await program.stop();
  });

  test('the consent page shows the host of the client_id large, the address that follows, and the warning about programs of the machine (H-413, H-414)', async () => {
    const browser = await newBrowser({ viewport: { width: 800, height: 900 } });
    const complaints: string[] = [];
    browser.on('console', (message: ConsoleMessage) => {
      if (/content security policy|refused to/i.test(message.text())) complaints.push(message.text());
    });
    const page = await browser.newPage();
    const client_id = `http://editor.localhost:${host.port}/client`;
    const redirect_uri = `http://localhost:${host.port}/callback`;
    await page.goto(codeRequest(program.issuer, { client_id, redirect_uri }, { scope: 'openid' }));
    assert.match(await page.locator('.client').innerText(), /Editor\s+editor\.localhost/);
    await signIn(page, await developer(program));
    await heading(page, 'Allow access?');
    if (PICTURES !== undefined) await page.screenshot({ path: `${PICTURES}/consent-document.png` });
    assert.equal(await page.locator('.client strong.host').innerText(), 'editor.localhost');
    const words = await page.locator('main').innerText();
    assert.match(words, /has only checked that the application belongs to editor\.localhost/);
    assert.match(words, new RegExp(`Afterwards your browser goes to\\s+localhost:${host.port}`));
    assert.match(words, /Any program on this computer can pretend to be this application/);
    for (const warning of await page.locator('.warning').all()) assert.ok(await warning.isVisible());
    await page.getByRole('button', { name: 'Allow' }).click();
    await heading(page, 'Back in the editor');
    assert.match(page.url(), /[?&]code=/);
    assert.ok(!host.asked.includes('logo.png'), 'the browser asks the client for nothing');
    await page.goto(codeRequest(program.issuer, { client_id, redirect_uri }, { scope: 'openid' }));
    await heading(page, 'Allow access?');
    assert.deepEqual(complaints, []);
    await browser.close();
  });
});

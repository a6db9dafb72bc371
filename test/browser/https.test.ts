import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { developer } from '../program/developer.ts';
import { freePort } from '../program/free-port.ts';
import { type Program, startProgram } from '../program/start.ts';
import { certificateAuthority } from '../tls/certificate.ts';
import { newBrowser } from './browser.ts';
import { heading, type SampleWebsite, signIn, startWebsite } from './sample-website.ts';

suite('over TLS in a browser', () => {
  const authority = certificateAuthority();
  let folder: string;
  let program: Program;
  let website: SampleWebsite;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'chancery-browser-'));
    const { cert, key } = authority.issue({ addresses: ['127.0.0.1'] });
    const files = {
      cert: join(folder, 'server.pem'),
      key: join(folder, 'server.key'),
      ca: join(folder, 'ca.pem'),
    };
    writeFileSync(files.cert, cert);
    writeFileSync(files.key, key);
    writeFileSync(files.ca, authority.certificate);
    const port = await freePort();
    program = await startProgram({
      mode: 'dev',
      environment: {
        CHANCERY_ISSUER: `https://127.0.0.1:${port}`,
        CHANCERY_LISTEN_PORT: String(port),
        CHANCERY_LISTEN_TLS_CERTIFICATE: files.cert,
        CHANCERY_LISTEN_TLS_KEY: files.key,
      },
    });
    const token = program.masterToken;
    const started = await startWebsite(program.issuer, token, { NODE_EXTRA_CA_CERTS: files.ca });
    website = { ...started, person: await developer(program) };
  });
  after(async () => {
    await website.stop();
    await program.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test('the browser keeps the __Host- cookies, sends them on the way from another site, and signs in and out (RFC 6265bis §4.1.3.2)', async () => {
    // No certificate of the test's is in the browser's store.
    const browser = await newBrowser({ ignoreHTTPSErrors: true });
    const page = await browser.newPage();
    await page.goto(`${website.origin}/login?prompt=consent`);
    await signIn(page, website.person);
    await page.getByRole('button', { name: 'Allow' }).click();
    await heading(page, 'Signed in');
    const cookies = (await browser.cookies(program.issuer)).filter(({ name }) => name.includes('chancery'));
    assert.equal(cookies.length, 3, JSON.stringify(cookies));
    for (const { name, secure, httpOnly, sameSite, path } of cookies) {
      assert.match(name, /^__Host-chancery-(session|browser|interaction)-/);
      assert.deepEqual(
        { secure, httpOnly, sameSite, path },
        { secure: true, httpOnly: true, sameSite: 'Lax', path: '/' },
      );
    }
    await page.goto(`${website.origin}/login?prompt=none`);
    await heading(page, 'Signed in');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await heading(page, 'Sign out?');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await heading(page, 'Signed out');
    await page.goto(`${website.origin}/login?prompt=none`);
    assert.equal(await page.locator('#problem').innerText(), 'login_required');
    await browser.close();
  });
});

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request as sendRequest } from 'node:http';
import { createServer, type Server } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { listeningPort } from '../../src/testing/listening-port.ts';
import { freePort } from '../program/free-port.ts';
import { type Program, startProgram } from '../program/start.ts';
import { certificateAuthority } from '../tls/certificate.ts';
import { type Account, administer, consoleOf, PASSWORD, settled, visit } from './console-visitor.ts';

const ADMINISTRATOR: Account = { username: 'root', password: PASSWORD };
/** No certificate of the test's is in the browser's store. */
const TRUSTING = { ignoreHTTPSErrors: true };

/** Passes `/op…` on as it is, and `/ops/…` without that prefix to the management listener. */
function reverseProxy(tls: { readonly cert: string; readonly key: string }, program: () => Program): Server {
  return createServer(tls, (request, response) => {
    const { url = '', method, headers } = request;
    const ops = /^\/ops(?=\/)/u.test(url);
    const { url: main, managementUrl } = program();
    const target = new URL(ops ? managementUrl : main);
    const passed = sendRequest(
      {
        host: target.hostname,
        port: target.port,
        path: ops ? url.slice('/ops'.length) : url,
        method,
        headers: { ...headers, 'x-forwarded-for': '192.0.2.7' },
      },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    passed.on('error', () => response.destroy());
    response.on('close', () => passed.destroy());
    request.pipe(passed);
  });
}

suite('the console behind a proxy, and on the listener of the protocol', () => {
  const issued = certificateAuthority().issue({ addresses: ['127.0.0.1'] });
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'chancery-console-'));
    writeFileSync(join(folder, 'server.pem'), issued.cert);
    writeFileSync(join(folder, 'server.key'), issued.key);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const started = async (issuer: string, url: string, more: Readonly<Record<string, string>>) => {
    const environment = {
      CHANCERY_ISSUER: issuer,
      CHANCERY_CONSOLE_ENABLED: 'true',
      CHANCERY_CONSOLE_URL: url,
      ...more,
    };
    const program = await startProgram({ issuerPath: '/op', environment });
    await administer(program, '/accounts', {
      method: 'POST',
      json: { ...ADMINISTRATOR, admin_role: 'administrator' },
    });
    return program;
  };

  /** Signs in, registers a client, follows the audit, signs in again by a reload, and signs out. */
  const wholeVisit = async (program: Program, managementUrl: string): Promise<void> => {
    const seen = { ...program, managementUrl };
    const visitor = await visit(seen, ADMINISTRATOR, TRUSTING);
    const { page, complaints } = visitor;
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    assert.equal(page.url(), `${consoleOf(seen)}#/`, 'no answer of the sign-in stays in the address');
    await visitor.go('#/clients');
    await page.getByRole('button', { name: 'New client' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Behind a proxy');
    await page.getByLabel('Redirect URIs').fill('https://rp.example/cb');
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('heading', { name: 'Behind a proxy' }).waitFor();
    await visitor.go('#/audit/live');
    await page.locator('.badge.good').waitFor();
    const metadata = { redirect_uris: ['https://rp.example/cb'] };
    await administer(program, '/clients', { method: 'POST', json: { client_id: 'seen-live', metadata } });
    await page.getByText('seen-live').first().waitFor();
    await page.reload();
    await page.locator('.shell').waitFor();
    await settled(page);
    await page.getByRole('button', { name: /root/u }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL((url) => url.href.startsWith(consoleOf(seen)));
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    assert.deepEqual(complaints, []);
    await visitor.browser.close();
  };

  test('behind a proxy with TLS, path prefixes and two workers the console signs in, changes, follows, reloads and signs out', async () => {
    let program: Program | undefined;
    const proxy = reverseProxy(issued, () => program ?? assert.fail('not yet'));
    proxy.listen(0, '127.0.0.1');
    const port = await listeningPort(proxy);
    const origin = `https://127.0.0.1:${port}`;
    program = await started(`${origin}/op`, `${origin}/ops/console/`, {
      CHANCERY_WORKERS: '2',
      CHANCERY_LISTEN_TRUSTED_PROXIES: '127.0.0.1/32',
    });
    try {
      await wholeVisit(program, `${origin}/ops`);
    } finally {
      await program.stop();
      proxy.closeAllConnections();
      proxy.close();
    }
  });

  test('with admin.listeners: both the console stands below the issuer too, with the TLS of that listener', async () => {
    const port = await freePort();
    const issuer = `https://127.0.0.1:${port}/op`;
    const program = await started(issuer, `${issuer}/console/`, {
      CHANCERY_LISTEN_PORT: String(port),
      CHANCERY_ADMIN_LISTENERS: 'both',
      CHANCERY_LISTEN_TLS_CERTIFICATE: join(folder, 'server.pem'),
      CHANCERY_LISTEN_TLS_KEY: join(folder, 'server.key'),
    });
    try {
      await wholeVisit(program, issuer);
    } finally {
      await program.stop();
    }
  });
});

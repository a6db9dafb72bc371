import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { consoleFiles } from '../../pages/console-files.ts';
import { assertBodiless, received, requestOf, type TestRequest } from '../../testing/exchange.ts';
import { answer } from '../answer.ts';
import { contract, fileContract, redirectContract } from './contract.ts';
import { consoleEndpoints } from './endpoint.ts';

const FACTS = {
  issuer: 'https://op.example.com/c2',
  url: 'https://ops.example.com/console/',
  client_id: 'chancery-console',
  version: '1.0.0-"<script>',
};

const files = consoleFiles();

async function answered(which: string, request: TestRequest = {}, open = files) {
  const endpoint =
    consoleEndpoints({ facts: () => FACTS, files: open }).find((one) => one.contract.name === which) ??
    assert.fail(which);
  const reports: unknown[] = [];
  const response = await answer(endpoint, requestOf(endpoint.contract, request), (failure) =>
    reports.push(failure),
  );
  return { endpoint, response, reports };
}

async function asked(which: string, request: TestRequest = {}, open = files) {
  const { endpoint, response, reports } = await answered(which, request, open);
  return { ...(await received(endpoint.contract, response)), response, reports };
}

test('GET /console/: 200, a page without inline script or style whose addresses are all relative', async () => {
  const { status, headers, body } = await asked(contract.name);
  assert.equal(status, 200);
  assert.equal(headers['cache-control'], 'no-store');
  const addresses = [...body.matchAll(/ (?:href|src)="([^"]+)"/gu)].map(([, address = '']) => address);
  assert.ok(addresses.length > 10);
  for (const address of addresses) assert.match(address, /^files\/[\w.-]+$/u);
  assert.doesNotMatch(body, /<script>|<style|style=| on\w+=/u);
  const given = /name="chancery" content="([^"]*)"/u.exec(body)?.[1] ?? '';
  const { messages, ...facts } = JSON.parse(given.replaceAll('&quot;', '"').replaceAll('&lt;', '<'));
  assert.deepEqual(facts, FACTS);
  assert.deepEqual(Object.keys(messages), ['de', 'en', 'es', 'fr']);
});

test('GET /console/: the policy allows own files and this server, no frame, no inline code, no markup from text (CSP Level 3)', async () => {
  const { headers } = await asked(contract.name);
  assert.equal(
    headers['content-security-policy'],
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self' https://op.example.com; form-action https://op.example.com; frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  );
  assert.equal(headers['x-frame-options'], 'DENY');
  assert.equal(headers['referrer-policy'], 'no-referrer');
  assert.equal(headers['cross-origin-opener-policy'], 'same-origin');
});

test('GET /console: 308 to the address with the slash, relative, so that a path prefix of a proxy stays', async () => {
  const { status, headers } = await asked(redirectContract.name);
  assert.equal(status, 308);
  assert.equal(headers['location'], 'console/');
});

test('GET /console/files/{id}: 200 for each file that the page names, kept for ever, compressed for those who accept it (RFC 8246 §2)', async () => {
  const { entry } = await files();
  const names = [
    entry.script,
    ...entry.modules,
    ...entry.styles,
    entry.icon,
    ...Object.values(entry.messages),
  ];
  for (const segment of names) {
    const plain = await asked(fileContract.name, { segment });
    assert.equal(plain.status, 200, segment);
    assert.equal(plain.headers['cache-control'], 'public, max-age=31536000, immutable');
    const accepting = { segment, headers: { 'accept-encoding': 'br, gzip;q=0.5' } };
    const { response } = await answered(fileContract.name, accepting);
    if (response.headers['content-encoding'] === undefined) continue;
    assert.ok(response.body instanceof Uint8Array);
    assert.ok(plain.response.body instanceof Uint8Array);
    assert.ok(gunzipSync(response.body).equals(plain.response.body), segment);
  }
  const refusing = { segment: entry.script, headers: { 'accept-encoding': 'gzip;q=0' } };
  assert.equal((await asked(fileContract.name, refusing)).headers['content-encoding'], undefined);
});

test('GET /console/files/{id}: the modules of a checkout have no types and name only files that are served', async () => {
  const opened = await files();
  const { entry } = opened;
  for (const name of [entry.script, ...entry.modules]) {
    const text = Buffer.from(opened.file(name)?.body ?? '').toString('utf8');
    assert.doesNotMatch(text, /^(?:import type|export interface) /mu, name);
    for (const [, to = ''] of text.matchAll(/\bfrom ?['"]([^'"]+)['"]/gmu))
      assert.ok(opened.file(to.replace('./', '')) !== undefined, `${name} imports ${to}`);
  }
});

for (const segment of ['main.ts', 'console.js', '__proto__', '..%2Fmain.ts', '%00']) {
  test(`GET /console/files/${segment}: 404, no file of the machine is read`, async () => {
    assertBodiless(await asked(fileContract.name, { segment }), 404);
  });
}

for (const { name } of [contract, fileContract]) {
  test(`GET of ${name}: 500 without body for files that cannot be read, and only the report has the cause`, async () => {
    const cause = new Error('/usr/lib/chancery/console');
    const failed = await asked(name, { segment: 'x' }, async () => await Promise.reject(cause));
    assertBodiless(failed, 500);
    assert.deepEqual(failed.reports, [cause]);
  });
}

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { gifImage, pngChunk, pngImage } from '../../src/testing/images.ts';
import { listeningPort } from '../../src/testing/listening-port.ts';
import { plainBrowser } from '../program/plain-browser.ts';
import { type Program, startProgram } from '../program/start.ts';
import { authorizeUrl, CALLBACK, register } from './sign-in-world.ts';

/** Hostile logos of clients against the started program (docs/contract/hostile/sign-in.md, H-346 to H-351). */
const PNG = pngImage(64, 32);
const SIZE_MAX = 4096;
let program: Program;
/** A host that the server may reach, and one on an address that it must not reach. */
let host: LogoHost;
let internal: LogoHost;

interface LogoHost {
  readonly origin: string;
  readonly asked: readonly string[];
  close(): Promise<void>;
}

async function startHost(address: string, answer: RequestListener): Promise<LogoHost> {
  const asked: string[] = [];
  const server: Server = createServer((request, response) => {
    asked.push(request.url ?? '');
    answer(request, response);
  }).listen(0, address);
  return {
    origin: `http://${address}:${await listeningPort(server)}`,
    asked,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

interface Content {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

const CONTENTS = new Map<string, () => Content>();

before(async () => {
  internal = await startHost('127.0.0.2', (_, response) =>
    response.writeHead(200, { 'content-type': 'image/png' }).end(PNG),
  );
  host = await startHost('127.0.0.1', ({ url = '' }, response) => {
    const content = CONTENTS.get(url)?.();
    // It never answers for `/hang`.
    if (content === undefined) return;
    const headers = { 'content-type': 'image/png', ...content.headers };
    response.writeHead(content.status ?? 200, headers).end(content.body);
  });
  program = await startProgram({
    mode: 'dev',
    environment: {
      CHANCERY_OUTBOUND_ALLOW_HTTP: 'true',
      CHANCERY_OUTBOUND_ALLOW_NETWORKS: '127.0.0.1/32',
      CHANCERY_OUTBOUND_TIMEOUT: '2',
      CHANCERY_REGISTRATION_ALLOW_OPEN_REGISTRATION: 'true',
      CHANCERY_PAGES_LOGO_SIZE_MAX: String(SIZE_MAX),
    },
  });
});
after(async () => {
  await program.stop();
  await host.close();
  await internal.close();
});

/** Returns the sign-in page of a client with this logo, and the path of its logo there. */
async function signInPage(
  logo_uri: string,
): Promise<{ readonly path: string | undefined; readonly html: string }> {
  const client = await register(program, { logo_uri });
  const { status, html } = await plainBrowser(program.issuer).open(authorizeUrl(program, client));
  assert.equal(status, 200);
  assert.match(html, /name="password"/);
  assert.ok(!html.includes(new URL(logo_uri).host), 'the browser does not learn the host');
  return { path: /<img class="logo" src="([^"]+)"/.exec(html)?.[1], html };
}

const logoAt = async (path = ''): Promise<Response> => await fetch(new URL(path, program.issuer));

async function assertNoLogo(path: string | undefined): Promise<void> {
  assert.ok(path !== undefined);
  const answer = await logoAt(path);
  assert.equal(answer.status, 404);
  assert.equal(await answer.text(), '');
}

test('H-347: a served logo has the type of its octets, nosniff, and a policy that permits nothing', async () => {
  CONTENTS.set('/fine', () => ({
    body: gifImage(3, 2),
    headers: { 'content-type': 'image/jpeg', 'set-cookie': 'a=b', 'x-evil': '1' },
  }));
  const { path } = await signInPage(`${host.origin}/fine`);
  const answer = await logoAt(path);
  assert.equal(answer.status, 200);
  const headers = [
    'content-type',
    'x-content-type-options',
    'content-security-policy',
    'cross-origin-resource-policy',
    'set-cookie',
    'x-evil',
  ];
  assert.deepEqual(
    headers.map((name) => answer.headers.get(name)),
    [
      'image/gif',
      'nosniff',
      "default-src 'none'; sandbox; frame-ancestors 'none'",
      'same-origin',
      null,
      null,
    ],
  );
  assert.ok(Buffer.from(await answer.arrayBuffer()).equals(gifImage(3, 2)));
  await (await logoAt(path)).arrayBuffer();
  assert.deepEqual(host.asked.filter((url) => url === '/fine').length, 1, 'fetched once');
});

const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
const UNFIT: Readonly<Record<string, () => Content>> = {
  'SVG (H-347)': () => ({ body: SVG, headers: { 'content-type': 'image/svg+xml' } }),
  'SVG as PNG (H-347)': () => ({ body: SVG }),
  'HTML as PNG (H-347)': () => ({ body: '<!doctype html><script>alert(1)</script>' }),
  'a PNG as HTML (H-347)': () => ({ body: PNG, headers: { 'content-type': 'text/html' } }),
  'a script that begins like a GIF (H-347)': () => ({ body: 'GIF89a/*'.padEnd(99, ' ') }),
  'an animation (H-347)': () => ({ body: pngImage(2, 2, [pngChunk('acTL', Buffer.alloc(8))]) }),
  'too many octets (H-348)': () => ({ body: pngImage(2, 2, [pngChunk('tEXt', Buffer.alloc(SIZE_MAX))]) }),
  'too many pixels (H-348)': () => ({ body: gifImage(65_535, 65_535) }),
  'a compressed answer (H-348)': () => ({ body: gzipSync(PNG), headers: { 'content-encoding': 'gzip' } }),
  'half an image (H-348)': () => ({ body: PNG.subarray(0, 20) }),
  'nothing (H-348)': () => ({ body: '' }),
  'a redirect inside (H-346)': () => ({
    status: 302,
    body: '',
    headers: { location: `${internal.origin}/redirected` },
  }),
  'an error page (H-346)': () => ({ status: 500, body: PNG }),
};

for (const [what, content] of Object.entries(UNFIT)) {
  test(`a logo that gives ${what}: 404, the next page has none, and the log says why`, async () => {
    const path = `/${Buffer.from(what).toString('hex')}`;
    CONTENTS.set(path, content);
    const first = await signInPage(`${host.origin}${path}`);
    await assertNoLogo(first.path);
    assert.equal((await signInPage(`${host.origin}${path}`)).path, undefined);
    await program.printed(/the logo of a client is not shown/);
    assert.deepEqual(internal.asked, []);
  });
}

for (const url of [
  () => `${internal.origin}/logo.png`,
  () => 'http://169.254.169.254/latest/meta-data',
  () => 'http://[::1]:1/logo.png',
  () => 'http://10.0.0.1/logo.png',
  () => `${program.issuer}/assets/icon.svg`,
]) {
  test(`H-346: a logo_uri that leads inside is never asked: ${url.toString().slice(6, 60)}`, async () => {
    const answer = await fetch(`${program.url}/clients`, {
      method: 'POST',
      headers: { authorization: `Bearer ${program.masterToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ redirect_uris: [CALLBACK], logo_uri: url() }),
    });
    const client = (await answer.json()) as Parameters<typeof authorizeUrl>[1];
    assert.equal(answer.status, 200);
    const { html } = await plainBrowser(program.issuer).open(authorizeUrl(program, client));
    const path = /<img class="logo" src="([^"]+)"/.exec(html)?.[1];
    if (path !== undefined) await assertNoLogo(path);
    assert.deepEqual(internal.asked, []);
  });
}

test('H-351: a host that never answers: the page is there, the image ends in 404, and another one is served meanwhile', async () => {
  CONTENTS.set('/other', () => ({ body: PNG }));
  const hanging = await signInPage(`${host.origin}/hang`);
  const waiting = logoAt(hanging.path);
  const other = await signInPage(`${host.origin}/other`);
  assert.equal((await logoAt(other.path)).status, 200);
  assert.equal((await waiting).status, 404);
});

test('H-349: a path that no registration has is 404 without body, and nothing is fetched', async () => {
  CONTENTS.set('/known', () => ({ body: PNG }));
  const { path = '' } = await signInPage(`${host.origin}/known`);
  const [, folder = '', version = '', id = ''] = /^(.*\/logos\/)(.{16})-(.+)$/.exec(path) ?? [];
  const names = [
    '',
    `${version}-`,
    `${version}-nobody`,
    `${'A'.repeat(16)}-${id}`,
    `${version}${id}`,
    `${version}-${id}%00`,
    `${version}-%zz`,
    `${version}-..%2f..%2fpackage.json`,
    // A path of dots would be resolved by fetch itself.
    '%2e%2e%2f',
    '__proto__',
    'x'.repeat(3000),
  ];
  for (const name of names) {
    const answer = await fetch(new URL(`${folder}${name}`, program.issuer));
    assert.equal(answer.status, 404, name.slice(0, 40));
    assert.equal(await answer.text(), '');
  }
  assert.equal(host.asked.includes('/known'), false);
});

test('H-350: a client that registered itself shows a logo of a host of its redirection URIs, and none of another host', async () => {
  CONTENTS.set('/own', () => ({ body: PNG }));
  for (const redirect_uri of [CALLBACK, `${host.origin}/cb`]) {
    const answer = await fetch(`${program.url}/clients`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ redirect_uris: [redirect_uri], logo_uri: `${host.origin}/own` }),
    });
    const text = await answer.text();
    assert.equal(answer.status, 200, text);
    const url = authorizeUrl(program, JSON.parse(text) as Parameters<typeof authorizeUrl>[1], {
      redirect_uri,
    });
    const { html } = await plainBrowser(program.issuer).open(url);
    assert.match(html, /name="password"/);
    assert.equal(html.includes('<img class="logo"'), redirect_uri !== CALLBACK);
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Settings } from '../../config/settings.ts';
import type { Fetched } from '../../ports/outbound-http.ts';
import { assertBodiless } from '../../testing/exchange.ts';
import { pngImage } from '../../testing/images.ts';
import { aPerson, RELYING_PARTY } from '../../testing/person.ts';
import { testPlatform } from '../../testing/platform.ts';
import { clientInformationOf, type TestTenant, testTenant } from '../../testing/tenant.ts';

const LOGO = 'https://cdn.example/logo.png';
const IMAGE: Fetched = { status: 'ok', body: pngImage(480, 60), mediaType: 'image/png' };
const UNKNOWN = { status: 'failed', reason: 'status', detail: 'status 404' } as const;

interface World {
  readonly tenant: TestTenant;
  readonly fetched: string[];
  /** The result of each later fetch. */
  found: Fetched;
}

function world(settings: Partial<Settings> = {}): World {
  const fetched: string[] = [];
  const get = async (url: string): Promise<Fetched> => {
    fetched.push(url);
    return self.found;
  };
  const platform = testPlatform({ outbound: { get, urlProblem: () => undefined } });
  const self: World = { tenant: testTenant({ platform, settings }), fetched, found: IMAGE };
  return self;
}

/** Registers a client without a token. */
async function openClient(tenant: TestTenant, metadata: object) {
  const answered = await tenant.send('client-registration', {
    json: { redirect_uris: ['https://client.example/cb'], ...metadata },
  });
  assert.equal(answered.status, 200, answered.body);
  return clientInformationOf(answered);
}

/** The pages where the end-user signs in and agrees. */
async function pagesOf(tenant: TestTenant, metadata: object, change = {}): Promise<readonly string[]> {
  const client = await tenant.register({ ...RELYING_PARTY, ...metadata });
  const person = await aPerson(tenant);
  const signIn = await person.ask(client, { prompt: 'consent', ...change });
  const consent = await person.signIn(signIn);
  return [signIn.html, consent.html];
}

const logoIn = (html: string): { readonly tag: string; readonly name: string } => {
  const [tag = '', name = ''] = /<img class="logo" src="\/c2\/logos\/([^"]+)"[^>]*>/.exec(html) ?? [];
  return { tag, name };
};

// proves openid-conformance-8
test('200: GET /logos/{id}: sign-in and consent show the logo of a client from a path of this server, which fetches it (OpenID Connect Dynamic Client Registration 1.0 §2)', async () => {
  const { tenant, fetched } = world();
  const metadata = { logo_uri: LOGO, policy_uri: 'https://cdn.example/p', tos_uri: 'https://cdn.example/t' };
  const [signIn = '', consent = ''] = await pagesOf(tenant, metadata);
  assert.deepEqual(fetched, [], 'no page waits for the image');
  for (const html of [signIn, consent]) {
    assert.doesNotMatch(html, /cdn\.example\/logo/);
    assert.match(html, /<a href="https:\/\/cdn\.example\/p" rel="noreferrer noopener external">/);
    assert.match(html, /<a href="https:\/\/cdn\.example\/t" rel="noreferrer noopener external">/);
  }
  assert.equal(logoIn(signIn).name, logoIn(consent).name);
  const answered = await tenant.send('client-logo', { segment: logoIn(signIn).name });
  assert.equal(answered.status, 200);
  assert.deepEqual(answered.headers, {
    'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'content-type': 'image/png',
    'cache-control': 'private, max-age=3600',
  });
  assert.equal(Buffer.from(answered.body, 'latin1').equals(pngImage(480, 60)), true);
  assert.deepEqual(fetched, [LOGO]);
});

test('a page names the size of a logo that was fetched, scaled into its place, and leaves out one that is unfit', async () => {
  const fit = world();
  const client = await fit.tenant.register({ ...RELYING_PARTY, logo_uri: LOGO });
  const person = await aPerson(fit.tenant);
  const { name, tag } = logoIn((await person.ask(client)).html);
  assert.doesNotMatch(tag, /width/);
  await fit.tenant.send('client-logo', { segment: name });
  assert.match(logoIn((await person.ask(client)).html).tag, / alt="" width="240" height="30">$/);

  const unfit = world();
  unfit.found = UNKNOWN;
  const [signIn = ''] = await pagesOf(unfit.tenant, { logo_uri: LOGO });
  assertBodiless(await unfit.tenant.send('client-logo', { segment: logoIn(signIn).name }), 404);
});

test('the logo is that of the language of the page (OpenID Connect Dynamic Client Registration 1.0 §2.1)', async () => {
  const { tenant, fetched } = world();
  const metadata = { logo_uri: LOGO, 'logo_uri#de': 'https://cdn.example/de.png' };
  const [german = ''] = await pagesOf(tenant, metadata, { ui_locales: 'de' });
  await tenant.send('client-logo', { segment: logoIn(german).name });
  assert.deepEqual(fetched, ['https://cdn.example/de.png']);
});

for (const [what, segmentOf] of [
  ['nothing', () => ''],
  ['an unknown client', (name: string) => name.replace(/-.*/, '-nobody')],
  ['another version', (name: string) => `${'A'.repeat(16)}${name.slice(16)}`],
  ['a path', () => '..%2f..%2fpackage.json'],
  ['a bad escape', (name: string) => `${name.slice(0, 17)}%zz`],
  ['the name of a member of every object', () => '__proto__'],
] as const) {
  test(`404: GET /logos/{id} with ${what}: without body, and nothing is fetched (H-349)`, async () => {
    const { tenant, fetched } = world();
    const [signIn = ''] = await pagesOf(tenant, { logo_uri: LOGO });
    const answered = await tenant.send('client-logo', { segment: segmentOf(logoIn(signIn).name) });
    assertBodiless(answered, 404);
    assert.equal(answered.headers['cache-control'], 'no-store');
    assert.deepEqual(fetched, []);
  });
}

test('404: a logo that its client has changed is served no longer', async () => {
  const { tenant } = world();
  const client = await tenant.register({ ...RELYING_PARTY, logo_uri: LOGO });
  const person = await aPerson(tenant);
  const { name } = logoIn((await person.ask(client)).html);
  const changed = await tenant.send('client-update', {
    segment: client.client_id,
    bearer: client.registration_access_token,
    json: RELYING_PARTY,
  });
  assert.equal(changed.status, 200, changed.body);
  assertBodiless(await tenant.send('client-logo', { segment: name }), 404);
});

const OPEN = { 'registration.allow-open-registration': true };
for (const [what, settings, logo_uri, isShown] of [
  ['of a host of its own', OPEN, 'https://client.example/logo.png', true],
  ['of a bank', OPEN, LOGO, false],
  [
    'of its own host, with pages.logos vouched',
    { ...OPEN, 'pages.logos': 'vouched' },
    'https://client.example/l.png',
    false,
  ],
] as const) {
  test(`H-350: a client that registered itself with a logo ${what}: it is ${isShown ? '' : 'not '}shown (OpenID Connect Dynamic Client Registration 1.0 §9.1)`, async () => {
    const { tenant, fetched } = world(settings);
    const client = await openClient(tenant, { logo_uri });
    const person = await aPerson(tenant);
    const { html } = await person.ask(client);
    assert.equal(logoIn(html).tag !== '', isShown);
    assert.deepEqual(fetched, []);
  });
}

test('H-350: a client that registered itself shows no logo of a redirection URI that the response does not go to', async () => {
  const { tenant } = world(OPEN);
  const redirect_uris = ['https://cdn.example/cb', 'https://client.example/cb'];
  const client = await openClient(tenant, { redirect_uris, logo_uri: LOGO });
  const person = await aPerson(tenant);
  const [shown, other] = redirect_uris.map((redirect_uri) => ({ redirect_uri }));
  assert.notEqual(logoIn((await person.ask(client, shown)).html).tag, '');
  assert.equal(logoIn((await person.ask(client, other)).html).tag, '');
});

test('pages.logos none: no page shows a logo, and the path does not stand', async () => {
  const { tenant } = world({ 'pages.logos': 'none' });
  for (const html of await pagesOf(tenant, { logo_uri: LOGO })) assert.equal(logoIn(html).tag, '');
  const { endpoints } = await tenant.site();
  assert.equal(
    endpoints.some(({ contract: { name } }) => name === 'client-logo'),
    false,
  );
});

test('500: GET /logos/{id} while the registry cannot be read: without body, and only the report has the cause', async () => {
  const { tenant } = world();
  const [signIn = ''] = await pagesOf(tenant, { logo_uri: LOGO });
  const cause = new Error('/var/lib/registry is broken');
  tenant.watch.fail(cause, 'clients.find');
  assertBodiless(await tenant.send('client-logo', { segment: logoIn(signIn).name }), 500);
  assert.deepEqual(tenant.reports, [cause]);
});

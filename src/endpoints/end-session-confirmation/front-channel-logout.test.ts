import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Posted } from '../../ports/outbound-http.ts';
import type { Answer } from '../../testing/exchange.ts';
import { HOME, ISSUER, TOLD } from '../../testing/logout.ts';
import { sessionCookieName, type TestLogoutPages, testLogoutPages } from '../../testing/logout-pages.ts';
import { MASTER } from '../../testing/tenant.ts';

const FRAMED = { frontchannel_logout_uri: 'https://rp.example/out', backchannel_logout_uri: undefined };

/** The addresses of the frames of a page, as a browser reads them. */
const framesOf = ({ body }: Answer): readonly string[] =>
  [...body.matchAll(/<iframe src="([^"]*)"/g)].map(([, src = '']) => src.replaceAll('&amp;', '&'));

const policyOf = ({ headers }: Answer): string => headers['content-security-policy'] ?? '';

/** Signs in at a client, and returns what the browser gets after it has logged out there. */
async function loggedOut(pages: TestLogoutPages, metadata: object, parameters: object = {}) {
  const client = await pages.client({ ...FRAMED, ...metadata });
  const { cookie, session } = await pages.signedIn(client);
  pages.use(cookie);
  const dialog = await pages.dialog({ id_token_hint: pages.idToken(client), ...parameters });
  return { client, session, answered: await pages.choose(dialog, 'logout') };
}

// proves openid-frontchannel-logout-2-4, openid-frontchannel-logout-3-1
test('200: the signed-out page has a frame for each client with a frontchannel_logout_uri, and its policy admits their origins alone (OpenID Connect Front-Channel Logout 1.0 §3; H-341)', async () => {
  const pages = await testLogoutPages();
  const other = { frontchannel_logout_uri: 'http://localhost:8080/out', backchannel_logout_uri: undefined };
  const [one, two] = [await pages.client(FRAMED), await pages.client(other)];
  const { cookie, session } = await pages.signedIn(one, two);
  pages.use(cookie);
  const answered = await pages.choose(await pages.dialog(), 'logout');
  assert.equal(answered.status, 200);
  const query = new URLSearchParams({ iss: ISSUER, sid: session.sid }).toString();
  assert.deepEqual(framesOf(answered).toSorted(), [
    `http://localhost:8080/out?${query}`,
    `https://rp.example/out?${query}`,
  ]);
  const [, sources = ''] = / frame-src ([^;]*);/.exec(policyOf(answered)) ?? [];
  assert.deepEqual(sources.split(' ').toSorted(), ['http://localhost:8080', 'https://rp.example']);
  assert.match(policyOf(answered), /^default-src 'none'; .*frame-ancestors 'none'; base-uri 'none'$/);
  assert.equal(answered.headers['cache-control'], 'no-store');
  assert.equal(pages.jar.has(sessionCookieName()), false);
  assert.doesNotMatch(answered.body, /http-equiv|<script|<a /, 'it goes nowhere');
});

test('200: with a post_logout_redirect_uri the page goes on to it: by a refresh, a script and a link', async () => {
  const pages = await testLogoutPages({ 'logout.frames-wait': 7 });
  const redirection = { post_logout_redirect_uri: HOME, state: `a'"<b c` };
  const { answered } = await loggedOut(pages, {}, redirection);
  assert.equal(answered.status, 200);
  assert.equal(framesOf(answered).length, 1);
  const address = `${HOME}?state=a&#39;%22%3Cb%20c`;
  assert.ok(answered.body.includes(`<meta http-equiv="refresh" content="0; url=${address}">`), answered.body);
  assert.ok(answered.body.includes(`<a class="button" href="${address}" rel="noreferrer" data-wait="7">`));
  assert.match(answered.body, /<script src="\/c2\/assets\/front-channel-logout-[0-9a-f]{12}\.js" defer>/);
  assert.match(policyOf(answered), /; script-src 'self'; frame-src https:\/\/rp\.example; /);
});

test('303: a session without clients to tell in a frame: the browser goes back at once, as before', async () => {
  const pages = await testLogoutPages();
  const { answered } = await loggedOut(
    pages,
    { frontchannel_logout_uri: undefined },
    { post_logout_redirect_uri: HOME },
  );
  assert.equal(answered.status, 303);
});

test('303: logout.frames-max 0 switches the frames off (OpenID Connect Front-Channel Logout 1.0 §3)', async () => {
  const pages = await testLogoutPages({ 'logout.frames-max': 0 });
  const { answered } = await loggedOut(pages, {}, { post_logout_redirect_uri: HOME });
  assert.equal(answered.status, 303);
});

test('H-342: a session with more clients than logout.frames-max: the page has that many frames, and the log names the others', async () => {
  const pages = await testLogoutPages({ 'logout.frames-max': 2 });
  const clients = [await pages.client(FRAMED), await pages.client(FRAMED), await pages.client(FRAMED)];
  const { cookie, session } = await pages.signedIn(...clients);
  pages.use(cookie);
  const answered = await pages.choose(await pages.dialog(), 'logout');
  assert.equal(framesOf(answered).length, 2);
  const line = pages.endUsers.lines.find(({ message }) => message.includes('logout.frames-max'));
  assert.ok(line !== undefined);
  assert.equal(line.members['sid'], session.sid);
  assert.equal((line.members['clients'] as readonly string[]).length, 1);
});

test('H-344: no frame tells of a session that goes on, has ended before, or is of another end-user', async () => {
  const pages = await testLogoutPages();
  const client = await pages.client(FRAMED);
  const [own, other] = [await pages.signedIn(client), await pages.signedIn(client)];
  pages.use(own.cookie);
  assert.deepEqual(framesOf(await pages.choose(await pages.dialog(), 'stay')), []);
  const [first, second] = [await pages.dialog(), await pages.dialog()];
  const told = framesOf(await pages.choose(first, 'logout'));
  assert.deepEqual(
    told.map((frame) => new URL(frame).searchParams.get('sid')),
    [own.session.sid],
  );
  pages.use(own.cookie);
  assert.deepEqual(framesOf(await pages.choose(second, 'logout')), [], 'it has ended before');
  assert.ok((await pages.endUsers.storage.sessions.find(other.session.key)) !== undefined);
});

test('a client with both kinds of address has its notification before the page is sent', async () => {
  const pages = await testLogoutPages();
  const back = 'https://rp.example/back-channel';
  const both = await pages.client({ ...FRAMED, backchannel_logout_uri: back });
  const { promise, resolve } = Promise.withResolvers<Posted>();
  pages.answer(async () => await promise);
  const { cookie } = await pages.signedIn(both);
  pages.use(cookie);
  let sent = false;
  const choosing = pages.choose(await pages.dialog(), 'logout').then((answered) => {
    sent = true;
    return answered;
  });
  while (pages.sent.length === 0) await new Promise((done) => setImmediate(done));
  assert.equal(sent, false);
  resolve(TOLD);
  assert.equal(framesOf(await choosing).length, 1);
  assert.deepEqual(pages.outcomes, ['delivered']);
});

for (const [what, settings, isKept] of [
  ['on', {}, true],
  ['off by logout.frames-max', { 'logout.frames-max': 0 }, false],
  ['off with the endpoint', { 'logout.endpoint': false }, false],
] as const) {
  test(`a registration ${isKept ? 'keeps' : 'drops'} the members of front-channel logout while that is ${what} (decision 42)`, async () => {
    const { tenant } = await testLogoutPages(settings);
    const members = {
      frontchannel_logout_uri: 'https://rp.example/out',
      frontchannel_logout_session_required: true,
    };
    const json = { redirect_uris: ['https://rp.example/cb'], ...members };
    const answered = await tenant.send('client-registration', { bearer: MASTER, json });
    assert.equal(answered.status, 200, answered.body);
    for (const [name, value] of Object.entries(members))
      assert.equal(answered.json[name], isKept ? value : undefined);
  });
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Visit } from '../../../test/program/plain-browser.ts';
import { setDisabled } from '../../sessions/manage-account.ts';
import type { Subject } from '../../spec/identifiers.ts';
import { externalTenant } from '../../testing/external-sign-in.ts';
import { answeredTo, aPerson, authorizationUrl, browserOf } from '../../testing/person.ts';

const { tenant, client, sentOut, outcome, redirectTo } = await externalTenant();

const CONSENT = { scope: ['openid'] };

function assertOver(visit: Visit): void {
  assert.equal(visit.status, 400);
  assert.match(visit.html, /has already been used/);
}

test('signed in and agreed at the operator’s page: the client gets its code at once (docs/sign-in.md)', async () => {
  const { browser, handle } = await sentOut();
  const address = await redirectTo(handle, { subject: 'ada', consent: CONSENT });
  const back = await browser.open(address);
  assert.deepEqual(Object.keys(answeredTo(back)), ['code', 'state', 'iss']);
  const session = await tenant.storage.sessions.ofSubject('ada' as Subject);
  assert.equal(session.length, 1);
  const again = await browser.open(authorizationUrl(client));
  assert.ok(answeredTo(again)['code'], 'signed in, and the consent is remembered');
});

test('the session says what the page said: acr, amr, auth_time', async () => {
  const { browser, handle } = await sentOut();
  const auth_time = tenant.clock.now() - 300;
  await browser.open(await redirectTo(handle, { subject: 'kept', acr: 'gold', amr: ['otp'], auth_time }));
  const [session] = await tenant.storage.sessions.ofSubject('kept' as Subject);
  assert.deepEqual([session?.acr, session?.amr, session?.auth_time], ['gold', ['otp'], auth_time]);
});

test('without a consent of the page ours asks for it (OpenID Connect Core 1.0 §3.1.2.4)', async () => {
  const { browser, handle } = await sentOut();
  const page = await browser.open(
    await redirectTo(handle, { subject: 'bea', claims: { preferred_username: 'Bea' } }),
  );
  assert.match(page.html, /value="allow"/);
  assert.match(page.html, /Bea/);
  assert.match(
    page.headers.get('content-security-policy') ?? '',
    /form-action 'self' https:\/\/client\.example https:\/\/login\.example\.net;/,
  );
  assert.ok(answeredTo(await browser.submit(page, 'allow'))['code']);
});

test('less was agreed to than was asked for: less is granted', async () => {
  const { browser, handle } = await sentOut({
    scope: 'openid email phone',
    claims: '{"userinfo":{"birthdate":null,"gender":null}}',
  });
  const consent = { scope: ['openid', 'phone'], claims: ['gender'] };
  const { code = '' } = answeredTo(await browser.open(await redirectTo(handle, { subject: 'cid', consent })));
  const answer = await tenant.send('token', {
    basic: [client.client_id, client.client_secret],
    form: {
      grant_type: 'authorization_code',
      code,
      redirect_uri: 'https://client.example/cb',
      code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
    },
  });
  assert.equal(answer.json['scope'], 'openid phone', answer.body);
  const more = await browser.open(authorizationUrl(client, { scope: 'openid email' }));
  assert.match(more.html, /value="allow"/, 'more is asked for again, on our page');
});

test('a refusal: the client gets the error, and no session begins (RFC 6749 §4.1.2.1)', async () => {
  const { browser, handle } = await sentOut();
  const refused = { error: 'access_denied', error_description: 'not today' };
  const back = answeredTo(await browser.open(await redirectTo(handle, refused)));
  assert.deepEqual([back['error'], back['error_description']], ['access_denied', 'not today']);
  await sentOut({}, browser);
});

test('an essential acr that the page did not reach: unmet_authentication_requirements', async () => {
  const claims = '{"id_token":{"acr":{"essential":true,"values":["gold"]}}}';
  const { browser, handle } = await sentOut({ claims });
  const back = await browser.open(
    await redirectTo(handle, { subject: 'dot', acr: 'silver', consent: CONSENT }),
  );
  assert.equal(answeredTo(back)['error'], 'unmet_authentication_requirements');
});

test('phishing: a sign-in in another browser gives nothing to the browser that began the request, nor to the other one', async () => {
  const mallory = await sentOut();
  const address = await redirectTo(mallory.handle, { subject: 'victim', consent: CONSENT });
  const victim = browserOf(tenant);
  assertOver(await victim.open(address));
  assert.deepEqual([...victim.cookies().keys()], [], 'no session');
  const [handle = ''] = address.split('?');
  assertOver(await mallory.browser.open(handle));
  assertOver(await mallory.browser.open(`${handle}?outcome=${'A'.repeat(43)}`));
  assert.deepEqual(await tenant.storage.sessions.ofSubject('victim' as Subject), []);
});

test('login CSRF: a link cannot sign a victim in, because the victim’s browser did not begin the request', async () => {
  const mallory = await sentOut();
  const address = await redirectTo(mallory.handle, { subject: 'mallory', consent: CONSENT });
  const victim = await sentOut();
  assertOver(await victim.browser.open(address));
});

test('the way back is good once, by whatever order: a second visit, two at once', async () => {
  const { browser, handle } = await sentOut();
  const address = await redirectTo(handle, { subject: 'eva', consent: CONSENT });
  const visits = await Promise.all([browser.visit(address), browser.visit(address)]);
  assert.deepEqual(
    visits.map(({ status }) => status).sort((a, b) => a - b),
    [303, 400],
  );
  assertOver(await browser.open(address));
});

test('a request that expired, or whose account was disabled meanwhile, begins no session', async () => {
  const late = await sentOut();
  const address = await redirectTo(late.handle, { subject: 'fay', consent: CONSENT });
  tenant.clock.advance(900);
  assertOver(await late.browser.open(address));
  const { browser, handle } = await sentOut();
  const disabled = await redirectTo(handle, { subject: 'fay', consent: CONSENT });
  const account = await tenant.storage.accounts.find('fay' as Subject);
  assert.ok(account !== undefined);
  const { accounts } = await aPerson(tenant);
  await setDisabled(accounts, account, true, { actor: 'cli', request_id: 'test' });
  assert.equal(answeredTo(await browser.open(disabled))['error'], 'login_required');
});

test('our own sign-in form is not there: who posts one is sent to the operator’s page', async () => {
  const { browser, handle } = await sentOut();
  const address = `https://op.example.com/c2/interaction/${handle}`;
  const form = { choice: 'sign-in', username: 'Ada', password: 'analytical engine', form_token: '' };
  const posted = await browser.open(address, form);
  assert.ok(posted.location?.startsWith('https://login.example.net/start?'), String(posted.location));
  assert.equal((await outcome(handle, { subject: 'ada' })).status, 200, 'the request waits on');
});

test('a parameter twice on the way back: 400, and the outcome stays', async () => {
  const { browser, handle } = await sentOut();
  const address = await redirectTo(handle, { subject: 'gil', consent: CONSENT });
  assert.equal((await browser.open(`${address}&outcome=x`)).status, 400);
  assert.ok(answeredTo(await browser.open(address))['code']);
});

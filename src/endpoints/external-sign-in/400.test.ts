import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setDisabled } from '../../sessions/manage-account.ts';
import type { Subject } from '../../spec/identifiers.ts';
import { externalTenant, PAGE_TOKEN } from '../../testing/external-sign-in.ts';
import { aPerson } from '../../testing/person.ts';
import { START } from '../../testing/tenant.ts';

const { tenant, sentOut, outcome, redirectTo } = await externalTenant();

for (const [what, json] of [
  ['no subject', {}],
  ['an empty subject', { subject: '' }],
  ['a subject with a line end', { subject: 'a\nb' }],
  ['a subject of 256 characters', { subject: 'x'.repeat(256) }],
  ['a subject beyond ASCII', { subject: 'müller' }],
  ['a number as subject', { subject: 7 }],
  ['an acr that is no string', { subject: 'a', acr: 1 }],
  ['an amr that is no list', { subject: 'a', amr: 'pwd' }],
  ['17 amr', { subject: 'a', amr: Array.from({ length: 17 }, () => 'pwd') }],
  ['claims that are a list', { subject: 'a', claims: [] }],
  ['a claim that only the server makes', { subject: 'a', claims: { iss: 'https://evil.example' } }],
  ['a standard claim of another type', { subject: 'a', claims: { email_verified: 'yes' } }],
  ['an auth_time in the future', { subject: 'a', auth_time: START + 3600 }],
  ['an auth_time that is no whole number', { subject: 'a', auth_time: START - 0.5 }],
  ['a consent that is none', { subject: 'a', consent: true }],
  ['scope that nobody asked for', { subject: 'a', consent: { scope: ['openid', 'email'] } }],
  ['a consent without openid', { subject: 'a', consent: { scope: [] } }],
  ['claims that nobody asked for', { subject: 'a', consent: { scope: ['openid'], claims: ['email'] } }],
  ['an error that clients are not told by people', { error: 'invalid_client' }],
  ['an error of nobody', { error: 'constructor' }],
  ['a description with a quotation mark', { error: 'access_denied', error_description: '"' }],
  ['a description with a line end', { error: 'access_denied', error_description: 'a\nb' }],
] as const) {
  test(`POST /interaction-api/{id} with ${what}: 400, and the request waits on (docs/sign-in.md)`, async () => {
    const { handle } = await sentOut();
    const answer = await outcome(handle, json);
    assert.equal(answer.status, 400, answer.body);
    assert.equal(answer.json['error'], 'invalid_request');
    assert.equal((await outcome(handle, { subject: 'somebody' })).status, 200);
  });
}

for (const [what, change] of [
  ['prompt=login', { prompt: 'login' }],
  ['max_age', { max_age: '60' }],
  ['max_age=0', { max_age: '0' }],
] as const) {
  test(`${what}: an authentication from before is not enough, and the page hears so (OpenID Connect Core 1.0 §3.1.2.1)`, async () => {
    const { handle } = await sentOut(change);
    const late = await outcome(handle, { subject: 'a', auth_time: tenant.clock.now() - 120 });
    assert.equal(late.status, 400);
    assert.match(String(late.json['error_description']), /authenticate again/);
    assert.equal((await outcome(handle, { subject: 'a', auth_time: tenant.clock.now() })).status, 200);
  });
}

test('a disabled account: 400, and nobody is signed in', async () => {
  await redirectTo((await sentOut()).handle, { subject: 'gone' });
  const account = await tenant.storage.accounts.find('gone' as Subject);
  assert.ok(account !== undefined);
  const { accounts } = await aPerson(tenant);
  await setDisabled(accounts, account, true, { actor: 'cli', request_id: 'test' });
  const answer = await outcome((await sentOut()).handle, { subject: 'gone' });
  assert.equal(answer.status, 400);
  assert.match(String(answer.json['error_description']), /disabled/);
});

for (const [what, request] of [
  ['a form', { form: { subject: 'a' } }],
  ['a list', { json: [] }],
  ['no JSON', { body: '{' }],
] as const) {
  test(`${what}: 400`, async () => {
    const { handle } = await sentOut();
    const sent = { bearer: PAGE_TOKEN, id: handle, ...request };
    assert.equal((await tenant.send('external-sign-in-outcome', sent)).status, 400);
  });
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VERIFIER } from '../../../test/program/code-request.ts';
import type { StoredAccount } from '../../ports/account-store.ts';
import { assertError, assertInvalidToken } from '../../testing/exchange.ts';
import { answeredTo, aPerson, RELYING_PARTY } from '../../testing/person.ts';
import { CALLBACK, testTenant } from '../../testing/tenant.ts';
import { tokensFor } from '../../testing/userinfo.ts';

/**
 * A disabled account loses its sessions and grants in the same transaction. These tests leave them alive, as a restored table
 * could: the second lock is that each grant asks for the account.
 */
const tenant = testTenant();
const client = await tenant.register(RELYING_PARTY);
const basic = [client.client_id, client.client_secret] as const;
const ada = await aPerson(tenant);

/** Disables or enables the account, and ends nothing. */
async function setDisabledAlone(disabled: boolean): Promise<void> {
  const before = await tenant.storage.accounts.find(ada.account.sub);
  assert.ok(before !== undefined);
  const disabled_at = disabled ? tenant.clock.now() : null;
  const account: StoredAccount = { ...before, version: before.version + 1, disabled_at };
  const condition = { expectedVersion: before.version, endAll: false };
  assert.equal(await tenant.storage.accounts.replace(account, condition), 'done');
}

test('a refresh token of a disabled account: 400 invalid_grant, also while its grant lives; it is good again with the account', async () => {
  const tokens = await tokensFor(tenant, ada, client, { scope: 'openid offline_access' });
  const form = { grant_type: 'refresh_token', refresh_token: String(tokens['refresh_token']) };
  await setDisabledAlone(true);
  assertError(await tenant.send('token', { basic, form }), 'invalid_grant');
  await setDisabledAlone(false);
  assert.equal((await tenant.send('token', { basic, form })).status, 200);
});

test('a code of a disabled account: 400 invalid_grant, also while its session lives', async () => {
  const code = answeredTo(await ada.grant(client))['code'] ?? assert.fail('no code');
  const form = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: VERIFIER };
  await setDisabledAlone(true);
  assertError(await tenant.send('token', { basic, form }), 'invalid_grant');
  await setDisabledAlone(false);
  assert.equal((await tenant.send('token', { basic, form })).status, 200);
});

test('UserInfo with a token of a disabled account: 401 invalid_token, also while its grant lives', async () => {
  const { access_token } = await tokensFor(tenant, ada, client);
  const bearer = String(access_token);
  await setDisabledAlone(true);
  assertInvalidToken(await tenant.send('userinfo', { bearer }));
  await setDisabledAlone(false);
  assert.equal((await tenant.send('userinfo', { bearer })).status, 200);
});

test('UserInfo with a token that the operator issued for a disabled account: 401 invalid_token', async () => {
  const bearer = await tenant.authorize({
    client_id: client.client_id,
    sub: ada.account.sub,
    scope: ['openid'],
  });
  await setDisabledAlone(true);
  assertInvalidToken(await tenant.send('userinfo', { bearer }));
  await setDisabledAlone(false);
  assert.equal((await tenant.send('userinfo', { bearer })).status, 200);
});

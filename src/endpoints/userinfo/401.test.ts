import assert from 'node:assert/strict';
import { test } from 'node:test';
import { selfSigned } from '../../../test/tls/certificate.ts';
import { deleteAccount } from '../../sessions/manage-account.ts';
import { shown } from '../../testing/certificate.ts';
import { ACTOR } from '../../testing/end-users.ts';
import { assertBearerNeeded, assertInvalidToken } from '../../testing/exchange.ts';
import { aPerson, RELYING_PARTY } from '../../testing/person.ts';
import { INTROSPECTION_SCOPE, SERVICE, testTenant } from '../../testing/tenant.ts';
import { tokensFor } from '../../testing/userinfo.ts';

const tenant = testTenant();
const client = await tenant.register(RELYING_PARTY);
const ada = await aPerson(tenant);

// proves openid-core-5.3.3-1
test('GET /userinfo without a token, or with it in the query: 401 with the bare challenge (RFC 6750 §3)', async () => {
  const { access_token } = await tokensFor(tenant, ada, client);
  assertBearerNeeded(await tenant.send('userinfo'));
  assertBearerNeeded(await tenant.send('userinfo', { query: `access_token=${String(access_token)}` }));
  assertBearerNeeded(await tenant.send('userinfo-post', { form: {} }));
});

// proves openid-core-5.3.3-1
test('GET /userinfo with a token that is unknown, changed, expired, or none: 401 invalid_token (OpenID Connect Core 1.0 §5.3.3)', async () => {
  const { access_token, refresh_token, id_token } = await tokensFor(tenant, ada, client);
  for (const bearer of [
    'x',
    `${String(access_token)}x`,
    String(refresh_token),
    String(id_token),
    'A'.repeat(9000),
  ])
    assertInvalidToken(await tenant.send('userinfo', { bearer }));
  tenant.clock.advance(600);
  assertInvalidToken(await tenant.send('userinfo', { bearer: String(access_token) }));
});

test('GET /userinfo after the account or the client is gone: 401 invalid_token', async () => {
  const other = await tenant.register(RELYING_PARTY);
  const eve = await aPerson(tenant, { username: 'Eve', password: 'battery staple', claims: {} });
  const [ofEve, ofOther] = [await tokensFor(tenant, eve, client), await tokensFor(tenant, ada, other)];
  await deleteAccount(eve.accounts, eve.account, ACTOR);
  await tenant.send('client-delete', { id: other.client_id, bearer: other.registration_access_token });
  for (const { access_token } of [ofEve, ofOther])
    assertInvalidToken(await tenant.send('userinfo', { bearer: String(access_token) }));
});

test('GET /userinfo with a token of a client that acts for itself: 401, since it is about nobody', async () => {
  const service = await tenant.register({ ...SERVICE, scope: `openid ${INTROSPECTION_SCOPE}` });
  const issued = await tenant.send('token', {
    basic: [service.client_id, service.client_secret],
    form: { grant_type: 'client_credentials' },
  });
  assert.equal(issued.status, 200);
  assertInvalidToken(await tenant.send('userinfo', { bearer: String(issued.json['access_token']) }));
});

test('GET /userinfo with a token that is bound to a certificate: with that one, and with no other (RFC 8705 §3)', async () => {
  const own = testTenant({ certificateAuthorities: [] });
  const [identity, other] = [selfSigned(), selfSigned()];
  const bound = await own.register({ ...RELYING_PARTY, tls_client_certificate_bound_access_tokens: true });
  const person = await aPerson(own);
  const { access_token } = await tokensFor(own, person, bound, {}, shown(identity));
  const bearer = String(access_token);
  const answered = await own.send('userinfo', { bearer, certificate: shown(identity) });
  assert.deepEqual(answered.json, { sub: person.account.sub });
  assertInvalidToken(await own.send('userinfo', { bearer, certificate: shown(other) }));
  assertInvalidToken(await own.send('userinfo', { bearer }));
});

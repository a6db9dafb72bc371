import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { VERIFIER } from '../../../test/program/code-request.ts';
import { derOf, selfSigned } from '../../../test/tls/certificate.ts';
import { certifiedClient, shown } from '../../testing/certificate.ts';
import { type Answer, assertError } from '../../testing/exchange.ts';
import { answeredTo, aPerson, RELYING_PARTY } from '../../testing/person.ts';
import { CALLBACK, INTROSPECTION_SCOPE, testTenant } from '../../testing/tenant.ts';

const bound = { tls_client_certificate_bound_access_tokens: true };
const secret = { token_endpoint_auth_method: 'client_secret_basic', ...bound };
const form = { grant_type: 'client_credentials' };
const [OWN, OTHER] = [selfSigned(), selfSigned()];

// proves rfc8705-3-1, rfc8705-3.2-1
test('a client that wants bound tokens gets one with the thumbprint of the certificate it shows, however it authenticates (RFC 8705 §3.1, §3.2)', async () => {
  const tenant = testTenant({ certificateAuthorities: [] });
  const { client_id, client_secret } = await certifiedClient(tenant, secret);
  const basic = [client_id, client_secret] as const;
  const issued = await tenant.send('token', { basic, form, certificate: shown(OWN) });
  assert.equal(issued.status, 200, issued.body);
  const { cnf, active } = await tenant.introspect(String(issued.json['access_token']));
  assert.equal(active, true);
  assert.deepEqual(cnf, { 'x5t#S256': createHash('sha256').update(derOf(OWN)).digest('base64url') });
});

// proves rfc8705-3.4-1
test('such a client gets no token without a certificate: 400 invalid_request (RFC 8705 §3.4)', async () => {
  const tenant = testTenant({ certificateAuthorities: [] });
  const { client_id, client_secret } = await certifiedClient(tenant, secret);
  const refused = await tenant.send('token', { basic: [client_id, client_secret], form });
  assertError(refused, 'invalid_request', /must present its TLS certificate/);
});

test('another client’s tokens are bound to nothing, whatever certificate it shows (RFC 8705 §3.4)', async () => {
  const tenant = testTenant({ certificateAuthorities: [] });
  const { client_id, client_secret } = await tenant.register({ grant_types: ['client_credentials'] });
  const basic = [client_id, client_secret] as const;
  const issued = await tenant.send('token', { basic, form, certificate: shown(OWN) });
  assert.equal('cnf' in (await tenant.introspect(String(issued.json['access_token']))), false);
});

// proves rfc8705-3-2
test('a bound token opens introspection with its certificate, and with another or none it is 401 invalid_token (RFC 8705 §3)', async () => {
  const tenant = testTenant({ certificateAuthorities: [] });
  const { client_id, client_secret } = await certifiedClient(tenant, {
    ...secret,
    scope: INTROSPECTION_SCOPE,
  });
  const basic = [client_id, client_secret] as const;
  const issued = await tenant.send('token', { basic, form, certificate: shown(OWN) });
  const bearer = String(issued.json['access_token']);
  const inspect = async (identity?: typeof OWN): Promise<Answer> =>
    await tenant.send('introspection', {
      bearer,
      form: { token: bearer },
      ...(identity === undefined ? {} : { certificate: shown(identity) }),
    });
  assert.equal((await inspect(OWN)).json['active'], true);
  for (const refused of [await inspect(OTHER), await inspect()]) {
    assertError(refused, 'invalid_client', /^the bearer token is not valid$/);
    assert.match(refused.headers['www-authenticate'] ?? '', /^Bearer error="invalid_token"/);
  }
});

// proves rfc8705-4-1
test('refresh tokens of a public client with bound tokens are good with its certificate only, and without it end nothing (RFC 8705 §4)', async () => {
  const tenant = testTenant({ certificateAuthorities: [] });
  const { client_id } = await tenant.register({
    ...RELYING_PARTY,
    token_endpoint_auth_method: 'none',
    ...bound,
  });
  const ada = await aPerson(tenant);
  const sent = await ada.grant({ client_id, client_secret: '', registration_access_token: '', members: {} });
  const { code = '' } = answeredTo(sent);
  const ask = async (members: Readonly<Record<string, string>>, identity?: typeof OWN): Promise<Answer> =>
    await tenant.send('token', {
      form: { client_id, ...members },
      ...(identity === undefined ? {} : { certificate: shown(identity, 'DEPTH_ZERO_SELF_SIGNED_CERT') }),
    });
  const redemption = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: CALLBACK,
    code_verifier: VERIFIER,
  };
  const first = await ask(redemption, OWN);
  assert.equal(first.status, 200, first.body);
  const refreshing = (answer: Answer): Readonly<Record<string, string>> => ({
    grant_type: 'refresh_token',
    refresh_token: String(answer.json['refresh_token']),
  });
  assertError(await ask(refreshing(first), OTHER), 'invalid_grant');
  assertError(await ask(refreshing(first)), 'invalid_grant');
  const second = await ask(refreshing(first), OWN);
  assert.equal(second.status, 200, second.body);
  assertError(await ask(refreshing(first), OTHER), 'invalid_grant');
  const third = await ask(refreshing(second), OWN);
  assert.equal(third.status, 200, 'an old token in strange hands has ended nothing');
  const { cnf } = await tenant.introspect(String(third.json['access_token']));
  assert.deepEqual(cnf, { 'x5t#S256': createHash('sha256').update(derOf(OWN)).digest('base64url') });
  assertError(await ask(refreshing(second), OWN), 'invalid_grant');
  assertError(await ask(refreshing(third), OWN), 'invalid_grant');
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { authenticationMethods } from '../../clients/client-authentication/authenticate-client.ts';
import { GRANTS, offeredGrants } from '../../grants/grants.ts';
import { authMethods } from '../../spec/client-metadata.ts';
import { HMAC_ALGORITHMS, SIGNING_ALGORITHMS } from '../../spec/server-capabilities.ts';
import { assertBodiless, received, requestOf } from '../../testing/exchange.ts';
import { testSettings } from '../../testing/settings.ts';
import { ISSUER, testTenant } from '../../testing/tenant.ts';
import { answer } from '../answer.ts';
import type { Contract } from '../contract.ts';
import { authorizationServerContract, contract } from './contract.ts';
import { discovery } from './endpoint.ts';
import { providerMetadata } from './provider-metadata.ts';

const { endpoints } = await testTenant().site();

const usual = { settings: testSettings() };
const metadata = providerMetadata(ISSUER, endpoints, offeredGrants(usual));

async function documentAt(at: Contract): Promise<Awaited<ReturnType<typeof answer>>> {
  return await answer(discovery(at, metadata, 300), requestOf(at, {}), () => assert.fail('no failure'));
}

test('200: discovery is equal at all its addresses (decision 3)', async () => {
  const infix = { ...authorizationServerContract, path: `${authorizationServerContract.path}/c2` };
  const [openid, ...others] = await Promise.all(
    [contract, authorizationServerContract, infix].map(documentAt),
  );
  for (const other of others) assert.deepEqual(other, openid);
  assert.equal(openid?.status, 200);
  assert.deepEqual(openid?.headers, {
    'content-type': 'application/json',
    'cache-control': 'public, max-age=300',
  });
});

// proves openid-rp-logout-2.1-1
test('discovery is derived: each advertised endpoint’s address below the issuer, and no other (decision 3; RFC 8414 §2)', () => {
  const addresses = Object.entries(metadata).filter(([name]) => name.endsWith('_endpoint'));
  assert.deepEqual(Object.fromEntries(addresses), {
    registration_endpoint: `${ISSUER}/register`,
    authorization_endpoint: `${ISSUER}/authorize`,
    device_authorization_endpoint: `${ISSUER}/device_authorization`,
    pushed_authorization_request_endpoint: `${ISSUER}/par`,
    userinfo_endpoint: `${ISSUER}/userinfo`,
    token_endpoint: `${ISSUER}/token`,
    introspection_endpoint: `${ISSUER}/token/introspect`,
    chancery_revocation_feed_endpoint: `${ISSUER}/token/revocations`,
    revocation_endpoint: `${ISSUER}/token/revoke`,
    end_session_endpoint: `${ISSUER}/logout`,
  });
  assert.equal(metadata['issuer'], ISSUER);
});

// proves openid-frontchannel-logout-3-2
test('front-channel logout is offered where the end-session endpoint stands and the page may have frames (OpenID Connect Front-Channel Logout 1.0 §3)', () => {
  const members = ['frontchannel_logout_supported', 'frontchannel_logout_session_supported'];
  const offered = (document: Readonly<Record<string, unknown>>): readonly unknown[] =>
    members.map((member) => document[member]);
  assert.deepEqual(offered(metadata), [true, true]);
  const off = providerMetadata(ISSUER, endpoints, [], { frontChannelLogout: false });
  assert.deepEqual(offered(off), [undefined, undefined]);
  const without = endpoints.filter(({ contract: { name } }) => name !== 'end-session');
  assert.deepEqual(offered(providerMetadata(ISSUER, without, [])), [undefined, undefined]);
});

test('an endpoint that does not stand is not named (decision 3)', () => {
  const withoutToken = endpoints.filter((endpoint) => endpoint.contract.name !== 'token');
  assert.equal('token_endpoint' in providerMetadata(ISSUER, withoutToken, []), false);
  assert.deepEqual(
    Object.keys(providerMetadata(ISSUER, [], [])).filter(
      (name) => name.endsWith('_endpoint') || name === 'jwks_uri',
    ),
    [],
  );
});

test('what is named can be done: grants and methods are those of the lists they work from (decision 3)', () => {
  assert.deepEqual(metadata['grant_types_supported'], [
    ...offeredGrants(usual).map(({ grant_type }) => grant_type),
    'implicit',
  ]);
  const all = providerMetadata(ISSUER, endpoints, GRANTS)['grant_types_supported'];
  assert.deepEqual(all, [...GRANTS.map(({ grant_type }) => grant_type), 'implicit']);
  const methods = authenticationMethods(authMethods('none'));
  for (const endpoint of ['token', 'revocation']) {
    assert.deepEqual(metadata[`${endpoint}_endpoint_auth_methods_supported`], [...methods, 'none']);
  }
  assert.deepEqual(metadata['introspection_endpoint_auth_methods_supported'], [...methods, 'Bearer']);
});

test('the methods that authenticate are those that can be registered, but for none, which only says who a client is (RFC 7591 §2)', () => {
  for (const trust of ['none', 'keys', 'chains'] as const) {
    assert.deepEqual(
      authenticationMethods(authMethods(trust)),
      authMethods(trust).filter((method) => method !== 'none'),
    );
  }
});

// proves rfc8705-2.1.1-1
test('methods with certificates are named where certificates can be judged, and only there (RFC 8705 §2.1.1, §2.2.1)', () => {
  const named = (trust: 'none' | 'keys' | 'chains', member: string): unknown =>
    providerMetadata(ISSUER, endpoints, [], { certificates: { trust } })[member];
  const [token, introspection] = ['token', 'introspection'].map(
    (endpoint) => `${endpoint}_endpoint_auth_methods_supported`,
  );
  for (const member of [token ?? '', introspection ?? '']) {
    assert.doesNotMatch(JSON.stringify(named('none', member)), /tls_client_auth/);
    assert.match(JSON.stringify(named('keys', member)), /"self_signed_tls_client_auth"/);
    assert.doesNotMatch(JSON.stringify(named('keys', member)), /"tls_client_auth"/);
    assert.match(JSON.stringify(named('chains', member)), /"tls_client_auth","self_signed_tls_client_auth"/);
  }
});

// proves rfc8705-2.1.1-1
test('bound tokens are announced where certificates arrive (RFC 8705 §3.3)', () => {
  const bound = 'tls_client_certificate_bound_access_tokens';
  assert.equal(bound in metadata, false);
  assert.equal(providerMetadata(ISSUER, endpoints, [], { certificates: { trust: 'keys' } })[bound], true);
});

// proves rfc8705-5-1
test('aliases are those of the endpoints that clients authenticate at, below the other origin and the issuer’s path (RFC 8705 §5)', () => {
  const aliasOrigin = 'https://mtls.example.com:8443';
  const named = providerMetadata(ISSUER, endpoints, [], { certificates: { trust: 'keys', aliasOrigin } });
  const path = new URL(ISSUER).pathname.replace(/\/$/, '');
  assert.deepEqual(named['mtls_endpoint_aliases'], {
    token_endpoint: `${aliasOrigin}${path}/token`,
    introspection_endpoint: `${aliasOrigin}${path}/token/introspect`,
    chancery_revocation_feed_endpoint: `${aliasOrigin}${path}/token/revocations`,
    device_authorization_endpoint: `${aliasOrigin}${path}/device_authorization`,
    pushed_authorization_request_endpoint: `${aliasOrigin}${path}/par`,
    userinfo_endpoint: `${aliasOrigin}${path}/userinfo`,
    revocation_endpoint: `${aliasOrigin}${path}/token/revoke`,
  });
  assert.equal(
    'mtls_endpoint_aliases' in providerMetadata(ISSUER, endpoints, [], { certificates: { trust: 'keys' } }),
    false,
  );
});

test('algorithms of assertions are published for both endpoints, and none is not among them (RFC 8414 §2)', () => {
  for (const endpoint of ['token', 'introspection', 'revocation']) {
    const algorithms = metadata[`${endpoint}_endpoint_auth_signing_alg_values_supported`];
    assert.deepEqual(algorithms, [...SIGNING_ALGORITHMS, ...HMAC_ALGORITHMS]);
  }
});

test('200: claims with zero elements are omitted (RFC 8414 §3.2)', async () => {
  const at = discovery(contract, { issuer: ISSUER, empty: [], one: ['x'], none: false }, 0);
  const response = await answer(at, requestOf(contract, {}), () => assert.fail('no failure'));
  assert.equal(response.body, JSON.stringify({ issuer: ISSUER, one: ['x'], none: false }));
});

test('200: no header of the request changes the document (decision 1)', async () => {
  const at = discovery(contract, metadata, 300);
  const headers = {
    host: 'evil.example',
    'x-forwarded-host': 'evil.example',
    forwarded: 'host=evil.example',
  };
  const plain = await answer(at, requestOf(contract, {}), () => undefined);
  assert.deepEqual(await answer(at, requestOf(contract, { headers }), () => undefined), plain);
});

test('what the server cannot sign with is not named: a configured key set may have fewer keys (decisions 3, 29)', () => {
  const few = providerMetadata(ISSUER, endpoints, [], { canSign: (alg) => alg === 'ES256' });
  for (const what of ['id_token', 'userinfo', 'authorization', 'introspection']) {
    assert.deepEqual(few[`${what}_signing_alg_values_supported`], ['ES256']);
    assert.deepEqual(metadata[`${what}_signing_alg_values_supported`], SIGNING_ALGORITHMS);
  }
  assert.deepEqual(few['request_object_signing_alg_values_supported'], SIGNING_ALGORITHMS);
});

// proves rfc9207-3-1
test('what the authorisation endpoint can do is named with it, and only with it (OpenID Connect Discovery 1.0 §3, RFC 9207 §3)', () => {
  const members = [
    'response_types_supported',
    'response_modes_supported',
    'scopes_supported',
    'claims_supported',
    'prompt_values_supported',
    'ui_locales_supported',
    'acr_values_supported',
    'claims_parameter_supported',
    'request_parameter_supported',
    'authorization_response_iss_parameter_supported',
  ];
  const named = providerMetadata(ISSUER, endpoints, [], { languages: ['en', 'de'] });
  for (const member of members) assert.ok(named[member], member);
  assert.deepEqual(named['ui_locales_supported'], ['en', 'de']);
  assert.equal(named['request_uri_parameter_supported'], false);
  const without = providerMetadata(ISSUER, [], []);
  for (const member of members) assert.equal(member in without, false, member);
});

for (const at of [contract, authorizationServerContract]) {
  test(`${at.path}, a fault: 500 without body, and only the report has the cause (interface, Errors)`, async () => {
    const cause = new Error('/var/lib/registry');
    const reports: unknown[] = [];
    const handle = (): never => {
      throw cause;
    };
    const faulty = { ...discovery(at, {}, 300), handle };
    const response = await answer(faulty, requestOf(at, {}), (failure) => reports.push(failure));
    assertBodiless(await received(at, response), 500);
    assert.deepEqual(reports, [cause]);
  });
}

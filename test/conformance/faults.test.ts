import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { certificateAuthority } from '../tls/certificate.ts';
import type { ConditionName } from './conditions/library.ts';
import { moduleNamed, PLANS } from './plans.ts';
import { type Bench, casesOf, makeClientKeys, runModule } from './run.ts';
import { openSites } from './site.ts';
import {
  acceptedAnyway,
  answer,
  brokenSignature,
  faulty,
  fragmentInQuery,
  headers,
  idTokens,
  json,
  pages,
  status,
  type Tamper,
} from './tampering.ts';
import { type StartedTarget, startChancery } from './targets/chancery.ts';

type Row = readonly [
  module: string,
  condition: ConditionName,
  fault: Tamper | Promise<Tamper>,
  response_type?: string,
  client_auth_type?: string,
];

const DISCOVERY = '/.well-known/openid-configuration';
const now = (): number => Math.floor(Date.now() / 1000);
const firstKeyTwice = json('/jwks.json', ({ keys }) => ({
  keys: [...(keys as object[]), (keys as object[])[0]],
}));
const privateKey = json('/jwks.json', ({ keys }) => ({
  keys: (keys as object[]).map((key) => ({ ...key, d: 'AQ' })),
}));
const changed = (name: string, value: string): Tamper =>
  answer((parameters) => {
    if (parameters.has(name)) parameters.set(name, value);
  });
const added = (name: string): Tamper => answer((parameters) => parameters.set(name, 'unexpected'));

/** Sends the browser back after a logout, whatever the request was. */
const goneBack: Tamper = (reply, sent) =>
  sent.form?.['choice'] === 'logout'
    ? { ...reply, status: 303, headers: { location: 'https://suite.example/test/a/x/post_logout_redirect' } }
    : reply;
/** Lets a registration live on after its deletion. */
const deletedAnswers: Tamper = (reply, sent) =>
  sent.method === 'GET' && reply.status === 401 ? { ...reply, status: 200 } : reply;

/** A fault of the provider that the module must see, and the condition that must say so. */
const ROWS: readonly Row[] = [
  ['oidcc-server', 'ValidateIdTokenSignature', brokenSignature],
  ['oidcc-server', 'ValidateIdToken', idTokens(() => ({ iss: 'https://other.example' }))],
  ['oidcc-server', 'ValidateIdToken', idTokens(() => ({ aud: 'another client' }))],
  ['oidcc-server', 'ValidateIdToken', idTokens(() => ({ exp: now() - 1000 }))],
  ['oidcc-server', 'ValidateIdToken', idTokens(() => ({ aud: ['one', 'another'] }))],
  ['oidcc-server', 'ValidateIdTokenNonce', idTokens(() => ({ nonce: 'another' }))],
  ['oidcc-server', 'CheckForSubjectInIdToken', idTokens(() => ({ sub: undefined }))],
  ['oidcc-server', 'EnsureIdTokenDoesNotContainName', idTokens(() => ({ name: 'Ada' }))],
  ['oidcc-server', 'EnsureIdTokenDoesNotContainNonRequestedClaims', idTokens(() => ({ phone_number: '1' }))],
  ['oidcc-server', 'ValidateAtHash', idTokens(() => ({ at_hash: 'AAAAAAAAAAAAAAAAAAAAAA' }))],
  ['oidcc-server', 'ExtractIdTokenFromTokenResponse', json('/token', () => ({ id_token: undefined }))],
  ['oidcc-server', 'ValidateExpiresIn', json('/token', () => ({ expires_in: '600' }))],
  ['oidcc-server', 'CheckStateInAuthorizationResponse', changed('state', 'another')],
  ['oidcc-server', 'ValidateIssIfPresentInAuthorizationResponse', changed('iss', 'https://other.example')],
  ['oidcc-server', 'EnsureMinimumAuthorizationCodeLength', changed('code', 'short')],
  ['oidcc-server', 'CheckDistinctKeyIdValueInServerJWKs', firstKeyTwice],
  ['oidcc-server', 'EnsureJwksHasNoPrivateOrSymmetricKeyMaterial', privateKey],
  ['oidcc-server', 'EnsureHttpStatusCodeIs201', status('/register', 200)],
  ['oidcc-server', 'EnsureContentTypeJson', headers('/register', { 'content-type': 'text/plain' })],
  [
    'oidcc-server',
    'VerifyDynamicRegistrationResponseClientCredentials',
    json('/register', () => ({ client_secret_expires_at: undefined })),
  ],
  ['oidcc-server', 'EnsureHttpStatusCodeIs200', status('/userinfo', 204)],
  ['oidcc-server', 'RejectAuthCodeInUrlQuery', fragmentInQuery, 'code id_token'],
  [
    'oidcc-server',
    'ValidateCHash',
    changed('code', 'another-code-of-a-sufficient-length-000000'),
    'code id_token',
  ],
  [
    'oidcc-server',
    'ExtractAccessTokenFromAuthorizationResponse',
    changed('access_token', ''),
    'id_token token',
  ],
  [
    'oidcc-discovery-endpoint-verification',
    'CheckDiscEndpointAllEndpointsAreHttps',
    json(DISCOVERY, () => ({ token_endpoint: 'http://op.example/token' })),
  ],
  [
    'oidcc-discovery-endpoint-verification',
    'CheckDiscEndpointIssuer',
    json(DISCOVERY, () => ({ issuer: 'https://other.example' })),
  ],
  [
    'oidcc-discovery-endpoint-verification',
    'CheckForUnexpectedParametersInServerMetadata',
    json(DISCOVERY, () => ({ favourite_colour: 'red' })),
  ],
  [
    'oidcc-discovery-endpoint-verification',
    'CheckDiscEndpointLocalesCanonicalCasing',
    json(DISCOVERY, () => ({ ui_locales_supported: ['EN-gb'] })),
  ],
  [
    'oidcc-userinfo-get',
    'VerifyUserInfoAndIdTokenInTokenEndpointSameSub',
    json('/userinfo', () => ({ sub: 'another' })),
    'code id_token',
  ],
  [
    'oidcc-userinfo-get',
    'ValidateUserInfoStandardClaims',
    json('/userinfo', () => ({ email_verified: 'true' })),
  ],
  [
    'oidcc-scope-email',
    'VerifyScopesReturnedInUserInfoClaims',
    json('/userinfo', () => ({ email: undefined })),
  ],
  [
    'oidcc-userinfo-rs256',
    'EnsureContentTypeApplicationJwt',
    headers('/userinfo', { 'content-type': 'application/json' }),
  ],
  ['oidcc-codereuse', 'ServerAllowedReusingAuthorizationCode', status('/token', 200)],
  [
    'oidcc-refresh-token',
    'CheckTokenEndpointCacheHeaders',
    headers('/token', { 'cache-control': 'private' }),
  ],
  ['oidcc-refresh-token', 'CompareIdTokenClaims', idTokens(() => ({ auth_time: now() }))],
  [
    'oidcc-prompt-none-logged-in',
    'CheckIdTokenSubConsistentForSecondAuthorization',
    idTokens(() => ({ sub: String(Math.random()) })),
  ],
  [
    'oidcc-prompt-login',
    'CheckSecondIdTokenAuthTimeIsLaterIfPresent',
    idTokens(() => ({ auth_time: 1_700_000_000 })),
  ],
  [
    'oidcc-max-age-1',
    'CheckIdTokenAuthTimeClaimPresentDueToMaxAge',
    idTokens(() => ({ auth_time: undefined })),
  ],
  [
    'oidcc-prompt-none-not-logged-in',
    'CheckErrorFromAuthorizationEndpointIsOneThatRequiredAUserInterface',
    changed('error', 'server_error'),
  ],
  [
    'oidcc-prompt-none-not-logged-in',
    'CheckForUnexpectedParametersInErrorResponseFromAuthorizationEndpoint',
    added('extra'),
  ],
  ['oidcc-redirect-uri-regfrag', 'EnsureHttpStatusCodeIs400', status('/register', 201)],
  [
    'oidcc-registration-sector-bad',
    'CheckErrorFromDynamicRegistrationEndpointIsInvalidClientMetadata',
    json('/register', () => ({ error: 'access_denied' })),
  ],
  [
    'oidcc-idtoken-rs256',
    'EnsureIdTokenContainsKid',
    json('/token', () => ({ id_token: 'eyJhbGciOiJSUzI1NiJ9.e30.AA' })),
  ],
  ['oidcc-rp-initiated-logout', 'CheckPostLogoutState', changed('state', 'another')],
  [
    'oidcc-backchannel-rp-initiated-logout',
    'ValidateLogoutTokenClaims',
    json(DISCOVERY, () => ({ issuer: 'https://other.example' })),
  ],
  ['oidcc-ensure-registered-redirect-uri', 'ExpectNoCallback', acceptedAnyway],
  ['oidcc-redirect-uri-query-added', 'ExpectNoCallback', acceptedAnyway],
  [
    'oidcc-ensure-redirect-uri-in-authorization-request',
    'AuthorizationEndpointRedirectedBackUnexpectedly',
    acceptedAnyway,
  ],
  ['oidcc-ensure-registered-redirect-uri', 'ExpectRedirectUriErrorPage', status('/authorize', 200)],
  [
    'oidcc-registration-tos-uri',
    'ExpectLoginPageWithTosLink',
    pages((html) => html.replaceAll('tos.html', 'other.html')),
  ],
  [
    'oidcc-registration-logo-uri',
    'ExpectLoginPageWithLogo',
    pages((html) => html.replaceAll('<img', '<span')),
  ],
  [
    'oidcc-frontchannel-rp-initiated-logout',
    'ValidateFrontchannelLogoutIss',
    pages((html) => html.replaceAll(/iss=[^&"]*/g, 'iss=https://other.example')),
  ],
  [
    'oidcc-frontchannel-rp-initiated-logout',
    'ExpectFrontchannelLogoutRequest',
    pages((html) => html.replaceAll('<iframe', '<span')),
  ],
  ['oidcc-rp-initiated-logout-bad-id-token-hint', 'ExpectInvalidIdTokenHintErrorPage', goneBack],
  [
    'openid-federation-automatic-client-registration-invalid-request-object-aud',
    'EnsureErrorFromAuthorizationEndpointResponse',
    acceptedAnyway,
  ],
  [
    'openid-federation-automatic-client-registration-with-par',
    'EnsureMinimumRequestUriEntropy',
    json('/par', () => ({ request_uri: 'urn:x' })),
  ],
  ['fapi2-security-profile-final-brazildcr-client-delete', 'EnsureHttpStatusCodeIs401', deletedAnswers],
  [
    'openid-federation-entity-configuration',
    'EnsureContentTypeEntityStatementJwt',
    headers('/.well-known/openid-federation', { 'content-type': 'application/json' }),
  ],
];

const FAPI = 'fapi2-security-profile-final-';
/** Only the plan with signed requests has it. */
const SIGNED = `${FAPI}ensure-request-object-with-multiple-aud-succeeds`;
const otherSignature = answer((parameters) => {
  const response = parameters.get('response') ?? '';
  parameters.set('response', `${response.slice(0, response.lastIndexOf('.') + 1)}${'A'.repeat(342)}`);
});
/** Access tokens that say nothing about a certificate. */
const unboundTokens = json('/token', ({ access_token }) => {
  const [header, payload = '', signature] = String(access_token).split('.');
  const { cnf: _, ...claims } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object & {
    cnf?: unknown;
  };
  const changedPayload = Buffer.from(JSON.stringify(claims)).toString('base64url');
  return { access_token: `${header}.${changedPayload}.${signature}` };
});
const rotated: Tamper = (reply, sent) =>
  sent.form?.['grant_type'] === 'refresh_token'
    ? json('/token', () => ({ refresh_token: 'another' }))(reply, sent)
    : reply;

const FAPI_ROWS: readonly Row[] = [
  [
    `${FAPI}happy-flow`,
    'RequireIssInAuthorizationResponse',
    answer((parameters) => parameters.delete('iss')),
  ],
  [`${FAPI}happy-flow`, 'FAPI2EnsureExpiresInOfPARBelow600', json('/par', () => ({ expires_in: 600 }))],
  [`${FAPI}happy-flow`, 'CheckTokenTypeIsDpop', json('/token', () => ({ token_type: 'Bearer' }))],
  [`${FAPI}refresh-token`, 'EnsureRefreshTokenHasNotRotated', rotated],
  [
    `${FAPI}discovery-end-point-verification`,
    'FAPI2CheckTokenEndpointAuthMethodsSupported',
    json(DISCOVERY, () => ({ token_endpoint_auth_methods_supported: ['private_key_jwt', 'none'] })),
  ],
  [`${FAPI}par-ensure-pkce-required`, 'EnsurePARInvalidRequestError', status('/par', 201)],
  [
    `${FAPI}ensure-holder-of-key-required`,
    'CheckTokenEndpointReturnedInvalidRequestGrantOrDPopProofError',
    json('/token', () => ({ error: undefined })),
  ],
  [`${FAPI}dpop-negative-tests`, 'EnsureResourceStatusCodeIs400or401', status('/userinfo', 200)],
  [`${FAPI}par-attempt-reuse-request_uri`, 'EnsureInvalidRequestUriError', acceptedAnyway],
  [SIGNED, 'RejectNonJarmResponsesInUrlQuery', added('code')],
  [SIGNED, 'ExtractAuthorizationEndpointResponseFromJARMResponse', otherSignature],
];

/** The runs with certificates of clients. */
const MTLS_ROWS: readonly Row[] = (
  [
    [
      `${FAPI}discovery-end-point-verification`,
      'CheckTLSClientCertificateBoundAccessTokensTrue',
      json(DISCOVERY, () => ({ tls_client_certificate_bound_access_tokens: undefined })),
    ],
    [
      `${FAPI}discovery-end-point-verification`,
      'EnsureServerConfigurationSupportsMTLS',
      json(DISCOVERY, () => ({ token_endpoint_auth_methods_supported: ['private_key_jwt'] })),
    ],
    [
      `${FAPI}happy-flow`,
      'AddMTLSEndpointAliasesToEnvironment',
      json(DISCOVERY, () => ({ mtls_endpoint_aliases: undefined })),
    ],
    [`${FAPI}happy-flow`, 'EnsureAccessTokenIsBoundToCertificate', unboundTokens],
    [`${FAPI}happy-flow`, 'EnsureHttpStatusCodeIs4xx', status('/userinfo', 200)],
    [
      `${FAPI}happy-flow`,
      'CheckErrorFromParEndpointResponseErrorInvalidClientOrInvalidRequest',
      status('/par', 201),
    ],
    [
      `${FAPI}ensure-holder-of-key-required`,
      'CheckErrorFromTokenEndpointResponseErrorInvalidClientOrInvalidRequest',
      json('/token', () => ({ error: undefined })),
    ],
    [
      `${FAPI}ensure-client-id-in-token-endpoint`,
      'CheckTokenEndpointHttpStatusIs400Allowing401ForInvalidClientError',
      status('/token', 200),
    ],
    [
      `${FAPI}refresh-token`,
      'CheckErrorFromTokenEndpointResponseErrorInvalidClientOrInvalidRequest',
      json('/token', ({ error }) => (error === 'invalid_client' ? { error: 'invalid_scope' } : {})),
    ],
  ] as const
).map(([module, condition, fault]) => [module, condition, fault, 'code', 'mtls']);

const CASES = casesOf(PLANS);

suite('the modules see faults of a provider', { concurrency: 8 }, () => {
  let started: StartedTarget;
  let bench: Bench;

  before(async () => {
    const authority = certificateAuthority();
    const sites = await openSites(authority.issue({ addresses: ['127.0.0.1'] }));
    started = await startChancery(authority, sites);
    bench = { sites, keys: await makeClientKeys(2) };
  });

  after(async () => {
    await started.stop();
    await bench.sites.close();
  });

  for (const [at, row] of [...ROWS, ...FAPI_ROWS, ...MTLS_ROWS].entries()) {
    const [module, condition, fault, response_type = 'code', client_auth_type] = row;
    test(`${module} says ${condition} (fault ${at + 1})`, async () => {
      const each = CASES.find(
        ({ module: name, variant }) =>
          name === module &&
          variant.response_type === response_type &&
          (client_auth_type ?? variant.client_auth_type) === variant.client_auth_type,
      );
      assert.ok(each !== undefined, moduleNamed(module).name);
      const outcome = await runModule(faulty(started.target, await fault), each, bench);
      const found = outcome.findings.map((finding) => finding.condition);
      assert.ok(found.includes(condition), `found: ${found.join(', ')}; ${outcome.result} ${outcome.reason}`);
      assert.notEqual(outcome.result, 'passed');
    });
  }
});

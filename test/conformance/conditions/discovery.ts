import { header, objectOf } from '../http.ts';
import { type Check, expect, expectSame, ModuleSkipped, present, shown, strings, text } from '../verdict.ts';
import type { World } from '../world.ts';

const WELL_KNOWN = '/.well-known/openid-configuration';

/** The members of RFC 8414 §2, OpenID Connect Discovery 1.0 §3 and the registry of server metadata, as the suite knows them. */
const KNOWN_MEMBERS =
  /^(?:issuer|.*_endpoint|jwks_uri|.*_(?:supported|required)|service_documentation|op_policy_uri|op_tos_uri|signed_metadata|mtls_endpoint_aliases|.*_(?:min|max)_.*|check_session_iframe|tls_client_certificate_bound_access_tokens|require_.*|signed_jwks_uri|organization_.*|contacts|.*_uri|authorization_encryption_.*)$/;

/** Types of the members that the suite's schema names. */
const MEMBER_TYPES: readonly (readonly [member: RegExp, holds: (value: unknown) => boolean])[] = [
  [
    /^(?:issuer|jwks_uri|service_documentation|op_policy_uri|op_tos_uri|.*_endpoint)$/,
    (v) => typeof v === 'string' && URL.canParse(v),
  ],
  [/_(?:values|types|modes|methods|locales)_supported$|^(?:scopes|claims)_supported$/, isTexts],
  [
    /^(?:claims|request|request_uri)_parameter_supported$|^require_|_logout(?:_session)?_supported$|^tls_client/,
    (v) => typeof v === 'boolean',
  ],
];
const REQUIRED_MEMBERS = [
  'issuer',
  'authorization_endpoint',
  'jwks_uri',
  'response_types_supported',
  'subject_types_supported',
  'id_token_signing_alg_values_supported',
];

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

function listed(member: string, values: readonly string[], atLeast = values.length): Check {
  return ({ server }) => {
    expect(Array.isArray(server[member]), `${member} is ${shown(server[member])}, not an array`);
    const there = values.filter((value) => strings(server[member]).some((each) => sameSet(each, value)));
    expect(there.length >= atLeast, `${member} ${shown(server[member])} lacks some of ${shown(values)}`);
  };
}

/** The words of a response type have no order (OAuth 2.0 Multiple Response Type Encoding Practices §3). */
function sameSet(one: string, other: string): boolean {
  return one.split(' ').sort().join(' ') === other.split(' ').sort().join(' ');
}

function isHttps(member: string): Check {
  return ({ server }) => expectHttps(member, server[member]);
}

export function expectHttps(what: string, value: unknown): void {
  expect(URL.canParse(text(value, what)), `${what} ${shown(value)} is not a URL`);
  expect(String(value).startsWith('https://'), `${what} ${shown(value)} is not https`);
}

function isTrue(member: string, whenAbsent: boolean): Check {
  return ({ server }) => expectSame(server[member] ?? whenAbsent, true, member);
}

function skipIfAbsent(member: string, check: Check): Check {
  return async (world) => {
    if (member in world.server) await check(world);
  };
}

function authMethod(method: string): Check {
  return ({ server }) => {
    const methods = server['token_endpoint_auth_methods_supported'];
    if (methods === undefined && method === 'client_secret_basic') return;
    expect(strings(methods).includes(method), `${method} is not among ${shown(methods)}`);
  };
}

/** RFC 6749 §3.3: `scope-token`. */
const SCOPE_TOKEN = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

function locales({ server }: World): readonly unknown[] {
  return ['ui_locales_supported', 'claims_locales_supported'].flatMap((name) => {
    const value = server[name] ?? [];
    expect(Array.isArray(value), `${name} is no array`);
    return value as readonly unknown[];
  });
}

export const DISCOVERY = {
  async GetDynamicServerConfiguration(world) {
    world.discovery = await world.target.send(`${world.target.issuer.replace(/\/$/, '')}${WELL_KNOWN}`);
    world.server = objectOf(world.discovery);
    expect('issuer' in world.server, `no server metadata in ${shown(world.discovery.text)}`);
  },
  CheckServerConfiguration({ server }) {
    for (const name of ['authorization_endpoint', 'token_endpoint', 'issuer']) text(server[name], name);
  },
  EnsureDiscoveryEndpointResponseStatusCodeIs200: ({ discovery }) =>
    expectSame(discovery?.status, 200, 'the status'),
  CheckDiscoveryEndpointReturnedJsonContentType({ discovery }) {
    const type = header(present(discovery, 'discovery document'), 'content-type');
    expect(/^application\/json\b/i.test(type), `the content type is ${type}`);
  },
  OIDCCCheckDiscEndpointResponseTypesSupportedDynamic: listed('response_types_supported', [
    'code',
    'id_token',
    'id_token token',
  ]),
  OIDCCCheckDiscEndpointResponseTypesSupported: listed(
    'response_types_supported',
    ['code', 'code id_token', 'id_token', 'id_token token', 'code id_token token', 'code token'],
    1,
  ),
  CheckDiscEndpointDiscoveryUrl: ({ discovery }) => expectHttps('the discovery URL', discovery?.url),
  CheckDiscEndpointIssuer({ server, target }) {
    const plain = (url: string): string => url.replace(/\/$/, '');
    expectSame(plain(String(server['issuer'])), plain(target.issuer), 'issuer');
  },
  CheckDiscEndpointIssuerIsValidUrl({ server }) {
    expectHttps('issuer', server['issuer']);
    const { search, hash } = new URL(String(server['issuer']));
    expectSame(search + hash, '', 'query and fragment of the issuer');
  },
  ValidateServerMetadataAgainstSchema({ server }) {
    for (const name of REQUIRED_MEMBERS) expect(name in server, `${name} is missing`);
    for (const [name, value] of Object.entries(server))
      for (const [member, holds] of MEMBER_TYPES)
        if (member.test(name)) expect(holds(value), `${name} is ${shown(value)}`);
  },
  CheckForUnexpectedParametersInServerMetadata({ server }) {
    const unknown = Object.keys(server).filter((name) => !KNOWN_MEMBERS.test(name));
    expect(unknown.length === 0, `members that no specification has: ${unknown.join(', ')}`);
  },
  CheckDiscEndpointSubjectTypesSupported: listed('subject_types_supported', ['public', 'pairwise'], 1),
  OIDCCCheckDiscEndpointIdTokenSigningAlgValuesSupported: listed('id_token_signing_alg_values_supported', [
    'RS256',
  ]),
  OIDCCCheckDiscEndpointUserinfoSigningAlgValuesSupported: skipIfAbsent(
    'userinfo_signing_alg_values_supported',
    listed('userinfo_signing_alg_values_supported', []),
  ),
  CheckDiscEndpointAuthorizationEndpoint: isHttps('authorization_endpoint'),
  CheckDiscEndpointTokenEndpoint: isHttps('token_endpoint'),
  CheckDiscEndpointUserinfoEndpoint: isHttps('userinfo_endpoint'),
  CheckDiscEndpointRegistrationEndpoint: skipIfAbsent(
    'registration_endpoint',
    isHttps('registration_endpoint'),
  ),
  CheckJwksUri: isHttps('jwks_uri'),
  CheckDiscEndpointRequestParameterSupported: isTrue('request_parameter_supported', false),
  CheckDiscEndpointRequestUriParameterSupported: isTrue('request_uri_parameter_supported', true),
  CheckDiscEndpointRequestObjectSigningAlgValuesSupportedIncludesRS256: skipIfAbsent(
    'request_object_signing_alg_values_supported',
    listed('request_object_signing_alg_values_supported', ['RS256']),
  ),
  CheckDiscEndpointRequestObjectSigningAlgValuesSupportedContainsRS256: listed(
    'request_object_signing_alg_values_supported',
    ['RS256'],
  ),
  CheckDiscEndpointUserinfoSigningAlgValuesSupportedContainsRS256: listed(
    'userinfo_signing_alg_values_supported',
    ['RS256'],
  ),
  CheckDiscEndpointClaimsParameterSupported: isTrue('claims_parameter_supported', false),
  OIDCCCheckDiscEndpointClaimsSupported: listed('claims_supported', []),
  OIDCCCheckDiscEndpointGrantTypesSupportedDynamic: skipIfAbsent(
    'grant_types_supported',
    listed('grant_types_supported', ['authorization_code', 'implicit']),
  ),
  OIDCCCheckDiscEndpointGrantTypesSupported: skipIfAbsent('grant_types_supported', ({ server }) =>
    expect(strings(server['grant_types_supported']).length > 0, 'grant_types_supported is empty'),
  ),
  CheckDiscEndpointScopesSupportedContainsOpenId: listed('scopes_supported', ['openid']),
  CheckDiscEndpointScopesSupportedSyntax: skipIfAbsent('scopes_supported', ({ server }) => {
    for (const value of server['scopes_supported'] as readonly unknown[])
      expect(SCOPE_TOKEN.test(text(value, 'a scope')), `scope ${shown(value)}`);
  }),
  CheckDiscEndpointLocalesSyntax(world) {
    for (const tag of locales(world))
      expect(Intl.getCanonicalLocales(text(tag, 'a locale')).length === 1, shown(tag));
  },
  CheckDiscEndpointLocalesCanonicalCasing(world) {
    for (const tag of locales(world))
      expectSame(Intl.getCanonicalLocales(String(tag))[0], tag, 'the canonical tag');
  },
  CheckDiscEndpointAllEndpointsAreHttps({ server }) {
    for (const [name, value] of Object.entries(server))
      if (name.endsWith('_endpoint')) expectHttps(name, value);
  },
  EnsureServerConfigurationCodeChallengeMethodsSupportedIsAnArray: skipIfAbsent(
    'code_challenge_methods_supported',
    listed('code_challenge_methods_supported', []),
  ),
  CheckDiscEndpointBackchannelLogoutSupported: isTrue('backchannel_logout_supported', false),
  CheckDiscEndpointBackchannelLogoutSessionSupported: isTrue('backchannel_logout_session_supported', false),
  CheckDiscEndpointFrontchannelLogoutSupported: isTrue('frontchannel_logout_supported', false),
  CheckDiscEndpointFrontchannelLogoutSessionSupported: isTrue('frontchannel_logout_session_supported', false),
  CheckDiscEndSessionEndpoint: isHttps('end_session_endpoint'),
  EnsureServerConfigurationSupportsClientSecretBasic: authMethod('client_secret_basic'),
  EnsureServerConfigurationSupportsClientSecretPost: authMethod('client_secret_post'),
  EnsureServerConfigurationSupportsPrivateKeyJwt: authMethod('private_key_jwt'),
  EnsureServerConfigurationSupportsRefreshToken: ({ server }) =>
    expect(
      strings(server['grant_types_supported']).includes('refresh_token'),
      'grant_types_supported lacks refresh_token',
    ),
  EnsureServerConfigurationDoesNotSupportRefreshToken: ({ server }) =>
    expect(
      !strings(server['grant_types_supported']).includes('refresh_token'),
      'refresh_token is advertised, and none was issued',
    ),
  OIDCCCheckIdTokenSigningAlgValuesSupportedAlgNone({ server }) {
    const none = strings(server['id_token_signing_alg_values_supported']).includes('none');
    if (!none) throw new ModuleSkipped("id_token_signing_alg_values_supported has no 'none'");
  },
  SkipTestIfNoneUnsupported({ server }) {
    const values = server['request_object_signing_alg_values_supported'];
    if (Array.isArray(values) && !values.includes('none'))
      throw new ModuleSkipped("request_object_signing_alg_values_supported has no 'none'");
  },
  OIDCCCheckScopesSupportedContainScopeTest({ server, client }) {
    const missing = String(client['scope'])
      .split(' ')
      .filter((scope) => !strings(server['scopes_supported']).includes(scope));
    if (missing.length > 0) throw new ModuleSkipped(`scopes_supported lacks ${missing.join(', ')}`);
  },
  SkipTestIfPairwiseUnsupported({ server }) {
    if (!strings(server['subject_types_supported']).includes('pairwise'))
      throw new ModuleSkipped('no pairwise subjects');
  },
} satisfies Readonly<Record<string, Check>>;

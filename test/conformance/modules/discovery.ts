import type { ConformanceModule } from '../module.ts';
import { isDynamic, SERVER_KEYS } from '../sequences.ts';
import { fail, info, type Step, stop, warn } from '../step.ts';

const DISCOVERED = stop('GetDynamicServerConfiguration');
const FETCHED: readonly Step[] = [
  DISCOVERED,
  fail('EnsureDiscoveryEndpointResponseStatusCodeIs200', 'OIDCD-4'),
  fail('CheckDiscoveryEndpointReturnedJsonContentType', 'OIDCD-4'),
];
const ALL_HTTPS = fail('CheckDiscEndpointAllEndpointsAreHttps');
const END_SESSION = fail('CheckDiscEndSessionEndpoint', 'OIDCBCL-3', 'OIDCRIL-2.1');

export const DISCOVERY_MODULES: readonly ConformanceModule[] = [
  {
    // proves openid-conformance-2
    name: 'oidcc-discovery-endpoint-verification',
    steps: (variant) => [
      ...FETCHED,
      isDynamic(variant)
        ? fail('OIDCCCheckDiscEndpointResponseTypesSupportedDynamic', 'OIDCD-3', 'OIDCC-15.2')
        : fail('OIDCCCheckDiscEndpointResponseTypesSupported', 'OIDCD-3', 'OIDCC-3'),
      fail('CheckDiscEndpointDiscoveryUrl'),
      fail('CheckDiscEndpointIssuer', 'OIDCD-4.3', 'OIDCD-7.2'),
      fail('CheckDiscEndpointIssuerIsValidUrl', 'RFC8414-2'),
      fail('ValidateServerMetadataAgainstSchema', 'OIDCD-3', 'RFC8414-2'),
      warn('CheckForUnexpectedParametersInServerMetadata', 'OIDCD-3', 'RFC8414-2'),
      fail('CheckDiscEndpointSubjectTypesSupported', 'OIDCD-3'),
      fail('OIDCCCheckDiscEndpointIdTokenSigningAlgValuesSupported', 'OIDCD-3'),
      fail('OIDCCCheckDiscEndpointUserinfoSigningAlgValuesSupported', 'OIDCD-3'),
      fail('CheckDiscEndpointAuthorizationEndpoint', 'OIDCD-3'),
      fail('CheckDiscEndpointTokenEndpoint', 'OIDCD-3'),
      fail('CheckDiscEndpointUserinfoEndpoint', 'OIDCD-3'),
      fail('CheckDiscEndpointRegistrationEndpoint', 'OIDCD-3'),
      fail('CheckJwksUri', 'OIDCD-3'),
      ...SERVER_KEYS,
      info('CheckDiscEndpointRequestParameterSupported'),
      info('CheckDiscEndpointRequestUriParameterSupported'),
      warn('CheckDiscEndpointRequestObjectSigningAlgValuesSupportedIncludesRS256', 'OIDCD-3'),
      info('CheckDiscEndpointClaimsParameterSupported', 'OIDCD-3'),
      warn('OIDCCCheckDiscEndpointClaimsSupported', 'OIDCD-3'),
      isDynamic(variant)
        ? fail('OIDCCCheckDiscEndpointGrantTypesSupportedDynamic', 'OIDCD-3')
        : fail('OIDCCCheckDiscEndpointGrantTypesSupported', 'OIDCD-3'),
      fail('CheckDiscEndpointScopesSupportedContainsOpenId', 'OIDCD-3'),
      fail('CheckDiscEndpointScopesSupportedSyntax', 'RFC6749-3.3'),
      fail('CheckDiscEndpointLocalesSyntax', 'RFC8414-2'),
      warn('CheckDiscEndpointLocalesCanonicalCasing', 'RFC8414-2'),
      ALL_HTTPS,
      fail('EnsureServerConfigurationCodeChallengeMethodsSupportedIsAnArray', 'RFC8414-2', 'RFC7636-4.3'),
    ],
  },
  {
    // proves openid-rp-logout-2.1-1
    name: 'oidcc-rp-initiated-logout-discovery-endpoint-verification',
    steps: () => [DISCOVERED, ALL_HTTPS, END_SESSION],
  },
  {
    // proves openid-backchannel-logout-2.1-1
    name: 'oidcc-backchannel-logout-discovery-endpoint-verification',
    steps: () => [
      DISCOVERED,
      ALL_HTTPS,
      fail('CheckDiscEndpointBackchannelLogoutSupported', 'OIDCBCL-2.1'),
      fail('CheckDiscEndpointBackchannelLogoutSessionSupported', 'OIDCBCL-2.1'),
      END_SESSION,
    ],
  },
  {
    name: 'oidcc-frontchannel-logout-discovery-endpoint-verification',
    steps: () => [
      ...FETCHED,
      ALL_HTTPS,
      fail('CheckDiscEndpointFrontchannelLogoutSupported', 'OIDCFCL-2'),
      fail('CheckDiscEndpointFrontchannelLogoutSessionSupported', 'OIDCFCL-2'),
      END_SESSION,
    ],
  },
];

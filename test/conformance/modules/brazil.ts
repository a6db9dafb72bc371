import type { ConformanceModule } from '../module.ts';
import { clientAuthentication, REGISTERED, registrationRequest, SERVER_KEYS } from '../sequences.ts';
import { fail, type Step, stop } from '../step.ts';
import type { Variant } from '../world.ts';

const NOTES =
  'Brazil’s directory is one of ours, and the client has private_key_jwt and the operator’s token instead of a certificate. The conditions about certificates and about the directory’s own answers are left out';

const DISCOVERED: readonly Step[] = [
  stop('CreateRedirectUri'),
  stop('GetDynamicServerConfiguration'),
  stop('CheckServerConfiguration'),
  ...SERVER_KEYS,
];
const STATEMENT = stop('FAPIBrazilCallDirectorySoftwareStatementEndpointWithBearerToken');

/** The registration request of the Brazilian profile, as far as it needs no certificate. */
function asked(variant: Variant): readonly Step[] {
  return [
    ...DISCOVERED,
    STATEMENT,
    ...registrationRequest(variant, true),
    stop('AddRefreshTokenGrantTypeToDynamicRegistrationRequest'),
    stop('AddClientCredentialsGrantTypeToDynamicRegistrationRequest'),
    stop('AddInitialAccessToken'),
  ];
}

function registered(variant: Variant): readonly Step[] {
  return [
    ...asked(variant),
    stop('AddSoftwareStatementToDynamicRegistrationRequest'),
    ...REGISTERED,
    fail('ClientManagementEndpointAndAccessTokenRequired', 'BrazilOBDCR-7.1', 'RFC7592-2'),
  ];
}

const CONFIGURATION_CHECKS: readonly Step[] = [
  fail('CheckRegistrationClientEndpointContentTypeHttpStatus200', 'OIDCD-4.3'),
  fail('CheckRegistrationClientEndpointContentType', 'OIDCD-4.3'),
  fail('CheckClientIdFromClientConfigurationEndpoint', 'RFC7592-3'),
  fail('CheckRedirectUrisFromClientConfigurationEndpoint', 'RFC7592-3'),
  fail('CheckClientConfigurationUriFromClientConfigurationEndpoint', 'RFC7592-3'),
  fail('CheckClientConfigurationAccessTokenFromClientConfigurationEndpoint', 'RFC7592-3'),
];
const UNKNOWN: readonly Step[] = [
  fail('EnsureHttpStatusCodeIs401', 'RFC7592-2.1'),
  fail('CheckNoClientIdFromClientConfigurationEndpoint'),
];
const REFUSED: readonly Step[] = [
  fail('EnsureContentTypeJson', 'RFC7591-3.2.2'),
  fail('EnsureHttpStatusCodeIs400', 'RFC7591-3.2.2'),
];
const BAD_REDIRECT_URI: readonly Step[] = [
  ...REFUSED,
  fail(
    'CheckErrorFromDynamicRegistrationEndpointIsInvalidRedirectUriOrInvalidClientMetadata',
    'RFC7591-3.2.2',
  ),
];
const DELETED = fail('UnregisterDynamicallyRegisteredClient', 'BrazilOBDCR-9.3.2-4', 'RFC7592-2.3');
const NOT_DELETED = fail(
  'UnregisterDynamicallyRegisteredClientExpectingFailure',
  'BrazilOBDCR-9.3.2-4',
  'RFC7592-2.3',
);

const serviceToken = (variant: Variant): readonly Step[] => [
  stop('CreateTokenEndpointRequestForClientCredentialsGrant'),
  ...clientAuthentication(variant),
  stop('CallTokenEndpointAndReturnFullResponse'),
];

const UPDATED: readonly Step[] = [
  stop('CreateClientConfigurationRequestFromDynamicClientRegistrationResponse'),
  STATEMENT,
  stop('AddSoftwareStatementToClientConfigurationRequest'),
  stop('AddRedirectUriQuerySuffix', 'RFC6749-3.1.2'),
  stop('AddRedirectUriToClientConfigurationRequest'),
  stop('UpdateClientConfiguration'),
  ...CONFIGURATION_CHECKS,
];

function module(name: string, steps: ConformanceModule['steps']): ConformanceModule {
  return { name, notes: NOTES, steps };
}

export const BRAZIL_MODULES: readonly ConformanceModule[] = [
  // proves openid-conformance-26
  module('fapi2-security-profile-final-brazildcr-happy-flow', (variant) => [
    ...registered(variant),
    stop('CallClientConfigurationEndpoint', 'OIDCD-4.2'),
    ...CONFIGURATION_CHECKS,
    DELETED,
  ]),
  // proves openid-conformance-27
  module('fapi2-security-profile-final-brazildcr-client-delete', (variant) => [
    ...registered(variant),
    ...serviceToken(variant),
    fail('CheckTokenEndpointHttpStatus200'),
    stop('CheckIfTokenEndpointResponseError'),
    stop('CheckForAccessTokenValue'),
    DELETED,
    stop('CallClientConfigurationEndpoint', 'OIDCD-4.2'),
    ...UNKNOWN,
    NOT_DELETED,
    ...serviceToken(variant),
    fail('ValidateErrorFromTokenEndpointResponseError'),
    fail('CheckTokenEndpointHttpStatus400or401'),
    fail('CheckErrorFromTokenEndpointResponseErrorInvalidClient'),
  ]),
  // proves openid-conformance-28
  module('fapi2-security-profile-final-brazildcr-invalid-registration-access-token', (variant) => [
    ...registered(variant),
    stop('UseInvalidRegistrationAccessToken'),
    stop('CallClientConfigurationEndpoint', 'OIDCD-4.2'),
    ...UNKNOWN,
    NOT_DELETED,
    stop('UseOwnRegistrationAccessToken'),
    DELETED,
  ]),
  // proves openid-conformance-29
  module('fapi2-security-profile-final-brazildcr-update-client-config', (variant) => [
    ...registered(variant),
    ...UPDATED,
    stop('UseInvalidRegistrationAccessToken'),
    stop('UpdateClientConfiguration'),
    ...UNKNOWN,
    stop('UseOwnRegistrationAccessToken'),
    stop('InvalidateSoftwareStatementSignature'),
    stop('AddSoftwareStatementToClientConfigurationRequest'),
    stop('UpdateClientConfiguration'),
    ...REFUSED,
    stop('RemoveSoftwareStatementFromClientConfigurationRequest'),
    stop('UpdateClientConfiguration'),
    ...REFUSED,
  ]),
  // proves openid-conformance-32
  module('fapi2-security-profile-final-brazildcr-update-client-config-invalid-redirect-uri', (variant) => [
    ...registered(variant),
    stop('CreateClientConfigurationRequestFromDynamicClientRegistrationResponse'),
    stop('CreateBadRedirectUri'),
    stop('AddRedirectUriToClientConfigurationRequest'),
    stop('RemoveSoftwareStatementFromClientConfigurationRequest'),
    stop('UpdateClientConfiguration'),
    ...BAD_REDIRECT_URI,
  ]),
  // proves openid-conformance-33
  module('fapi2-security-profile-final-brazil-dcr-invalid-redirect-uri', (variant) => [
    ...asked({ ...variant }).filter(({ condition }) => condition !== 'CreateRedirectUri'),
    stop('CreateBadRedirectUri'),
    stop('AddRedirectUriToDynamicRegistrationRequest'),
    stop('CallDynamicRegistrationEndpoint'),
    ...BAD_REDIRECT_URI,
  ]),
  // proves openid-conformance-34
  module('fapi2-security-profile-final-brazil-dcr-no-redirect-uri', (variant) => [
    ...asked(variant),
    stop('RemoveRedirectUrisFromDynamicClientRegistrationEndpointRequest', 'BrazilOBDCR-7.1-6'),
    stop('CallDynamicRegistrationEndpoint'),
    ...BAD_REDIRECT_URI,
  ]),
];

import { decided, must, type Specification } from './requirement.ts';
import { fetching, managing, registering } from './test-files.ts';

const DCR = 'fapi2-security-profile-final-brazildcr';
const LATER = 'waits for the authorisation endpoint; registration accepts what it needs';

export const conformanceModules: Specification = {
  title: 'OpenID Foundation conformance suite, modules that concern registration',
  scope:
    'The suite’s checks are made again as tests of our own, named after the modules. What a module checks at the authorisation endpoint is not here yet; what it checks of mutual TLS and of the Brazilian directory never will be.',
  requirements: [
    must(
      'oidcc-server',
      'Registration as every module begins with it.',
      registering('oidcc-server, registration'),
    ),
    must(
      'oidcc-discovery-endpoint-verification',
      'registration_endpoint, and all endpoints https.',
      registering('oidcc-discovery-endpoint-verification'),
    ),
    must(
      'oidcc-redirect-uri-regfrag',
      'A fragment in a redirection URI.',
      registering('oidcc-redirect-uri-regfrag'),
    ),
    decided(
      'oidcc-redirect-uri-query-OK',
      'A query in one.',
      LATER,
      registering('oidcc-redirect-uri-query-OK'),
    ),
    must(
      'oidcc-registration-sector-uri',
      'A sector identifier that lists the redirection URIs.',
      fetching('oidcc-registration-sector-uri'),
    ),
    must('oidcc-registration-sector-bad', 'One that does not.', fetching('oidcc-registration-sector-bad')),
    decided('oidcc-registration-jwks-uri', 'A jwks_uri.', LATER, registering('oidcc-registration-jwks-uri')),
    decided(
      'oidcc-registration-logo-uri, -policy-uri, -tos-uri',
      'Addresses that are shown at sign-in.',
      LATER,
      registering('oidcc-registration-logo-uri'),
    ),
    decided(
      'oidcc-idtoken-rs256, oidcc-userinfo-rs256',
      'Algorithms of responses.',
      LATER,
      registering('oidcc-idtoken-rs256'),
    ),
    decided(
      'oidcc-idtoken-unsigned',
      'ID tokens without signature.',
      'not supported, which the suite allows: it skips the module',
      registering('oidcc-idtoken-unsigned'),
    ),
    decided(
      'oidcc-3rd_party-init-login',
      'initiate_login_uri.',
      LATER,
      registering('oidcc-3rd_party-init-login, '),
    ),
    must(
      'oidcc-3rd_party-init-login-nohttps',
      'One without https.',
      registering('oidcc-3rd_party-init-login-nohttps'),
    ),
    must(`${DCR}-happy-flow`, 'Registration, then GET.', managing(`${DCR}-happy-flow`)),
    must(`${DCR}-client-delete`, 'DELETE, and what is dead after it.', managing(`${DCR}-client-delete`)),
    must(
      `${DCR}-invalid-registration-access-token`,
      'A wrong token at GET and DELETE.',
      managing(`${DCR}-invalid-registration-access-token`),
    ),
    must(
      `${DCR}-update-client-config`,
      'PUT of the whole registration with one more redirection URI.',
      managing(`${DCR}-update-client-config: `),
    ),
    must(
      `${DCR}-update-client-config-bad-jwks-uri`,
      'PUT with a jwks_uri that cannot be.',
      managing(`${DCR}-update-client-config-bad-jwks-uri`),
    ),
    decided(
      `${DCR}-update-client-config-invalid-jwks-by-value`,
      'PUT with a JWK set by value that does not hold.',
      'Brazil forbids every jwks by value; here a sound one is accepted',
      managing(`${DCR}-update-client-config-invalid-jwks-by-value`),
    ),
    decided(
      `${DCR}-update-client-config-invalid-redirect-uri`,
      'PUT with a redirection URI that is not to be.',
      'Brazil means one that the statement does not hold; here the statement’s win over the request',
      managing(`${DCR}-update-client-config-invalid-redirect-uri`),
      fetching('a software statement wins over the request'),
    ),
    must(
      'fapi2-security-profile-final-brazil-dcr-invalid-redirect-uri',
      'The same at registration.',
      managing('fapi2-security-profile-final-brazil-dcr-invalid-redirect-uri'),
    ),
    must(
      'fapi2-security-profile-final-brazil-dcr-no-redirect-uri',
      'Registration without redirect_uris.',
      managing('fapi2-security-profile-final-brazil-dcr-no-redirect-uri'),
    ),
    must(
      'fapi2-security-profile-final-brazil-dcr-invalid-software-statement-signature',
      'A statement whose signature does not hold.',
      fetching('fapi2-security-profile-final-brazil-dcr-invalid-software-statement-signature'),
    ),
    decided(
      'fapi2-security-profile-final-brazil-dcr-no-software-statement',
      'Registration without a statement.',
      'Brazil requires statements; here they are one of several ways',
      fetching('fapi2-security-profile-final-brazil-dcr-no-software-statement'),
    ),
    {
      section: 'fapi2-security-profile-final-brazil-dcr-no-mtls, -bad-mtls',
      words: 'Registration with mutual TLS.',
      tests: [],
      reason: 'not offered: the registry is opened by tokens, and TLS ends at the proxy',
    },
  ],
};

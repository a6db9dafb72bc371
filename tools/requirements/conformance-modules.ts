import { decided, must, type Specification } from './requirement.ts';
import { authorizationModules, codes, fetching, managing, registering, userinfo } from './test-files.ts';

const DCR = 'fapi2-security-profile-final-brazildcr';

export const conformanceModules: Specification = {
  title: 'OpenID Foundation conformance suite, modules that concern our endpoints',
  scope:
    'The suite’s checks are made again as tests of our own, named after the modules. What a module checks of mutual TLS and of the Brazilian directory is not here.',
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
    must(
      'oidcc-redirect-uri-query-OK',
      'A query in one.',
      registering('oidcc-redirect-uri-query-OK'),
      authorizationModules('oidcc-redirect-uri-query-OK'),
    ),
    must(
      'oidcc-registration-sector-uri',
      'A sector identifier that lists the redirection URIs.',
      fetching('oidcc-registration-sector-uri'),
    ),
    must('oidcc-registration-sector-bad', 'One that does not.', fetching('oidcc-registration-sector-bad')),
    must('oidcc-registration-jwks-uri', 'A jwks_uri.', registering('oidcc-registration-jwks-uri')),
    decided(
      'oidcc-registration-logo-uri, -policy-uri, -tos-uri',
      'Addresses that are shown at sign-in.',
      'policies and terms are; a logo would be fetched from its host by everybody who signs in (ADR 17)',
      registering('oidcc-registration-logo-uri'),
      authorizationModules('oidcc-registration-policy-uri and -tos-uri'),
    ),
    must(
      'oidcc-idtoken-signature, oidcc-idtoken-rs256, oidcc-userinfo-rs256',
      'Algorithms of responses.',
      registering('oidcc-idtoken-rs256'),
      authorizationModules('oidcc-idtoken-signature'),
      userinfo(200)('oidcc-userinfo-rs256'),
    ),
    must(
      'oidcc-server',
      'The code, hybrid and implicit flows.',
      authorizationModules(
        'oidcc-server: a code',
        'oidcc-server, the hybrid flow',
        'oidcc-server, the implicit flow',
      ),
    ),
    must(
      'oidcc-codereuse, oidcc-codereuse-30seconds',
      'A code that is used twice.',
      authorizationModules('oidcc-codereuse'),
      codes('a second use half an hour later'),
    ),
    must(
      'oidcc-ensure-client-assertion-with-iss-aud-succeeds',
      'A client assertion whose audience is the issuer.',
      authorizationModules('oidcc-ensure-client-assertion-with-iss-aud-succeeds'),
    ),
    must(
      'oidcc-ensure-post-request-succeeds',
      'A request by POST.',
      authorizationModules('oidcc-ensure-post-request-succeeds'),
    ),
    must(
      'oidcc-ensure-redirect-uri-in-authorization-request, -registered-redirect-uri, oidcc-redirect-uri-query-added, -mismatch',
      'Redirection URIs that are missing or are not registered.',
      authorizationModules('oidcc-ensure-redirect-uri-in-authorization-request', '…: an error page'),
    ),
    must(
      'oidcc-ensure-request-with-acr-values-succeeds, -unknown-parameter, -valid-pkce',
      'Requests with more in them.',
      authorizationModules(
        'oidcc-ensure-request-with-acr-values-succeeds',
        'oidcc-ensure-request-with-unknown-parameter-succeeds',
        'oidcc-ensure-request-with-valid-pkce-succeeds',
      ),
    ),
    must(
      'oidcc-ensure-request-without-nonce-fails, -succeeds-for-code-flow',
      'Requests without nonce.',
      authorizationModules(
        'oidcc-ensure-request-without-nonce-fails',
        'oidcc-ensure-request-without-nonce-succeeds-for-code-flow',
      ),
    ),
    must(
      'oidcc-prompt-login, -none-logged-in, -none-not-logged-in',
      'prompt.',
      authorizationModules(
        'oidcc-prompt-login',
        'oidcc-prompt-none-logged-in',
        'oidcc-prompt-none-not-logged-in',
      ),
    ),
    must(
      'oidcc-scope-email, -phone, -address, -profile, -all; oidcc-userinfo-get',
      'UserInfo by scope.',
      userinfo(200)('GET /userinfo, …: what the scope asks for'),
    ),
    must(
      'oidcc-userinfo-post-header, -post-body',
      'UserInfo by POST.',
      userinfo(200)('oidcc-userinfo-post-header and'),
    ),
    must(
      'oidcc-refresh-token-rp-key-rotation',
      'offline_access after consent.',
      authorizationModules('oidcc-refresh-token-rp-key-rotation'),
    ),
    must(
      'oidcc-ensure-request-object-with-redirect-uri',
      'A request object whose redirect_uri is not registered.',
      authorizationModules('oidcc-ensure-request-object-with-redirect-uri'),
    ),
    decided(
      'oidcc-unsigned-request-object-…, oidcc-request-uri-…-supported-correctly-or-rejected-as-unsupported',
      'Unsigned request objects, and request_uri.',
      'rejected, which the modules allow; oidcc-request-uri-signed-rs256 and -unsigned are skipped by what discovery says',
      authorizationModules('oidcc-unsigned-request-object', 'oidcc-request-uri-unsigned'),
    ),
    decided(
      'oidcc-idtoken-unsigned',
      'ID tokens without signature.',
      'not supported, which the suite allows: it skips the module',
      registering('oidcc-idtoken-unsigned'),
    ),
    must('oidcc-3rd_party-init-login', 'initiate_login_uri.', registering('oidcc-3rd_party-init-login, ')),
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

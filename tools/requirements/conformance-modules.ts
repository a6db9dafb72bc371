import { decided, must, type Specification } from './requirement.ts';

export const conformanceModules: Specification = {
  title: 'OpenID Foundation conformance suite, modules that concern our endpoints',
  scope:
    'The suite’s checks are made again as tests of our own, named after the modules. What a module checks of mutual TLS and of the Brazilian directory is not here.',
  requirements: [
    must('openid-conformance-1', 'oidcc-server', 'Registration as every module begins with it.'),
    must(
      'openid-conformance-2',
      'oidcc-discovery-endpoint-verification',
      'registration_endpoint, and all endpoints https.',
    ),
    must('openid-conformance-3', 'oidcc-redirect-uri-regfrag', 'A fragment in a redirection URI.'),
    must('openid-conformance-4', 'oidcc-redirect-uri-query-OK', 'A query in one.'),
    must(
      'openid-conformance-5',
      'oidcc-registration-sector-uri',
      'A sector identifier that lists the redirection URIs.',
    ),
    must('openid-conformance-6', 'oidcc-registration-sector-bad', 'One that does not.'),
    must('openid-conformance-7', 'oidcc-registration-jwks-uri', 'A jwks_uri.'),
    decided(
      'openid-conformance-8',
      'oidcc-registration-logo-uri, -policy-uri, -tos-uri',
      'Addresses that are shown at sign-in.',
      'policies and terms are; a logo would be fetched from its host by everybody who signs in (ADR 17)',
    ),
    must(
      'openid-conformance-9',
      'oidcc-idtoken-signature, oidcc-idtoken-rs256, oidcc-userinfo-rs256',
      'Algorithms of responses.',
    ),
    must('openid-conformance-10', 'oidcc-server', 'The code, hybrid and implicit flows.'),
    must('openid-conformance-11', 'oidcc-codereuse, oidcc-codereuse-30seconds', 'A code that is used twice.'),
    must(
      'openid-conformance-12',
      'oidcc-ensure-client-assertion-with-iss-aud-succeeds',
      'A client assertion whose audience is the issuer.',
    ),
    must('openid-conformance-13', 'oidcc-ensure-post-request-succeeds', 'A request by POST.'),
    must(
      'openid-conformance-14',
      'oidcc-ensure-redirect-uri-in-authorization-request, -registered-redirect-uri, oidcc-redirect-uri-query-added, -mismatch',
      'Redirection URIs that are missing or are not registered.',
    ),
    must(
      'openid-conformance-15',
      'oidcc-ensure-request-with-acr-values-succeeds, -unknown-parameter, -valid-pkce',
      'Requests with more in them.',
    ),
    must(
      'openid-conformance-16',
      'oidcc-ensure-request-without-nonce-fails, -succeeds-for-code-flow',
      'Requests without nonce.',
    ),
    must('openid-conformance-17', 'oidcc-prompt-login, -none-logged-in, -none-not-logged-in', 'prompt.'),
    must(
      'openid-conformance-18',
      'oidcc-scope-email, -phone, -address, -profile, -all; oidcc-userinfo-get',
      'UserInfo by scope.',
    ),
    must('openid-conformance-19', 'oidcc-userinfo-post-header, -post-body', 'UserInfo by POST.'),
    must('openid-conformance-20', 'oidcc-refresh-token-rp-key-rotation', 'offline_access after consent.'),
    must(
      'openid-conformance-21',
      'oidcc-ensure-request-object-with-redirect-uri',
      'A request object whose redirect_uri is not registered.',
    ),
    decided(
      'openid-conformance-22',
      'oidcc-unsigned-request-object-…, oidcc-request-uri-…-supported-correctly-or-rejected-as-unsupported',
      'Unsigned request objects, and request_uri.',
      'rejected, which the modules allow; oidcc-request-uri-signed-rs256 and -unsigned are skipped by what discovery says',
    ),
    decided(
      'openid-conformance-23',
      'oidcc-idtoken-unsigned',
      'ID tokens without signature.',
      'not supported, which the suite allows: it skips the module',
    ),
    must('openid-conformance-24', 'oidcc-3rd_party-init-login', 'initiate_login_uri.'),
    must('openid-conformance-25', 'oidcc-3rd_party-init-login-nohttps', 'One without https.'),
    must(
      'openid-conformance-26',
      'fapi2-security-profile-final-brazildcr-happy-flow',
      'Registration, then GET.',
    ),
    must(
      'openid-conformance-27',
      'fapi2-security-profile-final-brazildcr-client-delete',
      'DELETE, and what is dead after it.',
    ),
    must(
      'openid-conformance-28',
      'fapi2-security-profile-final-brazildcr-invalid-registration-access-token',
      'A wrong token at GET and DELETE.',
    ),
    must(
      'openid-conformance-29',
      'fapi2-security-profile-final-brazildcr-update-client-config',
      'PUT of the whole registration with one more redirection URI.',
    ),
    must(
      'openid-conformance-30',
      'fapi2-security-profile-final-brazildcr-update-client-config-bad-jwks-uri',
      'PUT with a jwks_uri that cannot be.',
    ),
    decided(
      'openid-conformance-31',
      'fapi2-security-profile-final-brazildcr-update-client-config-invalid-jwks-by-value',
      'PUT with a JWK set by value that does not hold.',
      'Brazil forbids every jwks by value; here a sound one is accepted',
    ),
    decided(
      'openid-conformance-32',
      'fapi2-security-profile-final-brazildcr-update-client-config-invalid-redirect-uri',
      'PUT with a redirection URI that is not to be.',
      'Brazil means one that the statement does not hold; here the statement’s win over the request',
    ),
    must(
      'openid-conformance-33',
      'fapi2-security-profile-final-brazil-dcr-invalid-redirect-uri',
      'The same at registration.',
    ),
    must(
      'openid-conformance-34',
      'fapi2-security-profile-final-brazil-dcr-no-redirect-uri',
      'Registration without redirect_uris.',
    ),
    must(
      'openid-conformance-35',
      'fapi2-security-profile-final-brazil-dcr-invalid-software-statement-signature',
      'A statement whose signature does not hold.',
    ),
    decided(
      'openid-conformance-36',
      'fapi2-security-profile-final-brazil-dcr-no-software-statement',
      'Registration without a statement.',
      'Brazil requires statements; here they are one of several ways',
    ),
    decided(
      'openid-conformance-37',
      'fapi2-security-profile-final-brazil-dcr-no-mtls, -bad-mtls',
      'Registration with mutual TLS.',
      'not offered: the registry is opened by tokens, and TLS ends at the proxy',
    ),
  ],
};

import { GRANT_TYPES, isGrantType } from '../spec/grant-types.ts';
import { RESPONSE_MODES, SIGNING_ALGORITHMS } from '../spec/server-capabilities.ts';
import { choice, flag, list, type Setting, seconds } from './setting.ts';

const ALL_GRANT_TYPES = Object.keys(GRANT_TYPES).filter(isGrantType);

/** The profile, and the rules of authorisation that a profile can switch on. `PROFILES` says which. */
export const PROFILE_SETTINGS = {
  profile: choice({
    tenants: 'inherited',
    default: 'standard',
    values: ['standard', 'oauth-2.1', 'mcp', 'fapi-2.0', 'fapi-2.0-message-signing'],
    description:
      'A group of settings for one purpose. `standard`: each setting has its own default. `oauth-2.1`: PKCE for every client, no implicit and password grants (RFC 9700). `mcp`: the same, for servers of the Model Context Protocol: clients register themselves within limits, and each access token names its `resource`. `fapi-2.0`: the FAPI 2.0 Security Profile for APIs of high value. `fapi-2.0-message-signing`: the same with signed requests and signed responses. A setting that contradicts a rule of the profile stops the program. `chancery config print` shows what the profile set. The page docs/operate/profiles.md has a table.',
  }),

  'authorization.pkce': choice({
    tenants: 'inherited',
    default: 'public-clients',
    values: ['public-clients', 'all-clients'],
    description:
      'Which clients must send a `code_challenge` (RFC 7636) for an authorisation code. `public-clients`: those without credentials, and clients that registered `code_challenge_method`. `all-clients`: every client (RFC 9700 §2.1.1). The server checks a challenge whenever a client sends one. Set `all-clients` unless an old client cannot do it.',
  }),
  'authorization.grant-types': list({
    tenants: 'inherited',
    default: ALL_GRANT_TYPES,
    items: 'grant types',
    pattern: /^[a-z0-9:_-]{1,64}$/u,
    accepts: (grant) => isGrantType(grant),
    rule: `must be a list of grant types out of ${ALL_GRANT_TYPES.join(', ')}`,
    description:
      'The grant types that clients may register and use. Response types that need `implicit` stand and fall with it. Take out `implicit` and `password` unless an old client needs them (RFC 9700 §2.1.2 and §2.4). A registration that asks for more gets the rest.',
  }),
  'authorization.request-uri-by-reference': flag({
    tenants: 'inherited',
    default: false,
    defaultWords: '`false`; `true` in development',
    description:
      'Whether the server fetches request objects from the `request_uri` of authorisation requests (RFC 9101 §5.2, OpenID Connect Core 1.0 §6.2). It fetches only addresses that the client registered in `request_uris`, and accepts signed objects only. Off, it takes the `request_uri` of pushed requests (RFC 9126) alone, which need no fetch. Switch it on for clients that cannot push.',
  }),
  'authorization.offline-access': choice({
    tenants: 'inherited',
    default: 'registered',
    values: ['registered', 'when-asked'],
    description:
      'Which clients may ask for the scope value `offline_access`, with which a grant outlives the session of its end-user. `registered`: those whose registered scope has it. `when-asked`: every client of the grant type `refresh_token`, and a client that registers itself may name it in its `scope`. The end-user always consents first.',
  }),
  'authorization.pushed-requests': choice({
    tenants: 'inherited',
    default: 'registered',
    values: ['registered', 'all-clients'],
    description:
      'Which clients must push their authorisation requests (RFC 9126). `registered`: those that registered `require_pushed_authorization_requests`. `all-clients`: every client. Requests for devices (RFC 8628) are not pushed.',
  }),
  'authorization.signed-requests': choice({
    tenants: 'inherited',
    default: 'registered',
    values: ['registered', 'all-clients'],
    description:
      'Which clients must sign their authorisation requests (RFC 9101). `registered`: those that registered `require_signed_request_object`. `all-clients`: every client. Each client then needs `jwks` or `jwks_uri`.',
  }),
  'authorization.request-object-lifetime': seconds({
    tenants: 'inherited',
    default: 0,
    min: 0,
    max: 86_400,
    description:
      'The longest life of a signed request object (RFC 9101). Above 0, each object must have `nbf` and `exp`: `nbf` may be this long ago, and `exp` may be this long after `nbf`. 0 = neither is needed. A short life limits how long a copied object is of use.',
  }),
  'authorization.response-modes': list({
    tenants: 'inherited',
    default: RESPONSE_MODES,
    items: 'response modes',
    pattern: /^[a-z._]{1,32}$/u,
    accepts: (mode) => RESPONSE_MODES.some((known) => known === mode),
    rule: `must be a list of response modes out of ${RESPONSE_MODES.join(', ')}`,
    description:
      'The response modes that authorisation requests may have. Those with `jwt` are signed by the server (JARM). A request without `response_mode` has the default of its response type, `query` or `fragment`, which must be in the list too. Errors for a request with another mode go back in the first mode of the list that suits.',
  }),
  'authorization.http-redirects': choice({
    tenants: 'inherited',
    default: 'loopback',
    values: ['loopback', 'native'],
    description:
      'Which redirection URIs may have plain http. `loopback`: those with a loopback host. `native`: those with a loopback host, of clients with the `application_type` `native` alone (RFC 8252 §7.3). Other URIs always need https or a private scheme.',
  }),
  'signatures.algorithms': list({
    tenants: 'inherited',
    default: SIGNING_ALGORITHMS,
    items: 'signature algorithms',
    pattern: /^[A-Za-z0-9]{1,16}$/u,
    accepts: (algorithm) => SIGNING_ALGORITHMS.some((known) => known === algorithm),
    rule: `must be a list of signature algorithms out of ${SIGNING_ALGORITHMS.join(', ')}`,
    description:
      'The algorithms of signatures with key pairs. Clients sign assertions, request objects and DPoP proofs with these alone, and the server signs tokens and other JWTs for clients with these alone. A client that registers no algorithm gets RS256, or the first of the list that the server has a key for. Documents of a federation and assertions of other issuers are not concerned. `access-token.signature-algorithm` must be in the list.',
  }),
} as const satisfies Readonly<Record<string, Setting>>;

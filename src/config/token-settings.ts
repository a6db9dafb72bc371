import { SIGNING_ALGORITHMS } from '../spec/server-capabilities.ts';
import { parseUri } from '../spec/uri.ts';
import { choice, flag, list, type Setting, seconds } from './setting.ts';

const YEAR = 31_536_000;

/** Settings for the format and lifetime of tokens. */
export const TOKEN_SETTINGS = {
  'access-token.format': choice({
    tenants: 'inherited',
    default: 'identifier',
    values: ['identifier', 'self-contained'],
    description:
      'The format of access tokens when neither the request nor the client names one. `identifier`: resource servers introspect the token. `self-contained`: a JWT (RFC 9068) that resource servers can also verify themselves. After revocation, introspection reports a JWT as inactive, but a resource server that only verifies it accepts it until it expires.',
  }),
  'access-token.resources': list({
    tenants: 'inherited',
    default: [],
    items: 'URIs',
    pattern: /^[^\s#]{1,2000}$/u,
    accepts: (resource) => parseUri(resource)?.hasFragment === false,
    rule: 'must be a list of absolute URIs without fragment (RFC 8707 §2)',
    description:
      'The `resource` values (RFC 8707) that clients may request tokens for. Empty: any. A client registered with `chancery_access_token_audience` may request those values instead.',
  }),
  'access-token.require-resource': flag({
    tenants: 'inherited',
    default: false,
    description:
      'Whether a request must name the `resource` (RFC 8707) that its access token is for, so that every token has an `aud`. A client registered with `chancery_access_token_audience` names its resource by that. A token whose scope is the server’s own (OpenID Connect, introspection) needs none and gets the issuer as its `aud`. Set it where a token must never be good for another server.',
  }),
  'access-token.signature-algorithm': choice({
    tenants: 'inherited',
    default: 'RS256',
    values: SIGNING_ALGORITHMS,
    description:
      'The algorithm that signs self-contained access tokens (RFC 9068). The key set holds the public key.',
  }),
  'access-token.default-audience': list({
    tenants: 'inherited',
    default: [],
    items: 'audiences',
    pattern: /^[\x21-\x7E]{1,256}$/u,
    rule: 'must be a list of audiences of 1 to 256 visible ASCII characters',
    description:
      'The `aud` of a self-contained access token when neither the request nor the client names one (RFC 9068 §2.2 requires it). Empty: the issuer.',
  }),
  'access-token.binding': choice({
    tenants: 'inherited',
    default: 'registered',
    values: ['registered', 'all-clients'],
    description:
      'Which access tokens are bound to a key of their client, by DPoP (RFC 9449) or by its certificate (RFC 8705 §3). `registered`: those of clients that registered `dpop_bound_access_tokens` or `tls_client_certificate_bound_access_tokens`, and those whose request has a DPoP proof. `all-clients`: every one. The server then refuses a request without proof, and a client that registers neither member gets `dpop_bound_access_tokens`. `direct-authorization.token-sha256` must then be empty, and `authorization.grant-types` must not contain `implicit`: their tokens cannot be bound.',
  }),
  'access-token.lifetime': seconds({
    tenants: 'inherited',
    default: 600,
    min: 1,
    max: YEAR,
    description: 'The lifetime of an access token when the request names none.',
  }),
  'access-token.lifetime-max': seconds({
    tenants: 'inherited',
    default: 86_400,
    min: 1,
    max: YEAR,
    description: 'The longest lifetime that a request may name for an access token.',
  }),
  'refresh-token.lifetime': seconds({
    tenants: 'inherited',
    default: 2_592_000,
    min: 0,
    max: 10 * YEAR,
    description:
      'How long a grant can be refreshed, across all rotations, when the request names no lifetime. 0 = for ever.',
  }),
  'refresh-token.lifetime-max': seconds({
    tenants: 'inherited',
    default: 0,
    min: 0,
    max: 10 * YEAR,
    description:
      'The longest lifetime that a request may name for a refresh token. 0 = any lifetime, also none.',
  }),
  'refresh-token.max-idle': seconds({
    tenants: 'inherited',
    default: 0,
    min: 0,
    max: 10 * YEAR,
    description:
      'How long a refresh token may stay unused when the request names no limit. 0 = for its whole lifetime.',
  }),
  'refresh-token.rotate': flag({
    tenants: 'inherited',
    default: false,
    description:
      'Whether each use of a refresh token replaces it for clients that authenticate. The server always rotates the tokens of public clients. A second use of a rotated token ends its grant, even if the client lost the first response.',
  }),
  'id-token.lifetime': seconds({
    tenants: 'inherited',
    default: 300,
    min: 1,
    max: YEAR,
    description: 'The lifetime of an ID token when the request names none.',
  }),
  'id-token.lifetime-max': seconds({
    tenants: 'inherited',
    default: 86_400,
    min: 1,
    max: YEAR,
    description: 'The longest lifetime that a request may name for an ID token.',
  }),
  'id-token.scope-claims': choice({
    tenants: 'inherited',
    default: 'userinfo',
    values: ['userinfo', 'token-endpoint'],
    description:
      'Where a client finds the claims of `profile`, `email`, `address` and `phone`. `userinfo`: at the UserInfo endpoint alone, as OpenID Connect Core 1.0 §5.4 says. `token-endpoint`: also in ID tokens that come from the token endpoint. Auth.js and passport-openidconnect, for example, read nothing else by default. ID tokens that come through the browser beside a code or an access token never have these claims.',
  }),
  'initial-access-token.lifetime': seconds({
    tenants: 'inherited',
    default: 3600,
    min: 1,
    max: YEAR,
    description: 'The lifetime of an initial access token when the request names none.',
  }),
  'initial-access-token.lifetime-max': seconds({
    tenants: 'inherited',
    default: 2_592_000,
    min: 1,
    max: YEAR,
    description: 'The longest lifetime that a request may name for an initial access token.',
  }),
} as const satisfies Readonly<Record<string, Setting>>;

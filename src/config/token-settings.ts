import { SIGNING_ALGORITHMS } from '../spec/server-capabilities.ts';
import { parseUri } from '../spec/uri.ts';
import { choice, flag, list, type Setting, seconds } from './setting.ts';

const YEAR = 31_536_000;

/** How tokens are made, and how long they live. */
export const TOKEN_SETTINGS = {
  'access-token.format': choice({
    tenants: 'inherited',
    default: 'identifier',
    values: ['identifier', 'self-contained'],
    description:
      'How access tokens look where neither the request nor the client says: identifiers that resource servers introspect, or JWTs (RFC 9068) that they can also verify themselves; a JWT that is revoked is inactive at introspection, and good until it expires for whoever does not ask.',
  }),
  'access-token.resources': list({
    tenants: 'inherited',
    default: [],
    items: 'URIs',
    pattern: /^[^\s#]{1,2000}$/u,
    accepts: (resource) => parseUri(resource)?.hasFragment === false,
    rule: 'must be a list of absolute URIs without fragment (RFC 8707 §2)',
    description:
      'The resources that clients may ask for tokens for, with `resource` (RFC 8707). Empty: any. A client that is registered with `chancery_access_token_audience` may ask for those instead.',
  }),
  'access-token.signature-algorithm': choice({
    tenants: 'inherited',
    default: 'RS256',
    values: SIGNING_ALGORITHMS,
    description:
      'What self-contained access tokens are signed with (RFC 9068). Resource servers find the key in the key set.',
  }),
  'access-token.default-audience': list({
    tenants: 'inherited',
    default: [],
    items: 'audiences',
    pattern: /^[\x21-\x7E]{1,256}$/u,
    rule: 'must be a list of audiences of 1 to 256 visible ASCII characters',
    description:
      'The `aud` of a self-contained access token where neither the request nor the client names one (RFC 9068 §2.2 requires it). Empty: the issuer.',
  }),
  'access-token.lifetime': seconds({
    tenants: 'inherited',
    default: 600,
    min: 1,
    max: YEAR,
    description: 'How long an access token is valid when the request names no lifetime.',
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
      'How long a grant can be refreshed, however its refresh token is rotated, where the request does not say; 0 = for ever.',
  }),
  'refresh-token.lifetime-max': seconds({
    tenants: 'inherited',
    default: 0,
    min: 0,
    max: 10 * YEAR,
    description: 'The longest lifetime that a request may name for a refresh token; 0 = any, and for ever.',
  }),
  'refresh-token.max-idle': seconds({
    tenants: 'inherited',
    default: 0,
    min: 0,
    max: 10 * YEAR,
    description:
      'How long a refresh token may lie unused, where the request does not say; 0 = as long as it lives.',
  }),
  'refresh-token.rotate': flag({
    tenants: 'inherited',
    default: false,
    description:
      'Whether each use of a refresh token makes a new one for clients that authenticate. Those of public clients are always rotated. A rotated token that is used again ends its grant, also where a client lost the answer to its first use.',
  }),
  'id-token.lifetime': seconds({
    tenants: 'inherited',
    default: 300,
    min: 1,
    max: YEAR,
    description: 'How long an ID token is valid when the request names no lifetime.',
  }),
  'id-token.lifetime-max': seconds({
    tenants: 'inherited',
    default: 86_400,
    min: 1,
    max: YEAR,
    description: 'The longest lifetime that a request may name for an ID token.',
  }),
  'initial-access-token.lifetime': seconds({
    tenants: 'inherited',
    default: 3600,
    min: 1,
    max: YEAR,
    description: 'How long an initial access token is valid when the request names no lifetime.',
  }),
  'initial-access-token.lifetime-max': seconds({
    tenants: 'inherited',
    default: 2_592_000,
    min: 1,
    max: YEAR,
    description: 'The longest lifetime that a request may name for an initial access token.',
  }),
} as const satisfies Readonly<Record<string, Setting>>;

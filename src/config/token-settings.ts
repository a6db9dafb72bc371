import { SIGNING_ALGORITHMS } from '../spec/server-capabilities.ts';
import { choice, list, type Setting, seconds } from './setting.ts';

const YEAR = 31_536_000;

/** How tokens are made, and how long they live. */
export const TOKEN_SETTINGS = {
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

import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { type Setting, seconds } from './setting.ts';

const DAY = 86_400;
const YEAR = 31_536_000;

const RULE = 'must be a JWK set as JSON text (RFC 7517 §5), or the path of a file that holds one';

/** The text of the set, whether it was given or where it is. Its keys are looked at when the server starts. */
const jwkSetText = z.pipe(
  z.string(),
  z.transform((given, context): string => {
    const text = given.trimStart().startsWith('{') ? given : fileText(given);
    if (text !== undefined && isObject(text)) return text;
    context.issues.push({ code: 'custom', input: undefined });
    return z.NEVER;
  }),
);

function fileText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

const jwkSet: Setting<string | undefined> = {
  schema: jwkSetText,
  type: 'JWK set',
  unit: undefined,
  default: undefined,
  defaultWords: 'keys are generated, and kept encrypted in the database',
  secret: true,
  required: undefined,
  tenants: 'own',
  rule: RULE,
  description:
    'The private keys of the server, each with `use`, instead of generated ones. Of several keys for an algorithm the first signs; keys without a private half are published and not used. They are neither rotated nor kept by the server.',
  fromText: (text) => text,
};

/** The keys that sign, decrypt and are published. */
export const KEY_SETTINGS = {
  'keys.jwk-set': jwkSet,
  'keys.rotation-interval': seconds({
    tenants: 'inherited',
    default: 90 * DAY,
    min: 0,
    max: 10 * YEAR,
    description:
      'For how long a generated key is used before the next one takes over; 0 = for ever. Keys of a federation change only by command.',
  }),
  'keys.announcement': seconds({
    tenants: 'inherited',
    default: DAY,
    min: 1,
    max: YEAR,
    description:
      'For how long a new signature key is published before it signs: longer than anyone keeps the key set. Longer than `key-set.max-age`.',
  }),
  'keys.retention': seconds({
    tenants: 'inherited',
    default: 7 * DAY,
    min: 0,
    max: 10 * YEAR,
    description:
      'For how long a retired key is still published after the last token that it can have signed has expired (`access-token.lifetime-max`, `id-token.lifetime-max`). Expired ID tokens serve as hints as long as their key is there.',
  }),
} as const;

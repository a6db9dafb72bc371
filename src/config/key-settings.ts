import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { flag, type Setting, seconds } from './setting.ts';

const DAY = 86_400;
const YEAR = 31_536_000;

const RULE = 'must be a JWK set as JSON text (RFC 7517 §5), or the path of a file that holds one';

/** Accepts the set as text, or the path of its file. The server checks the keys when it starts. */
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
    'The server’s private keys, each with `use`, instead of generated keys. If several keys serve one algorithm, the first signs. The server publishes keys without a private half but does not use them. The server does not rotate or store these keys.',
  fromText: (text) => text,
};

/** Settings for the keys that sign, decrypt and are published. */
export const KEY_SETTINGS = {
  'keys.jwk-set': jwkSet,
  'keys.rotation-interval': seconds({
    tenants: 'inherited',
    default: 90 * DAY,
    min: 0,
    max: 10 * YEAR,
    description:
      'How long a generated key signs before the next key replaces it. 0 = no rotation. Federation keys rotate only by command.',
  }),
  'keys.announcement': seconds({
    tenants: 'inherited',
    default: DAY,
    min: 1,
    max: YEAR,
    description:
      'How long the server publishes a new signature key before the key signs. It must be longer than `key-set.max-age`, and longer than any client caches the key set.',
  }),
  'keys.retention': seconds({
    tenants: 'inherited',
    default: 7 * DAY,
    min: 0,
    max: 10 * YEAR,
    description:
      'How long the server publishes a retired key after the last token it may have signed has expired (`access-token.lifetime-max`, `id-token.lifetime-max`). Expired ID tokens work as logout hints as long as their key is published.',
  }),
  'secret-files.world-readable': flag({
    default: false,
    description:
      'Whether the server accepts secret files (`…_FILE`) that every user of the machine can read. Otherwise it refuses them in production, unless root has them on a file system in memory, as secret mounts of containers do. Set it if a container mounts its secrets in another way. It always refuses files that other users can change.',
  }),
} as const;

import * as z from 'zod/mini';
import { type Setting, splitText } from './setting.ts';

/** Returns 256 bits, given as hex, base64 or base64url, as 64 lower-case hex digits. Returns undefined for anything else. */
export function keyAsHex(text: string): string | undefined {
  if (/^[0-9a-f]{64}$/iu.test(text)) return text.toLowerCase();
  if (!/^[\w+/-]{43}=?$/u.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64');
  const canonical = text.replaceAll('+', '-').replaceAll('/', '_').replace('=', '');
  return bytes.toString('base64url') === canonical ? bytes.toString('hex') : undefined;
}

/** Returns the keys of a ring as hex. Returns undefined for an empty ring and for one with a repeated key. */
function ringAsHex(given: string | readonly string[]): readonly string[] | undefined {
  const texts = typeof given === 'string' ? splitText(given) : given;
  const keys = texts.flatMap((text) => keyAsHex(text) ?? []);
  const sound = keys.length === texts.length && keys.length > 0 && new Set(keys).size === keys.length;
  return sound ? keys : undefined;
}

const ring = z.pipe(
  z.union([z.string(), z.array(z.string())]),
  z.transform((given, context): readonly string[] => {
    const keys = ringAsHex(given);
    if (keys !== undefined) return keys;
    context.issues.push({ code: 'custom', input: undefined });
    return z.NEVER;
  }),
);

/** The first key encrypts and every key decrypts. Each is 64 lower-case hex digits. */
export const encryptionKey: Setting<readonly string[] | undefined> = {
  schema: ring,
  type: 'list of keys',
  unit: undefined,
  default: undefined,
  defaultWords: 'made in the data folder in development; none in production',
  secret: true,
  tenants: 'process',
  required: 'production',
  rule: 'must be one or several different 256-bit random keys, each as 64 hex digits or as base64 of 32 bytes, separated by commas or line ends',
  description:
    'The keys that encrypt client secrets, registration tokens and private keys in the database. The first key encrypts, and every key decrypts. To rotate, put a new key first and keep the old one until `chancery keys encryption rotate` has re-encrypted everything.',
  fromText: (text) => text,
};

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

/** npm writes two such lines before the output of a script, unless it runs with `-s`. */
const WRITTEN_BY_NPM = /^> /u;
const NPM_REMEDY = ' (npm wrote it: use npm run -s, or keys encryption generate --out FILE)';

type Ring = { readonly keys: readonly string[] } | { readonly flaw: string | undefined };

/** Returns the keys of a ring as hex, or its first flaw. The flaw names a line or an item and never quotes it: it may be a misspelt key. */
function readRing(given: string | readonly string[]): Ring {
  const isText = typeof given === 'string';
  const parts = isText ? given.split(/\r?\n|\r/u) : given;
  const keys: string[] = [];
  for (const [index, part] of parts.entries()) {
    const where = `${isText ? 'line' : 'item'} ${index + 1}`;
    for (const item of isText ? splitText(part) : [part]) {
      const key = keyAsHex(item);
      if (key !== undefined && !keys.includes(key)) keys.push(key);
      else if (parts.length === 1) return { flaw: undefined };
      else if (key !== undefined) return { flaw: `${where} repeats a key` };
      else return { flaw: `${where} is not a key${WRITTEN_BY_NPM.test(part) ? NPM_REMEDY : ''}` };
    }
  }
  return keys.length > 0 ? { keys } : { flaw: undefined };
}

const ring = z.pipe(
  z.union([z.string(), z.array(z.string())]),
  z.transform((given, context): readonly string[] => {
    const read = readRing(given);
    if ('keys' in read) return read.keys;
    context.issues.push({ code: 'custom', input: undefined, params: { flaw: read.flaw } });
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
  countsLines: true,
  tenants: 'process',
  required: 'production',
  rule: 'must be one or several different 256-bit random keys, each as 64 hex digits or as base64 of 32 bytes, separated by commas or line ends',
  description:
    'The keys that encrypt client secrets, registration tokens and private keys in the database. The first key encrypts, and every key decrypts. To rotate, put a new key first and keep the old one until `chancery keys encryption rotate` has re-encrypted everything.',
  fromText: (text) => text,
};

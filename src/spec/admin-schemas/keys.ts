import { closed, OBJECT, type Schema, said, TEXT } from '../json-schema.ts';
import { TIME_OR_NEVER } from './conventions.ts';

/** Server keys in the administration API. */
export const ADMIN_KEY_SCHEMAS = {
  AdminKey: said(
    'A server key, without its private half.',
    closed({
      kid: TEXT,
      use: { enum: ['sig', 'enc', 'federation'] },
      kind: said('`RSA` or the curve.', TEXT),
      state: said(
        '`configured` and `published` are keys of the setting `keys.jwk-set`, and `unused` the stored keys that they replace.',
        { enum: ['announced', 'active', 'retired', 'configured', 'published', 'unused'] },
      ),
      active_at: said('From then on the key signs. Null for configured keys.', TIME_OR_NEVER),
      retired_at: said('From then on its successor signs.', TIME_OR_NEVER),
      removed_at: said('From then on it is no longer published.', TIME_OR_NEVER),
      jwk: said('The public key (RFC 7517).', OBJECT),
    }),
  ),
} as const satisfies Readonly<Record<string, Schema>>;

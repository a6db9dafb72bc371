import { closed, FLAG, OBJECT, type Schema, said, TEXT } from '../json-schema.ts';
import { TIME, TIME_OR_NEVER } from './conventions.ts';

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
  AdminRemovedKey: closed({
    kid: TEXT,
    use: TEXT,
    active_at: TIME,
    retired_at: TIME_OR_NEVER,
    removed_at: TIME,
    reason: { enum: ['superseded', 'compromised'] },
  }),
  AdminKeyRotation: closed(
    {
      use: said('Default: `sig` and `enc` keys.', { enum: ['sig', 'enc', 'federation'] }),
      kind: said('Default: every kind.', {
        enum: ['RSA', 'P-256', 'P-384', 'P-521', 'Ed25519', 'X25519'],
      }),
      now: said('Whether the new keys sign at once. Clients that cache the key set refuse new tokens.', FLAG),
    },
    [],
  ),
  AdminRotatedKeys: closed({
    rotated: {
      type: 'array',
      items: closed({
        kid: said('Null in a dry run.', { type: ['string', 'null'] }),
        use: TEXT,
        kind: TEXT,
        succeeds: said('The key that it replaces.', { type: ['string', 'null'] }),
        active_at: TIME,
        change: said('`known`: it was announced before, and nothing changes.', {
          enum: ['announced', 'activated', 'known'],
        }),
      }),
    },
  }),
  AdminKeyImport: closed(
    {
      jwks: said('A JWK set (RFC 7517 §5). A public key is published only.', OBJECT),
      now: said('Whether private keys sign at once.', FLAG),
    },
    ['jwks'],
  ),
  AdminImportedKeys: closed({
    imported: {
      type: 'array',
      items: closed({
        kid: TEXT,
        use: TEXT,
        outcome: {
          enum: ['announced', 'activated', 'published', 'known', 'taken', 'removed', 'to be imported'],
        },
        active_at: TIME_OR_NEVER,
      }),
    },
  }),
} as const satisfies Readonly<Record<string, Schema>>;

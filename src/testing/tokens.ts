import assert from 'node:assert/strict';
import { createSecretKey } from 'node:crypto';
import { joseJwtSigner } from '../jose/compact-jws.ts';
import { joseJwtVerifier } from '../jose/jwt-verifier.ts';
import { keyMaker } from '../jose/private-keys.ts';
import type { AccessTokenStore, StoredAccessToken } from '../ports/access-token-store.ts';
import type { AccessTokenKey, ClientId, ClientInstance } from '../spec/identifiers.ts';
import { type JsonWebKey, publicJwk } from '../spec/jwk.ts';
import { systemRandom } from '../system/random.ts';
import {
  type AccessTokenContent,
  type AccessTokenNeeds,
  mintAccessToken,
  verifiedTokens,
} from '../tokens/access-token.ts';
import { ampleCaches } from './caches.ts';

export const NOW = 1_800_000_000;
export const ISSUER = 'https://op.example.com';

/** A store that notes what is looked up, a clock that tests set, and server keys that they change. */
export interface Bench {
  readonly needs: AccessTokenNeeds;
  readonly lookUps: AccessTokenKey[];
  readonly tokens: Map<AccessTokenKey, StoredAccessToken>;
  /** Private keys for ES256; the last one signs, and every one is published. */
  readonly keys: JsonWebKey[];
  now: number;
}

export async function aSigningKey(): Promise<JsonWebKey> {
  const key = await keyMaker.makePrivateKey('P-256');
  return { ...key, use: 'sig', kid: await keyMaker.thumbprint(key) };
}

const published = (key: JsonWebKey): JsonWebKey => ({
  ...publicJwk(key),
  use: 'sig',
  kid: String(key['kid']),
});

const firstKey = aSigningKey();

export async function bench(): Promise<Bench> {
  const tokens = new Map<AccessTokenKey, StoredAccessToken>();
  const lookUps: AccessTokenKey[] = [];
  const keys = [await firstKey];
  const clock = { now: (): number => made.now, milliseconds: (): number => made.now * 1000 };
  const signer = joseJwtSigner();
  const caches = ampleCaches();
  const made: Bench = {
    lookUps,
    tokens,
    keys,
    now: NOW,
    needs: {
      issuer: ISSUER,
      mac: createSecretKey(Buffer.alloc(32, 7)),
      genuine: verifiedTokens(caches, 1),
      selfContained: {
        keys: {
          async sign(claims, header) {
            const key = keys.at(-1);
            assert.ok(key !== undefined);
            return await signer.sign(claims, { ...header, kid: String(key['kid']) }, key);
          },
          verificationKeys: () => keys.map(published),
        },
        verifier: joseJwtVerifier(clock),
        algorithm: 'ES256',
        defaultAudience: [ISSUER],
        genuine: caches.open('verified-tokens', { weigh: () => 1 }),
      },
      store: storeOver(tokens, lookUps),
      clock,
      random: systemRandom,
    },
  };
  return made;
}

function storeOver(
  tokens: ReadonlyMap<AccessTokenKey, StoredAccessToken>,
  lookUps: AccessTokenKey[],
): AccessTokenStore {
  const unused = (): never => assert.fail('not used here');
  return {
    find(key) {
      lookUps.push(key);
      return tokens.get(key);
    },
    list: unused,
    issue: unused,
    exchange: unused,
    issueInitial: unused,
    findInitial: unused,
    pageInitial: unused,
    revokeInitial: unused,
    revoke: unused,
    sweepExpired: unused,
  };
}

export const CONTENT: AccessTokenContent = {
  format: 'identifier',
  client_id: 'app' as ClientId,
  client_instance: 'instance' as ClientInstance,
  sub: 'alice',
  scope: ['read', 'write'],
  audience: [],
  confirmation: undefined,
  lifetime: 60,
};

/** Mints a token and stores its record. */
export async function minted(on: Bench, content: Partial<AccessTokenContent> = {}): Promise<string> {
  const { access_token, stored } = await mintAccessToken(on.needs, { ...CONTENT, ...content });
  on.tokens.set(stored.key, stored);
  return access_token;
}

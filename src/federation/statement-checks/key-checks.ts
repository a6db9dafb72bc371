import { clientJwkProblem } from '../../keys/client-jwk.ts';
import type { JsonValue } from '../../spec/json.ts';
import type { JsonWebKey } from '../../spec/jwk.ts';
import { isObject } from '../json-value.ts';
import { type Examined, type StatementCheck, shownMember } from './statement-check.ts';

/** The problem of each key, for as long as its statement is kept: the arithmetic of a key is expensive. */
const found = new WeakMap<JsonWebKey, { readonly problem: string | undefined }>();

function keyProblem(key: JsonWebKey): string | undefined {
  // Anything may stand in the array.
  if (typeof key !== 'object' || key === null) return clientJwkProblem(key);
  const known = found.get(key) ?? { problem: clientJwkProblem(key) };
  found.set(key, known);
  return known.problem;
}

const SIGNING_KEY_TYPES: ReadonlySet<unknown> = new Set(['RSA', 'EC']);

export const jwksCheck: StatementCheck = {
  number: 9,
  name: 'jwks',
  code: 'statement_jwks',
  about: 'form',
  problem: ({ jwt: { claims }, limits, request }) =>
    federationKeysProblem(claims['jwks'], limits.keys, request?.dialect !== 'interface'),
};

/**
 * Returns why a JWK set cannot be the federation keys of an entity, in words that follow "the entity statement".
 * @param kidRequired §3.1.1: "Every JWK in the JWK Set MUST have a unique kid (Key ID) value"
 */
export function federationKeysProblem(
  jwks: JsonValue | undefined,
  keysMax: number,
  kidRequired: boolean,
): string | undefined {
  const keys = isObject(jwks) ? jwks['keys'] : undefined;
  if (!isKeyList(keys)) return 'must have a jwks with at least one key';
  if (keys.length > keysMax) return `has a jwks with ${keys.length} keys, and at most ${keysMax} are allowed`;
  const unsound = keys.map(keyProblem).find((problem) => problem !== undefined);
  if (unsound !== undefined) return `has a jwks with a key that ${unsound}`;
  const kids = keys.map(({ kid }) => kid).filter((kid) => kid !== undefined);
  if (kidRequired && kids.length < keys.length) return 'has a jwks with a key without a kid';
  if (new Set(kids).size < kids.length) return 'has a jwks with two keys that have the same kid';
  return keys.some(canSign) ? undefined : 'has a jwks without an RSA or EC key for signatures';
}

function isKeyList(keys: JsonValue | undefined): keys is readonly JsonWebKey[] & JsonValue {
  return Array.isArray(keys) && keys.length > 0;
}

const canSign = ({ kty, use }: JsonWebKey): boolean =>
  SIGNING_KEY_TYPES.has(kty) && (use === undefined || use === 'sig');

export const kidCheck: StatementCheck = {
  number: 11,
  name: 'kid',
  code: 'statement_kid',
  about: 'trust',
  problem: (examined) => {
    const { kid } = examined.jwt.header;
    if (kid === undefined && examined.request?.dialect === 'interface') return undefined;
    if (typeof kid !== 'string' || kid === '') return 'has no kid in its header';
    return issuerKeys(examined).some((key) => key['kid'] === kid)
      ? undefined
      : `has ${shownMember('kid', kid)}, which no federation key of its issuer has`;
  },
};

/** Returns the keys of the issuer's configuration (§3.2 10). A configuration or a request holds them in its own claims. */
export function issuerKeys({ issuer, jwt: { claims } }: Examined): readonly JsonWebKey[] {
  if (issuer !== undefined) return issuer.keys;
  const { jwks } = claims;
  const keys = isObject(jwks) ? jwks['keys'] : undefined;
  return isKeyList(keys) ? keys : [];
}

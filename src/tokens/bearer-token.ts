import { digestFromHex, digestOf, sameDigest } from '../keys/digest.ts';
import { parseAuthorization } from '../spec/authorization-header.ts';
import { OAuthError, type RefusalNotes } from '../spec/errors.ts';
import type { Digest } from '../spec/identifiers.ts';
import { bearerChallenge } from '../spec/www-authenticate.ts';

/**
 * Returns the bearer token of a request (RFC 6750 §2.1; the form and query variants are not supported).
 * @param lengthMax characters. Longer tokens are refused before they are hashed
 * @returns undefined if the request has no credentials
 * @throws OAuthError invalid_token
 */
export function presentedBearer(authorization: string | undefined, lengthMax: number): string | undefined {
  const credentials = parseAuthorization(authorization);
  if (credentials.scheme === 'none') return undefined;
  if (credentials.scheme !== 'bearer') {
    const tried = credentials.scheme === 'basic' ? 'basic' : credentials.tried;
    const notes = { reason: 'other-scheme-than-bearer', detail: 'no bearer token', tried } as const;
    throw tried === 'basic' ? refusedToken(BASIC_TRIED, notes) : invalidToken(notes);
  }
  const { length } = credentials.token;
  if (length > lengthMax)
    throw invalidToken({
      reason: 'long-bearer-token',
      detail: `the token has ${length} characters; limits.bearer-token is ${lengthMax}`,
    });
  return credentials.token;
}

/** A configured token that opens an administrative endpoint. Its label names it in the audit log. */
export interface MasterToken {
  readonly label: string;
  readonly digest: Digest;
}

/** Reads configured tokens, each `LABEL:DIGEST` or a bare digest. A token without a label is named by its first digits. */
export function masterTokens(configured: readonly string[]): readonly MasterToken[] {
  return configured.map((entry) => {
    const [hex = '', label = hex.slice(0, 8)] = entry.split(':').reverse();
    return { label, digest: digestFromHex(hex) };
  });
}

/**
 * Returns the master token with this digest. Compares with every configured digest, so the time does not
 * reveal which one matches.
 */
export function masterTokenOf(token: Digest, masters: readonly MasterToken[]): MasterToken | undefined {
  let found: MasterToken | undefined;
  for (const master of masters) if (sameDigest(token, master.digest)) found = master;
  return found;
}

/**
 * Returns the configured token that a request presents.
 * @throws OAuthError invalid_token
 */
export function presentedMaster(
  masters: readonly MasterToken[],
  authorization: string | undefined,
  lengthMax: number,
): MasterToken {
  const token = presentedBearer(authorization, lengthMax);
  if (token === undefined) throw bearerTokenNeeded();
  const master = masterTokenOf(digestOf(token), masters);
  if (master === undefined) throw invalidToken();
  return master;
}

/**
 * Makes a 401 with the bare challenge. RFC 6750 §3 gives no error code to a request without authentication
 * information.
 */
export function bearerTokenNeeded(because?: string): OAuthError {
  return new OAuthError('invalid_token', {
    error_description:
      because === undefined ? 'a bearer token is needed' : `a bearer token is needed: ${because}`,
    challenge: bearerChallenge(),
    reason: 'no-bearer-token',
  });
}

/**
 * Makes the refusal of a bearer token.
 * @param notes for the log only
 */
export function invalidToken(notes: RefusalNotes = {}): OAuthError {
  return refusedToken('the bearer token is not valid', notes);
}

const BASIC_TRIED = 'the Authorization header has the scheme Basic; this endpoint needs Bearer and a token';

/** Makes the refusal of an initial access token that has made a registration. In production it is like every other refusal. */
export function usedToken(): OAuthError {
  return refusedToken(
    'the initial access token has been used; it is good for one registration, and chancery iat create makes another',
  );
}

function refusedToken(error_description: string, notes: RefusalNotes = {}): OAuthError {
  return new OAuthError('invalid_token', {
    error_description,
    reason: 'unknown-bearer-token',
    ...notes,
  });
}

/**
 * Makes the refusal of a token without the required scope.
 * @param missing every required scope value that the token lacks
 * @param client the client of the token, for the log
 */
export function insufficientScope(missing: readonly string[], client?: string): OAuthError {
  const scope = missing.join(' ');
  const error_description = `the token lacks the scope: ${scope}`;
  return new OAuthError('insufficient_scope', {
    error_description,
    challenge: bearerChallenge({ error: 'insufficient_scope', error_description, scope }),
    reason: 'token-scope',
    values: { scope },
    ...(client === undefined ? {} : { client }),
  });
}

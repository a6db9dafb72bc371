import { sameDigest } from '../keys/digest.ts';
import { parseAuthorization } from '../spec/authorization-header.ts';
import { OAuthError } from '../spec/errors.ts';
import type { Digest } from '../spec/identifiers.ts';
import { bearerChallenge } from '../spec/www-authenticate.ts';

/**
 * The bearer token of a request (RFC 6750 §2.1; the form and query variants are not supported).
 * @param lengthMax characters; longer tokens were not issued here and are refused before they are hashed.
 * @returns undefined where no credentials were sent.
 * @throws OAuthError invalid_token
 */
export function presentedBearer(authorization: string | undefined, lengthMax: number): string | undefined {
  const credentials = parseAuthorization(authorization);
  if (credentials.scheme === 'none') return undefined;
  if (credentials.scheme !== 'bearer' || credentials.token.length > lengthMax) throw invalidToken();
  return credentials.token;
}

/** A configured token that opens an administrative endpoint. Its label says in the audit whose it is. */
export interface MasterToken {
  readonly label: string;
  readonly digest: Digest;
}

/**
 * The master token that was presented. Compares with every configured digest: the time taken tells nothing of which
 * one matched.
 */
export function masterTokenOf(token: Digest, masters: readonly MasterToken[]): MasterToken | undefined {
  let found: MasterToken | undefined;
  for (const master of masters) if (sameDigest(token, master.digest)) found = master;
  return found;
}

/** 401 with the bare challenge: RFC 6750 §3 gives no error code to a request without authentication information. */
export function bearerTokenNeeded(because?: string): OAuthError {
  return new OAuthError('invalid_token', {
    error_description:
      because === undefined ? 'a bearer token is needed' : `a bearer token is needed: ${because}`,
    challenge: bearerChallenge(),
  });
}

export function invalidToken(detail?: string): OAuthError {
  return new OAuthError('invalid_token', {
    error_description: 'the bearer token is not valid',
    ...(detail === undefined ? {} : { detail }),
  });
}

/** @param missing every scope value that is needed and not there. */
export function insufficientScope(missing: readonly string[]): OAuthError {
  const scope = missing.join(' ');
  const error_description = `the token lacks: ${scope}`;
  return new OAuthError('insufficient_scope', {
    error_description,
    challenge: bearerChallenge({ error: 'insufficient_scope', error_description, scope }),
  });
}

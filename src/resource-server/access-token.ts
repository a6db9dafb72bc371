import type { UnverifiedJwt } from './jws.ts';

/** An access token that passed every check. */
export interface AccessToken {
  /** The claims of the JWT (RFC 9068 §2.2), or the introspection answer (RFC 7662 §2.2). */
  readonly claims: Readonly<Record<string, unknown>>;
  readonly client_id: string;
  /** The end-user, or the client that acts for itself. */
  readonly sub: string | undefined;
  readonly scope: readonly string[];
  /** Seconds since the epoch. */
  readonly exp: number;
}

/** The members that checks read, of both kinds of token. */
export interface TokenFacts extends AccessToken {
  readonly audience: readonly string[];
  readonly iat: number | undefined;
  /** The key of the client that must prove it (RFC 9449 §6.1). */
  readonly jkt: string | undefined;
  /** The certificate of the client (RFC 8705 §3.1). */
  readonly certificate: string | undefined;
  /** A confirmation that this package does not know: the token is refused. */
  readonly isBoundOtherwise: boolean;
}

/** Reads claims or an introspection answer; undefined if a member that every token has is missing. */
export function factsOf(claims: Readonly<Record<string, unknown>>): TokenFacts | undefined {
  const { client_id, sub, scope, exp, aud, iat, cnf } = claims;
  if (typeof client_id !== 'string' || typeof exp !== 'number') return undefined;
  const audience = (Array.isArray(aud) ? aud : [aud]).filter((each) => typeof each === 'string');
  const bound = typeof cnf === 'object' && cnf !== null ? (cnf as Readonly<Record<string, unknown>>) : {};
  const { jkt, 'x5t#S256': certificate, ...others } = bound;
  return {
    claims,
    client_id,
    sub: typeof sub === 'string' ? sub : undefined,
    scope: typeof scope === 'string' ? scope.split(' ').filter((value) => value !== '') : [],
    exp,
    audience,
    iat: typeof iat === 'number' ? iat : undefined,
    jkt: typeof jkt === 'string' ? jkt : undefined,
    certificate: typeof certificate === 'string' ? certificate : undefined,
    isBoundOtherwise:
      (cnf !== undefined && Object.keys(bound).length === 0) ||
      Object.keys(others).length > 0 ||
      [jkt, certificate].some((each) => each !== undefined && typeof each !== 'string'),
  };
}

/** Says whether a JWT is an access token of the issuer (RFC 9068 §4), apart from its signature, audience and time. */
export function isAccessTokenOf(issuer: string, { header, claims }: UnverifiedJwt): boolean {
  const { typ } = header;
  const isTyped = typeof typ === 'string' && /^(?:application\/)?at\+jwt$/iu.test(typ);
  return (
    isTyped &&
    claims['iss'] === issuer &&
    typeof claims['sub'] === 'string' &&
    typeof claims['jti'] === 'string'
  );
}

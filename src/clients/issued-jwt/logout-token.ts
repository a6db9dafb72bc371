import type { KeyObject } from 'node:crypto';
import type { ClientMetadata } from '../../spec/client-metadata.ts';
import { type ClientJwt, type ClientJwtNeeds, makeClientJwt } from './client-jwt.ts';
import { sessionFor, subjectFor } from './pairwise-subject.ts';

export interface LogoutTokenNeeds {
  readonly issuer: string;
  readonly clientJwts: ClientJwtNeeds;
  /** The secret of pairwise subjects. It never changes. */
  readonly pairwiseSecret: KeyObject;
}

/** The session that ended, with the local identifiers. Times in seconds since the Unix epoch. */
export interface LogoutTokenContent {
  readonly client_id: string;
  /** The local subject, not the one that the client sees. */
  readonly sub: string;
  /** The local session identifier, not the one that the client sees. */
  readonly sid: string;
  readonly iat: number;
  readonly jti: string;
}

/** OpenID Connect Back-Channel Logout 1.0 §2.4: "RECOMMENDED … to prevent … cross-JWT confusion". */
const LOGOUT_TOKEN_TYPE = 'logout+jwt';

/** OpenID Connect Back-Channel Logout 1.0 §2.4. */
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';

/** Seconds. OpenID Connect Back-Channel Logout 1.0 §4: "preferably at most two minutes in the future". */
const LIFETIME = 120;

/**
 * Makes a logout token, signed and encrypted as its client has registered for ID tokens (OpenID Connect
 * Back-Channel Logout 1.0 §2.4: "in the same manner"). It has no `nonce`, so it cannot pass for an ID token.
 */
export async function makeLogoutToken(
  { issuer, clientJwts, pairwiseSecret }: LogoutTokenNeeds,
  metadata: ClientMetadata,
  { client_id, sub, sid, iat, jti }: LogoutTokenContent,
): Promise<ClientJwt> {
  const claims = {
    iss: issuer,
    sub: subjectFor(metadata, sub, pairwiseSecret),
    aud: client_id,
    iat,
    exp: iat + LIFETIME,
    jti,
    events: { [LOGOUT_EVENT]: {} },
    sid: sessionFor(metadata, sid, pairwiseSecret),
  };
  return await makeClientJwt(clientJwts, metadata, { kind: 'id_token', typ: LOGOUT_TOKEN_TYPE, claims });
}

import type { KeyObject } from 'node:crypto';
import type { ClientMetadata } from '../../spec/client-metadata.ts';
import { ID_TOKEN_TYPE, type IdTokenContent, idTokenClaims } from '../../tokens/id-token.ts';
import { type ClientJwt, type ClientJwtNeeds, makeClientJwt, signatureAlgorithmFor } from './client-jwt.ts';
import { sessionFor, subjectFor } from './pairwise-subject.ts';

export interface IdTokenNeeds {
  readonly issuer: string;
  readonly clientJwts: ClientJwtNeeds;
  /** Of pairwise subjects; it never changes. */
  readonly pairwiseSecret: KeyObject;
}

/**
 * An ID token as its client has registered them: the subject it may know, its algorithm, its encryption (OpenID Connect
 * Core §2, §8; OpenID Connect Registration §2).
 * @param content with the end-user's own subject and session, whatever the client may know
 */
export async function issueIdToken(
  { issuer, clientJwts, pairwiseSecret }: IdTokenNeeds,
  metadata: ClientMetadata,
  content: IdTokenContent,
): Promise<ClientJwt> {
  const sub = subjectFor(metadata, content.sub, pairwiseSecret);
  const alg = signatureAlgorithmFor(metadata, 'id_token');
  const sid = content.sid === undefined ? {} : { sid: sessionFor(metadata, content.sid, pairwiseSecret) };
  const claims = idTokenClaims(issuer, { ...content, sub, ...sid }, alg);
  return await makeClientJwt(clientJwts, metadata, { kind: 'id_token', typ: ID_TOKEN_TYPE, claims });
}

import type { KeyObject } from 'node:crypto';
import { encryptionKey } from '../../keys/client-jwk.ts';
import type { BegunSignature, ServerKeys } from '../../keys/server-keys.ts';
import type { JweEncrypter } from '../../ports/jwe.ts';
import type { ClientMetadata } from '../../spec/client-metadata.ts';
import type { KeyManagementAlgorithm, SignatureAlgorithm } from '../../spec/jose-algorithms.ts';
import type { JsonWebKey } from '../../spec/jwk.ts';
import {
  CONTENT_ENCRYPTION_ALGORITHMS,
  DEFAULT_CONTENT_ENCRYPTION,
  KEY_MANAGEMENT_ALGORITHMS,
  SIGNING_ALGORITHMS,
} from '../../spec/server-capabilities.ts';
import { ID_TOKEN_TYPE, type IdTokenContent, idTokenClaims } from '../../tokens/id-token.ts';
import { findClientKey, type RemoteFinding, type RemoteJwkSets } from '../client-keys/remote-jwk-set.ts';
import { sessionFor, subjectFor } from './pairwise-subject.ts';

/**
 * The kinds of JWT made for a client, by the prefix of the metadata members that configure them: RFC 9701 §6;
 * `id_token_signed_response_alg` (OpenID Connect Dynamic Client Registration 1.0 §2), also for logout tokens;
 * JARM §3.
 */
export type ClientJwtKind = 'introspection' | 'id_token' | 'userinfo' | 'authorization';

/** OpenID Connect Dynamic Client Registration 1.0 §2 and RFC 9701 §6: "The default … is RS256." */
const DEFAULT_SIGNATURE: SignatureAlgorithm = 'RS256';

export interface ClientJwtNeeds {
  readonly keys: Pick<ServerKeys, 'beginToSign' | 'canSign'>;
  readonly encrypter: JweEncrypter;
  readonly jwkSets: RemoteJwkSets;
}

export interface ClientJwtContent {
  readonly kind: ClientJwtKind;
  /** The `typ` of the signed JWT (RFC 8725 §3.11). */
  readonly typ: string;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** Why a JWT cannot be made, for the log only. */
interface ClientJwtProblem {
  readonly problem: string;
  /** Seconds until a retry. Present if the client's keys cannot be had now. */
  readonly retryAfter?: number;
}

/** A JWT, or why it cannot be made. A JWT that must be encrypted is never sent without encryption. */
export type ClientJwt = { readonly jwt: string } | ClientJwtProblem;

/** A JWT that has its encryption or needs none, and may still wait for its signature. */
export type BegunClientJwt = BegunSignature | ClientJwtProblem;

/** Waits for the signature. */
async function finished(begun: BegunClientJwt): Promise<ClientJwt> {
  return 'jwt' in begun ? { jwt: await begun.jwt } : begun;
}

/**
 * Returns the signature algorithm that a client has registered for this kind of JWT, or the default: RS256, or the first that the
 * server signs with where the settings exclude RS256.
 */
function signatureAlgorithmFor(
  { keys }: Pick<ClientJwtNeeds, 'keys'>,
  metadata: ClientMetadata | undefined,
  kind: ClientJwtKind,
): SignatureAlgorithm {
  const registered = metadata?.[`${kind}_signed_response_alg`];
  const own = SIGNING_ALGORITHMS.find((known) => known === registered);
  if (own !== undefined || keys.canSign(DEFAULT_SIGNATURE)) return own ?? DEFAULT_SIGNATURE;
  return SIGNING_ALGORITHMS.find((known) => keys.canSign(known)) ?? DEFAULT_SIGNATURE;
}

/** Says whether a client has registered for UserInfo as a JWT. The other kinds are always JWTs. */
export function wantsUserinfoJwt(metadata: ClientMetadata): boolean {
  const { userinfo_signed_response_alg, userinfo_encrypted_response_alg } = metadata;
  return userinfo_signed_response_alg !== undefined || userinfo_encrypted_response_alg !== undefined;
}

/**
 * OpenID Connect Core 1.0 §5.3.2: UserInfo alone "MAY be … encrypted without also being signed", if the client
 * registers only encryption.
 */
function isUnsigned(metadata: ClientMetadata | undefined, kind: ClientJwtKind): boolean {
  return (
    kind === 'userinfo' &&
    metadata?.['userinfo_signed_response_alg'] === undefined &&
    metadata?.['userinfo_encrypted_response_alg'] !== undefined
  );
}

/**
 * Makes a JWT for one client: signs it, then encrypts it if the client has registered encryption. RFC 7519
 * §11.2: "the signature … applied first, then the encryption".
 * @param metadata undefined for a caller that is not a registered client
 */
export async function makeClientJwt(
  needs: ClientJwtNeeds,
  metadata: ClientMetadata | undefined,
  content: ClientJwtContent,
): Promise<ClientJwt> {
  return await finished(await beginClientJwt(needs, metadata, content));
}

/** Begins to make a JWT. Resolves when nothing but a signature is left, which needs only the thread pool. */
async function beginClientJwt(
  needs: ClientJwtNeeds,
  metadata: ClientMetadata | undefined,
  { kind, typ, claims }: ClientJwtContent,
): Promise<BegunClientJwt> {
  const signature = signatureAlgorithmFor(needs, metadata, kind);
  const alg = KEY_MANAGEMENT_ALGORITHMS.find(
    (known) => known === metadata?.[`${kind}_encrypted_response_alg`],
  );
  if (metadata !== undefined && alg !== undefined && isUnsigned(metadata, kind))
    return begunAlready(await encryptedTo(needs, metadata, { plaintext: JSON.stringify(claims), kind, alg }));
  // A configured key set (decision 29) may lack a key for an algorithm.
  if (!needs.keys.canSign(signature)) return { problem: `no server key signs with ${signature}` };
  const begun = await needs.keys.beginToSign(claims, { alg: signature, typ });
  if (metadata === undefined || alg === undefined) return begun;
  const what = { plaintext: await begun.jwt, kind, alg, cty: 'JWT' } as const;
  return begunAlready(await encryptedTo(needs, metadata, what));
}

const begunAlready = (made: ClientJwt): BegunClientJwt =>
  'jwt' in made ? { jwt: Promise.resolve(made.jwt) } : made;

async function encryptedTo(
  needs: ClientJwtNeeds,
  metadata: ClientMetadata,
  what: { plaintext: string; kind: ClientJwtKind; alg: KeyManagementAlgorithm; cty?: 'JWT' },
): Promise<ClientJwt> {
  // RFC 7519 §5.2: "In the case that nested signing or encryption is employed, this Header Parameter MUST be present".
  const { plaintext, kind, alg, ...cty } = what;
  const recipient = await recipientKey(needs, metadata, alg);
  if ('problem' in recipient) return recipient;
  const { kid } = recipient.found;
  const registered = metadata[`${kind}_encrypted_response_enc`];
  const enc =
    CONTENT_ENCRYPTION_ALGORITHMS.find((known) => known === registered) ?? DEFAULT_CONTENT_ENCRYPTION;
  const header = { alg, enc, ...cty, ...(typeof kid === 'string' ? { kid } : {}) };
  try {
    return { jwt: await needs.encrypter.encrypt(plaintext, recipient.found, header) };
  } catch (failure) {
    // A well-formed key may still allow no key agreement (RFC 7748 §6.1). That is a fault of the client.
    return {
      problem: `encryption with ${alg} failed: ${failure instanceof Error ? failure.message : 'unknown'}`,
    };
  }
}

async function recipientKey(
  { jwkSets }: ClientJwtNeeds,
  metadata: ClientMetadata,
  alg: KeyManagementAlgorithm,
): Promise<RemoteFinding<JsonWebKey>> {
  // The client has authenticated, or an end-user has signed in for it: each key set counts as a party.
  const cause = { purpose: 'encryption-keys', remoteAddress: undefined } as const;
  const finding = await findClientKey(jwkSets, metadata, cause, (keys) => encryptionKey(keys, alg));
  const lacksKey = 'problem' in finding && finding.lacksKey === true;
  return lacksKey ? { problem: `no key of the client is for ${alg}` } : finding;
}

export interface IdTokenNeeds {
  readonly issuer: string;
  readonly clientJwts: ClientJwtNeeds;
  /** The secret of pairwise subjects. It never changes. */
  readonly pairwiseSecret: KeyObject;
}

/**
 * Makes an ID token as its client has registered it: subject type, signature and encryption (OpenID Connect
 * Core 1.0 §2, §8; OpenID Connect Dynamic Client Registration 1.0 §2).
 * @param content with the local subject and session, not those that the client sees
 */
export async function issueIdToken(
  needs: IdTokenNeeds,
  metadata: ClientMetadata,
  content: IdTokenContent,
): Promise<ClientJwt> {
  return await finished(await beginIdToken(needs, metadata, content));
}

/** Begins to make an ID token. Resolves when nothing but its signature is left. */
export async function beginIdToken(
  { issuer, clientJwts, pairwiseSecret }: IdTokenNeeds,
  metadata: ClientMetadata,
  content: IdTokenContent,
): Promise<BegunClientJwt> {
  const sub = subjectFor(metadata, content.sub, pairwiseSecret);
  const alg = signatureAlgorithmFor(clientJwts, metadata, 'id_token');
  const sid = content.sid === undefined ? {} : { sid: sessionFor(metadata, content.sid, pairwiseSecret) };
  const claims = idTokenClaims(issuer, { ...content, sub, ...sid }, alg);
  return await beginClientJwt(clientJwts, metadata, { kind: 'id_token', typ: ID_TOKEN_TYPE, claims });
}

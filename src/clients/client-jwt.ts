import { encryptionKey } from '../keys/client-encryption-key.ts';
import type { ServerKeys } from '../keys/server-keys.ts';
import type { JweEncrypter } from '../ports/jwe.ts';
import type { ClientMetadata } from '../spec/client-metadata.ts';
import type { KeyManagementAlgorithm, SignatureAlgorithm } from '../spec/jose-algorithms.ts';
import type { JsonWebKey } from '../spec/jwk.ts';
import {
  CONTENT_ENCRYPTION_ALGORITHMS,
  DEFAULT_CONTENT_ENCRYPTION,
  KEY_MANAGEMENT_ALGORITHMS,
  SIGNING_ALGORITHMS,
} from '../spec/server-capabilities.ts';
import type { RemoteFinding, RemoteJwkSets } from './remote-jwk-set.ts';

/**
 * What a client is told in a JWT, by the beginning of the members that it registers for it: RFC 9701 §6, and
 * `id_token_signed_response_alg` (OpenID Connect Registration §2), which holds for logout tokens too; JARM §3.
 */
export type ClientJwtKind = 'introspection' | 'id_token' | 'userinfo' | 'authorization';

/** OpenID Connect Registration §2 and RFC 9701 §6: "The default … is RS256." */
const DEFAULT_SIGNATURE: SignatureAlgorithm = 'RS256';

export interface ClientJwtNeeds {
  readonly keys: Pick<ServerKeys, 'sign' | 'canSign'>;
  readonly encrypter: JweEncrypter;
  readonly jwkSets: RemoteJwkSets;
}

export interface ClientJwtContent {
  readonly kind: ClientJwtKind;
  /** Of the signed JWT (RFC 8725 §3.11). */
  readonly typ: string;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** `problem` is for the log only: what would be encrypted is never sent otherwise. */
export type ClientJwt = { readonly jwt: string } | { readonly problem: string };

/** The algorithm that a client has registered for the signatures of such JWTs. */
export function signatureAlgorithmFor(
  metadata: ClientMetadata | undefined,
  kind: ClientJwtKind,
): SignatureAlgorithm {
  const registered = metadata?.[`${kind}_signed_response_alg`];
  return SIGNING_ALGORITHMS.find((known) => known === registered) ?? DEFAULT_SIGNATURE;
}

/**
 * A JWT for one client: signed, and then encrypted to the client where it has registered that. RFC 7519 §11.2: "the
 * signature … applied first, then the encryption".
 * @param metadata of the client; undefined for one that is not registered
 */
export async function makeClientJwt(
  needs: ClientJwtNeeds,
  metadata: ClientMetadata | undefined,
  { kind, typ, claims }: ClientJwtContent,
): Promise<ClientJwt> {
  const signature = signatureAlgorithmFor(metadata, kind);
  // A configured key set (decision 29) need not have a key for each algorithm.
  if (!needs.keys.canSign(signature)) return { problem: `no server key signs with ${signature}` };
  const jwt = await needs.keys.sign(claims, { alg: signature, typ });
  const alg = KEY_MANAGEMENT_ALGORITHMS.find(
    (known) => known === metadata?.[`${kind}_encrypted_response_alg`],
  );
  return metadata === undefined || alg === undefined
    ? { jwt }
    : await encryptedTo(needs, metadata, { jwt, kind, alg });
}

async function encryptedTo(
  needs: ClientJwtNeeds,
  metadata: ClientMetadata,
  { jwt, kind, alg }: { jwt: string; kind: ClientJwtKind; alg: KeyManagementAlgorithm },
): Promise<ClientJwt> {
  const recipient = await recipientKey(needs, metadata, alg);
  if ('problem' in recipient) return recipient;
  const { kid } = recipient.found;
  const registered = metadata[`${kind}_encrypted_response_enc`];
  const enc =
    CONTENT_ENCRYPTION_ALGORITHMS.find((known) => known === registered) ?? DEFAULT_CONTENT_ENCRYPTION;
  // RFC 7519 §5.2: "In the case that nested signing or encryption is employed, this Header Parameter MUST be present".
  const header = { alg, enc, cty: 'JWT', ...(typeof kid === 'string' ? { kid } : {}) };
  try {
    return { jwt: await needs.encrypter.encrypt(jwt, recipient.found, header) };
  } catch (failure) {
    // A key that can be read may still be one that nothing can be agreed on with (RFC 7748 §6.1); it is the client's.
    return {
      problem: `encryption with ${alg} failed: ${failure instanceof Error ? failure.message : 'unknown'}`,
    };
  }
}

async function recipientKey(
  { jwkSets }: ClientJwtNeeds,
  { jwks, jwks_uri }: ClientMetadata,
  alg: KeyManagementAlgorithm,
): Promise<RemoteFinding<JsonWebKey>> {
  if (typeof jwks_uri === 'string') return await jwkSets.find(jwks_uri, (keys) => encryptionKey(keys, alg));
  const { keys } = (jwks ?? { keys: [] }) as { readonly keys: readonly JsonWebKey[] };
  const found = encryptionKey(keys, alg);
  return found === undefined ? { problem: `jwks has no key for ${alg}` } : { found };
}

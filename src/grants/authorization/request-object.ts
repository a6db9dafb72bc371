import {
  jwtRefusalNotes,
  type RemoteJwkSets,
  verifyWithClientKeys,
} from '../../clients/client-keys/remote-jwk-set.ts';
import { isAutomatic } from '../../clients/federated-client.ts';
import { metadataOf } from '../../clients/registered-client.ts';
import type { Settings } from '../../config/settings.ts';
import { digestOf } from '../../keys/digest.ts';
import type { ServerKeys } from '../../keys/server-keys.ts';
import type { StoredClient } from '../../ports/client-store.ts';
import type { Clock } from '../../ports/clock.ts';
import type { JweDecrypter, JweProfile } from '../../ports/jwe.ts';
import {
  CLOCK_SKEW,
  type JwtProfile,
  type JwtVerifier,
  type VerifiedClaims,
} from '../../ports/jwt-verifier.ts';
import type { ReplayStore } from '../../ports/replay-store.ts';
import type { RefusalNotes } from '../../spec/errors.ts';
import { parseExactly } from '../../spec/exact-json.ts';
import type { JsonValue } from '../../spec/json.ts';
import type { ParameterName } from '../../spec/parameter-words.ts';
import type { Parameters } from '../../spec/parameters.ts';
import {
  CONTENT_ENCRYPTION_ALGORITHMS,
  KEY_MANAGEMENT_ALGORITHMS,
  signatureAlgorithms,
} from '../../spec/server-capabilities.ts';
import { REQUEST_PARAMETERS } from './authorization-parameters.ts';
import { DECRYPTION_WORDS, refusedObjectWords } from './request-object-words.ts';

/** Opens encrypted request objects. */
export interface DecryptionNeeds {
  readonly decrypter: JweDecrypter;
  readonly keys: Pick<ServerKeys, 'decryptionKeys'>;
}

export interface RequestObjectNeeds extends DecryptionNeeds {
  readonly issuer: string;
  readonly verifier: JwtVerifier;
  readonly jwkSets: RemoteJwkSets;
  readonly replays: Pick<ReplayStore, 'rememberOnce'>;
  readonly clock: Clock;
  readonly settings: Pick<
    Settings,
    'federation.request-object-lifetime' | 'authorization.request-object-lifetime' | 'signatures.algorithms'
  >;
}

/** The parameters of a request object, or what is wrong with it. */
export type OpenedRequestObject =
  | { readonly parameters: Parameters }
  | {
      /** For the client. It repeats no text of the object. */
      readonly problem: string;
      /** For the log. */
      readonly notes?: RefusalNotes;
      /** Seconds until a retry. Present if the keys of the client cannot be had now. */
      readonly retryAfter?: number;
    };

/** Accepted types: RFC 9101 §10.8 defines one, and OpenID Connect Core 1.0 §6.1 none. */
const TYPES = ['oauth-authz-req+jwt', 'jwt', undefined] as const;

/**
 * Opens a request object of this client (RFC 9101 §6, OpenID Connect Core 1.0 §6): decrypts it if it is encrypted, verifies the
 * client's signature, and checks that it is for this server.
 */
export async function openRequestObject(
  needs: RequestObjectNeeds,
  client: StoredClient,
  request: string,
  remoteAddress: string,
): Promise<OpenedRequestObject> {
  const signed = await signedRequestObject(needs, client, request);
  if ('problem' in signed) return signed;
  const profile = profileOf(needs, client);
  const verification = await verifyWithClientKeys(needs.jwkSets, client, remoteAddress, (keys) =>
    needs.verifier.verify(signed.jwt, keys, profile),
  );
  if (!verification.verified) {
    const notes = jwtRefusalNotes('request object', verification);
    const problem = refusedObjectWords(verification, profile);
    return 'retryAfter' in verification
      ? { problem, notes, retryAfter: verification.retryAfter }
      : { problem, notes };
  }
  const { claims } = verification;
  const problem =
    lifeProblem(needs, claims) ??
    (isAutomatic(client) ? await automaticProblem(needs, client, claims) : undefined);
  return problem === undefined ? parametersOf(claims, signed.jwt) : { problem };
}

/**
 * FAPI 2.0 Message Signing §5.3.1: an `nbf` "that is no longer than 60 minutes in the past" and an `exp` "no longer than 60 minutes
 * after the nbf claim". The setting has the time.
 */
function lifeProblem(
  { settings, clock }: RequestObjectNeeds,
  { nbf, exp }: VerifiedClaims,
): string | undefined {
  const most = settings['authorization.request-object-lifetime'];
  if (most === 0 || typeof nbf !== 'number' || typeof exp !== 'number') return undefined;
  if (nbf < clock.now() - most) return `nbf is more than ${most} seconds ago`;
  return exp > nbf + most ? `exp is more than ${most} seconds after nbf` : undefined;
}

/**
 * Checks the further rules for automatic registration (OpenID Federation 1.0 §12.1.1.1). `client_id` is required, and `sub` is
 * forbidden, so that a client assertion cannot serve as a request object. Each object is accepted once.
 */
async function automaticProblem(
  { replays }: RequestObjectNeeds,
  { client_id }: StoredClient,
  { sub, exp, jti, client_id: claimed }: VerifiedClaims,
): Promise<string | undefined> {
  if (sub !== undefined) return 'sub is present, which OpenID Federation 1.0 forbids';
  if (claimed !== client_id) return `client_id must be ${client_id}, as in the request`;
  if (typeof jti !== 'string' || typeof exp !== 'number') return 'jti or exp is missing';
  const until = Math.ceil(exp) + CLOCK_SKEW;
  const once = await replays.rememberOnce('request-object', client_id, digestOf(jti), until);
  return once ? undefined : 'its jti was used before';
}

/**
 * The maximum characters of a request object of an entity, whose header may hold trust chains (OpenID Federation 1.0 §12.1.1.1.1).
 * `limits.body` and `limits.header` bound it too.
 */
export const REQUEST_OBJECT_LENGTH_MAX = 65_536;

function profileOf({ issuer, settings }: RequestObjectNeeds, client: StoredClient): JwtProfile {
  const automatic = isAutomatic(client);
  const accepted = signatureAlgorithms(settings['signatures.algorithms']);
  const { request_object_signing_alg: registered } = metadataOf(client);
  const isShort = settings['authorization.request-object-lifetime'] > 0;
  return {
    algorithms: registered === undefined ? accepted : accepted.filter((alg) => alg === registered),
    types: TYPES,
    requiredClaims: [
      'iss',
      // RFC 9101 §5.2 and §10.3: without an audience, this server would accept an object made for another one.
      'aud',
      ...(isShort ? ['nbf'] : []),
      ...(automatic || isShort ? ['exp'] : []),
      ...(automatic ? ['jti'] : []),
    ],
    issuer: client.client_id,
    // OpenID Federation 1.0 §12.1.1.1: "MUST NOT include any other values". RFC 9101 §10.3 says only that aud has this server.
    audience: { kind: automatic ? 'sole' : 'where-present', values: [issuer] },
    // The jti of an automatic client is remembered until exp.
    lifetimeMax: automatic ? settings['federation.request-object-lifetime'] : undefined,
    ageMax: undefined,
    ...(automatic ? { lengthMax: REQUEST_OBJECT_LENGTH_MAX } : {}),
  };
}

const isEncrypted = (request: string): boolean => request.split('.', 6).length === 5;

type Decrypted = { readonly jwt: string } | { readonly problem: string; readonly notes?: RefusalNotes };

async function signedRequestObject(
  needs: RequestObjectNeeds,
  client: StoredClient,
  request: string,
): Promise<Decrypted> {
  const { request_object_encryption_alg: alg, request_object_encryption_enc: enc } = metadataOf(client);
  if (alg !== undefined && !isEncrypted(request))
    return { problem: 'it is not encrypted, but the client registered request_object_encryption_alg' };
  return await decryptedRequestObject(needs, request, {
    algorithms: KEY_MANAGEMENT_ALGORITHMS.filter((known) => alg === undefined || known === alg),
    encryptions: CONTENT_ENCRYPTION_ALGORITHMS.filter((known) => enc === undefined || known === enc),
    ...(isAutomatic(client) ? { lengthMax: ENCRYPTED_LENGTH_MAX } : {}),
  });
}

/** Encryption writes the octets of the object in base64url again. */
const ENCRYPTED_LENGTH_MAX = 2 * REQUEST_OBJECT_LENGTH_MAX;

/** Accepts every algorithm, for an entity whose metadata is not known yet. */
const ANY_ENCRYPTION: JweProfile = {
  algorithms: KEY_MANAGEMENT_ALGORITHMS,
  encryptions: CONTENT_ENCRYPTION_ALGORITHMS,
  lengthMax: ENCRYPTED_LENGTH_MAX,
};

/** Decrypts a request object; returns one that is not encrypted as it is. Verifies nothing. */
export async function decryptedRequestObject(
  { decrypter, keys }: DecryptionNeeds,
  request: string,
  profile: JweProfile = ANY_ENCRYPTION,
): Promise<Decrypted> {
  if (!isEncrypted(request)) return { jwt: request };
  const decryption = await decrypter.decrypt(request, await keys.decryptionKeys(), profile);
  if (decryption.decrypted) return { jwt: decryption.plaintext };
  const { reason } = decryption;
  return { problem: DECRYPTION_WORDS[reason], notes: { detail: `request object: decryption: ${reason}` } };
}

/** Reads the parameters from the claims (RFC 9101 §4). `request` and `request_uri` "MUST NOT be included in Request Objects". */
function parametersOf(claims: VerifiedClaims, jwt: string): OpenedRequestObject {
  return parametersOfClaims(claims, REQUEST_PARAMETERS, jwt);
}

/** Reads parameters of these names from the claims of a signed request, which its verified text `jwt` has letter for letter. */
export function parametersOfClaims(
  claims: VerifiedClaims,
  names: readonly ParameterName[],
  jwt: string,
): OpenedRequestObject {
  if (claims['request'] !== undefined || claims['request_uri'] !== undefined)
    return { problem: 'it contains request or request_uri' };
  const parameters: { [name: string]: string | undefined } = Object.create(null);
  for (const name of names) {
    const text =
      name === 'authorization_details' ? detailsText(claims[name], jwt) : parameterText(claims[name]);
    if (text === null)
      return { problem: `${name} must be a string, a number, a JSON object or a list of strings` };
    parameters[name] = text;
  }
  return { parameters };
}

/** Returns a claim as the text of a parameter (§4): numbers and JSON objects are written out; null for any other form. */
function parameterText(value: JsonValue | undefined): string | undefined | null {
  if (value === undefined || value === '') return undefined;
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value)) return value.every((item) => typeof item === 'string') ? value.join(' ') : null;
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : null;
}

/** RFC 9396 §2: the value is a JSON array. A text with one is accepted too. Its numbers stay as the client wrote them. */
function detailsText(value: JsonValue | undefined, jwt: string): string | undefined | null {
  if (!Array.isArray(value)) return parameterText(value);
  const [, payload = ''] = jwt.split('.');
  const claims = parseExactly(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>;
  return JSON.stringify(claims['authorization_details']);
}

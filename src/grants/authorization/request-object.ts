import {
  jwtRefusalNotes,
  type RemoteJwkSets,
  verifyWithClientKeys,
} from '../../clients/client-keys/remote-jwk-set.ts';
import { isAutomatic, metadataOf } from '../../clients/registered-client.ts';
import { digestOf } from '../../keys/digest.ts';
import type { ServerKeys } from '../../keys/server-keys.ts';
import type { StoredClient } from '../../ports/client-store.ts';
import type { JweDecrypter } from '../../ports/jwe.ts';
import {
  CLOCK_SKEW,
  type JwtProfile,
  type JwtVerifier,
  type VerifiedClaims,
} from '../../ports/jwt-verifier.ts';
import type { ReplayStore } from '../../ports/replay-store.ts';
import type { RefusalNotes } from '../../spec/errors.ts';
import type { JsonValue } from '../../spec/json.ts';
import type { Parameters } from '../../spec/parameters.ts';
import {
  CONTENT_ENCRYPTION_ALGORITHMS,
  KEY_MANAGEMENT_ALGORITHMS,
  SIGNING_ALGORITHMS,
} from '../../spec/server-capabilities.ts';
import { REQUEST_PARAMETERS } from './authorization-parameters.ts';

export interface RequestObjectNeeds {
  readonly issuer: string;
  readonly verifier: JwtVerifier;
  readonly jwkSets: RemoteJwkSets;
  readonly decrypter: JweDecrypter;
  readonly keys: Pick<ServerKeys, 'decryptionKeys'>;
  readonly replays: Pick<ReplayStore, 'rememberOnce'>;
}

/** The parameters of a request object, or the problem with it for the log. */
export type OpenedRequestObject =
  | { readonly parameters: Parameters }
  | {
      readonly problem: string;
      /** Notes for the log beside the problem. */
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
    const problem = notes.detail;
    return 'retryAfter' in verification
      ? { problem, notes, retryAfter: verification.retryAfter }
      : { problem, notes };
  }
  const problem = isAutomatic(client)
    ? await automaticProblem(needs, client, verification.claims)
    : undefined;
  return problem === undefined ? parametersOf(verification.claims) : { problem };
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
  if (sub !== undefined) return 'has a sub claim, which automatic registration forbids';
  if (claimed !== client_id) return 'lacks client_id, or has that of another client';
  if (typeof jti !== 'string' || typeof exp !== 'number') return 'lacks jti or exp';
  const until = Math.ceil(exp) + CLOCK_SKEW;
  const once = await replays.rememberOnce('request-object', client_id, digestOf(jti), until);
  return once ? undefined : 'was used before';
}

function profileOf({ issuer }: RequestObjectNeeds, client: StoredClient): JwtProfile {
  const registered = SIGNING_ALGORITHMS.find(
    (alg) => alg === metadataOf(client)['request_object_signing_alg'],
  );
  return {
    algorithms: registered === undefined ? SIGNING_ALGORITHMS : [registered],
    types: TYPES,
    // RFC 9101 §5.2 and §10.3: without an audience, this server would accept an object made for another one.
    requiredClaims: isAutomatic(client) ? ['iss', 'aud', 'exp', 'jti'] : ['iss', 'aud'],
    issuer: client.client_id,
    // OpenID Federation 1.0 §12.1.1.1: "MUST NOT include any other values". RFC 9101 §10.3 says only that aud has this server.
    audience: { kind: isAutomatic(client) ? 'sole' : 'where-present', values: [issuer] },
    lifetimeMax: undefined,
    ageMax: undefined,
  };
}

const isEncrypted = (request: string): boolean => request.split('.', 6).length === 5;

async function signedRequestObject(
  { decrypter, keys }: RequestObjectNeeds,
  client: StoredClient,
  request: string,
): Promise<{ readonly jwt: string } | { readonly problem: string }> {
  const { request_object_encryption_alg: alg, request_object_encryption_enc: enc } = metadataOf(client);
  if (!isEncrypted(request))
    return alg === undefined
      ? { jwt: request }
      : { problem: 'is not encrypted, but the client registered request_object_encryption_alg' };
  const decryption = await decrypter.decrypt(request, await keys.decryptionKeys(), {
    algorithms: KEY_MANAGEMENT_ALGORITHMS.filter((known) => alg === undefined || known === alg),
    encryptions: CONTENT_ENCRYPTION_ALGORITHMS.filter((known) => enc === undefined || known === enc),
  });
  return decryption.decrypted
    ? { jwt: decryption.plaintext }
    : { problem: `decryption: ${decryption.reason}` };
}

/** Reads the parameters from the claims (RFC 9101 §4). `request` and `request_uri` "MUST NOT be included in Request Objects". */
function parametersOf(claims: VerifiedClaims): OpenedRequestObject {
  if (claims['request'] !== undefined || claims['request_uri'] !== undefined)
    return { problem: 'contains request or request_uri' };
  const parameters: { [name: string]: string | undefined } = Object.create(null);
  for (const name of REQUEST_PARAMETERS) {
    const text = parameterText(claims[name]);
    if (text === null)
      return { problem: `claim ${name} must be a string, a number, a JSON object or a list of strings` };
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

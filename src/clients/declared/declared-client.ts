import type { StoredClient } from '../../ports/client-store.ts';
import type { ClientMetadata } from '../../spec/client-metadata.ts';
import { defaultScope } from '../../spec/default-scope.ts';
import { OAuthError } from '../../spec/errors.ts';
import type { ClientId } from '../../spec/identifiers.ts';
import { type JsonObject, type JsonValue, parseJsonObject } from '../../spec/json.ts';
import { type JsonChange, jsonChanges } from '../../spec/json-changes.ts';
import { MetadataRefused, sentenceOf } from '../../spec/metadata-mistake.ts';
import { metadataOf } from '../registered-client.ts';
import {
  examineMetadata,
  isConfidential,
  type ValidatedMetadata,
} from '../registration/validate-metadata.ts';
import type { RegistryNeeds } from '../registry-needs.ts';

/** A client as a file declares it. */
export interface DeclaredClient {
  readonly client_id: ClientId;
  /** The client metadata as the text of a JSON object (RFC 7591 §2), with `data`. */
  readonly metadata: string;
  /** The value that its secret must have. Absent: the server keeps the present one, or makes one for a new client. */
  readonly client_secret?: string;
}

/** Something about one client that keeps a plan from being made. */
export interface ClientProblem {
  readonly client_id: string;
  readonly words: string;
}

/** Members that stand beside the metadata while it is validated: identifier and secret. */
const MEMBERS_BESIDE = 2;

/**
 * Returns the registration request that a declaration stands for.
 * @throws OAuthError invalid_request for metadata that is no JSON object, too large or too deep
 */
export function requestOf(
  { json, settings }: Pick<RegistryNeeds, 'json' | 'settings'>,
  { client_id, metadata, client_secret }: DeclaredClient,
): JsonObject {
  const most = settings['limits.body'];
  if (Buffer.byteLength(metadata) > most)
    throw new OAuthError('invalid_request', {
      error_description: `the metadata have more than ${most} bytes (limits.body)`,
    });
  const given = metadata.trim().slice(1, -1).trim();
  const members = [
    `"preferred_client_id":${JSON.stringify(client_id)}`,
    ...(client_secret === undefined ? [] : [`"preferred_client_secret":${JSON.stringify(client_secret)}`]),
    ...(given === '' ? [] : [given]),
  ];
  const limits = { ...json, members: json.members + MEMBERS_BESIDE };
  return parseJsonObject(Buffer.from(`{${members.join(',')}}`), limits);
}

/** A declaration after its check. */
export interface ExaminedDeclaration {
  readonly validated: ValidatedMetadata;
  readonly problems: readonly string[];
}

/** Checks everything that the declaration itself shows. */
export function examineDeclaration(needs: RegistryNeeds, declared: DeclaredClient): ExaminedDeclaration {
  const { validated, mistakes } = examineMetadata(requestOf(needs, declared), needs.metadataLimits);
  const problems = mistakes.map(sentenceOf);
  if (declared.client_secret !== undefined && !isConfidential(validated.metadata)) {
    const { token_endpoint_auth_method } = validated.metadata;
    problems.push(`client_secret is given, and a client with ${token_endpoint_auth_method} has no secret`);
  }
  return { validated, problems };
}

/** Returns every reason of a refusal as a sentence. */
export function refusalSentences(failure: OAuthError): readonly string[] {
  return failure instanceof MetadataRefused
    ? failure.mistakes.map(sentenceOf)
    : [failure.error_description ?? failure.code];
}

/**
 * Returns the differences between a stored client and its declaration. Values that the server fills in count on both sides, so that
 * a declaration may leave them out.
 */
export function differences(
  needs: RegistryNeeds,
  client: StoredClient,
  declared: Pick<ValidatedMetadata, 'metadata' | 'data'>,
): readonly JsonChange[] {
  const wanted = stateOf(withoutDefaultScope(client, declared.metadata), declared.data);
  const present = (metadata: ClientMetadata): JsonValue =>
    stateOf(withLostScope(client, metadata), client.data);
  const changes = jsonChanges(present(metadataOf(client)), wanted);
  if (changes.length === 0) return changes;
  // An older version may have stored fewer defaults.
  return jsonChanges(present(withPresentDefaults(needs, client)), wanted);
}

/** Says whether the client stops counting as openly registered when a file declares it: then its owner decides when it ends. */
export const leavesOpen = ({ registered_via }: StoredClient): boolean => registered_via === 'open';

/** The default scope of open registration ends with it, so that a plan shows it as a member. */
function withLostScope(client: StoredClient, metadata: ClientMetadata): ClientMetadata {
  const given = defaultScope(client);
  if (!leavesOpen(client) || metadata.scope !== undefined || given.length === 0) return metadata;
  return { ...metadata, scope: given.join(' ') };
}

/** A client without a scope has the default scope that the answers show (RFC 7591 §3.2.1): to declare that changes nothing. */
function withoutDefaultScope(client: StoredClient, metadata: ClientMetadata): ClientMetadata {
  if (!declaresDefaultScope(client, metadata)) return metadata;
  const { scope: _, ...others } = metadata;
  return others;
}

export function declaresDefaultScope(client: StoredClient, { scope }: ClientMetadata): boolean {
  if (leavesOpen(client) || metadataOf(client).scope !== undefined) return false;
  const given = defaultScope(client);
  return given.length > 0 && (scope === undefined || scope === given.join(' '));
}

function withPresentDefaults(needs: RegistryNeeds, client: StoredClient): ClientMetadata {
  const bytes = Buffer.from(client.metadata);
  const request = parseJsonObject(bytes, { depth: STORED_DEPTH, members: STORED_MEMBERS });
  return examineMetadata(request, needs.metadataLimits, (value) => value !== null).validated.metadata;
}

/** A stored registration was within the limits of its time. */
const STORED_DEPTH = 1000;
const STORED_MEMBERS = 100_000;

function stateOf(metadata: ClientMetadata, data: string | null): JsonValue {
  const members = metadata as { readonly [member: string]: JsonValue };
  return data === null ? members : { ...members, data: JSON.parse(data) as JsonValue };
}

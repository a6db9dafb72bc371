import type { FormerVersion } from '../../ports/client-history.ts';
import type { StoredClient, StoredSecret } from '../../ports/client-store.ts';
import { NotFound } from '../../spec/errors.ts';
import type { Digest } from '../../spec/identifiers.ts';
import type { JsonValue } from '../../spec/json.ts';
import { type JsonChange, jsonChanges } from '../../spec/json-changes.ts';
import { withoutSetSigner } from '../client-keys/key-source.ts';
import { metadataOf } from '../registered-client.ts';
import type { RegistryNeeds } from '../registry-needs.ts';

type HistoryNeeds = Pick<RegistryNeeds, 'clientHistory'>;

/** The change that made a version. Times are in seconds since the Unix epoch. */
export interface VersionOrigin {
  readonly at: number;
  readonly action: string;
  readonly actor: string;
  /** Null for a registration. */
  readonly request_id: string | null;
  readonly reason: string | null;
}

/** A version as a list shows it. */
export interface VersionLine {
  readonly version: number;
  readonly is_current: boolean;
  /** Null if the version before it is not kept, so that nothing tells who made this one. */
  readonly made: VersionOrigin | null;
}

/** One page. `next` is the version that the next page goes on before. */
export interface VersionPage {
  readonly versions: readonly VersionLine[];
  readonly next: number | undefined;
}

/** Returns the versions of a client, the present one first. @param before where the page before ended */
export async function versionsOf(
  { clientHistory }: HistoryNeeds,
  client: StoredClient,
  before: number | undefined,
  limit: number,
): Promise<VersionPage> {
  const former = await clientHistory.versions(client, before, limit + 1);
  const listed = before === undefined ? [client, ...former] : former;
  const versions = listed.slice(0, limit).map((version, index) => ({
    version: version.version,
    is_current: version === client,
    made: originOf(version, listed[index + 1] as FormerVersion | undefined),
  }));
  return { versions, next: listed.length > limit ? versions.at(-1)?.version : undefined };
}

/** @param former the version before it, which the change ended */
function originOf(
  version: StoredClient | FormerVersion,
  former: FormerVersion | undefined,
): VersionOrigin | null {
  if (former !== undefined) {
    const { ended_at, action, actor, request_id, reason } = former;
    return { at: ended_at, action, actor, request_id, reason };
  }
  if (version.version !== 1) return null;
  const { issued_at, registered_via } = version;
  return { at: issued_at, action: 'client.create', actor: registered_via, request_id: null, reason: null };
}

/**
 * Returns one version of a client: the present one without a number.
 * @throws NotFound for a version that is not kept
 */
export async function versionOf(
  { clientHistory }: HistoryNeeds,
  client: StoredClient,
  version = client.version,
): Promise<StoredClient | FormerVersion> {
  if (version === client.version) return client;
  const { client_id, instance } = client;
  const found = await clientHistory.version({ client_id, instance, version });
  if (found === undefined) throw new NotFound(`version ${version} of the client is not kept`);
  return found;
}

/**
 * Returns the version before the present one.
 * @throws NotFound for a client that did not change, or whose former versions are not kept
 */
export async function versionBefore(
  { clientHistory }: HistoryNeeds,
  client: StoredClient,
  before?: number,
): Promise<FormerVersion> {
  const [found] = await clientHistory.versions(client, before, 1);
  if (found === undefined) throw new NotFound('no former version of the client is kept');
  return found;
}

/** The content of a version for comparisons and readers: each secret by its name and times, never its value. */
export interface VersionContent {
  /** With `data`. */
  readonly metadata: { readonly [name: string]: JsonValue };
  readonly secrets: readonly SecretLine[];
  /** The name of the registration access token. It says whether the token changed. */
  readonly registration_access_token_id: string;
  /** The privileges of the registration access token. */
  readonly privileges: JsonValue;
}

interface SecretLine {
  readonly id: string;
  readonly created_at: number;
  /** 0 = never. */
  readonly expires_at: number;
}

export function contentOf(version: StoredClient | FormerVersion): VersionContent {
  const { data, secrets, registration_token_digest, privileges } = version;
  const shown = withoutSetSigner(metadataOf(version)) as unknown as VersionContent['metadata'];
  return {
    metadata: data === null ? shown : { ...shown, data: JSON.parse(data) as JsonValue },
    secrets: secrets.map(({ digest, created_at, expires_at }: StoredSecret) => ({
      id: fingerprint(digest),
      created_at,
      expires_at,
    })),
    registration_access_token_id: fingerprint(registration_token_digest),
    privileges: JSON.parse(privileges) as JsonValue,
  };
}

const FINGERPRINT_LENGTH = 8;

/** The name that `clients secrets` shows. */
const fingerprint = (digest: Digest): string =>
  Buffer.from(digest, 'base64url').toString('hex').slice(0, FINGERPRINT_LENGTH);

/** Returns the differences of two versions, member by member. */
export function differencesOf(
  before: StoredClient | FormerVersion,
  after: StoredClient | FormerVersion,
): readonly JsonChange[] {
  return jsonChanges(contentOf(before) as unknown as JsonValue, contentOf(after) as unknown as JsonValue);
}

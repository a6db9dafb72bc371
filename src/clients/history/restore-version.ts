import type { FormerVersion } from '../../ports/client-history.ts';
import type { StoredClient, StoredSecret } from '../../ports/client-store.ts';
import type { ClientMetadata } from '../../spec/client-metadata.ts';
import { parseJsonObject } from '../../spec/json.ts';
import { refuseMistakes } from '../../spec/metadata-mistake.ts';
import { ALL_PRIVILEGES, type RegistrationPrivileges } from '../../spec/registration-privileges.ts';
import { type AuditTrail, doneEvent } from '../audit-trail.ts';
import { storeChange, untilUncontested } from '../change-client.ts';
import { requireOwnMetadata } from '../manage-client.ts';
import { givenAdminScope, type HeldAdminScope } from '../registration/admin-scope.ts';
import { admitMetadata } from '../registration/admit-metadata.ts';
import { isConfidential, type ValidatedMetadata } from '../registration/validate-metadata.ts';
import type { RegistryNeeds } from '../registry-needs.ts';
import { isLive, lengthProblem, makeSecret, openSecret, previousSecrets } from '../secrets/client-secrets.ts';

/** The operator who restores, and what comes back. */
export interface Restorer {
  /** The values of the administration API that the operator holds, and may give to the client. */
  readonly adminScope: HeldAdminScope;
  readonly remoteAddress: string | undefined;
  /** Whether the secrets of the version come back too, unless they have expired. */
  readonly withSecrets: boolean;
}

/**
 * Makes a client what it was in a former version. The version is checked like a change by the operator; the outcome is a new
 * version. The registration token and the owner stay.
 * @param find reads the client, again after each lost race
 * @param choose returns the version to restore
 * @throws what `find` and `choose` throw; OAuthError invalid_request, and MetadataRefused for what is no longer allowed
 */
export async function restoreVersion(
  needs: RegistryNeeds,
  find: () => Promise<StoredClient>,
  choose: (client: StoredClient) => Promise<StoredClient | FormerVersion>,
  restorer: Restorer,
  trail: AuditTrail,
): Promise<StoredClient> {
  return await untilUncontested(needs, {
    find,
    clientOf: ({ client_id }) => client_id,
    act: async (client) => {
      const version = await choose(client);
      const restored = await restoredClient(needs, client, version, restorer);
      const event = restoredEvent(needs, trail, version, restorer);
      return { outcome: await storeChange(needs, restored, client.version, event), result: restored };
    },
  });
}

/** Returns the audit event of a restoration. */
export function restoredEvent(
  needs: RegistryNeeds,
  trail: AuditTrail,
  { version, ...rest }: StoredClient | FormerVersion,
  { withSecrets }: Restorer,
): ReturnType<typeof doneEvent> {
  const isDeleted = 'deleted_at' in rest && rest.deleted_at !== null;
  const what = isDeleted ? 'deleted client' : `version ${version}`;
  return doneEvent(needs, trail, withSecrets ? `${what} with secrets` : what);
}

/** Returns a client as it would be after the restoration of a version; stores nothing. */
export async function restoredClient(
  needs: RegistryNeeds,
  client: StoredClient,
  version: StoredClient | FormerVersion,
  restorer: Restorer,
): Promise<StoredClient> {
  requireOwnMetadata(client);
  const { metadata, data } = await admitVersion(needs, version, restorer);
  const now = needs.clock.now();
  const candidates = restorer.withSecrets ? version.secrets.filter((secret) => isLive(secret, now)) : [];
  const present = client.secrets.filter((secret) => isLive(secret, now));
  return {
    ...client,
    version: client.version + 1,
    metadata: JSON.stringify(metadata),
    data,
    secrets: fittingSecrets(needs, client, metadata, candidates.length > 0 ? candidates : present),
    privileges: restoredPrivileges(version, metadata),
    // The client now differs from what its registrants sent, so it is no longer shared.
    shared_digest: null,
  };
}

/** Members that stand beside the metadata: `data`. */
const MEMBERS_BESIDE = 1;
/** Levels of the object around `data`. */
const DEPTH_AROUND = 1;

/**
 * Checks a version like a change that the operator makes today.
 * @throws MetadataRefused which names the members and values that are no longer allowed, or no longer known
 */
export async function admitVersion(
  needs: RegistryNeeds,
  { metadata, data }: Pick<StoredClient, 'metadata' | 'data'>,
  { adminScope, remoteAddress }: Restorer,
): Promise<ValidatedMetadata> {
  const members = [
    ...(metadata === '{}' ? [] : [metadata.slice(1, -1)]),
    ...(data === null ? [] : [`"data":${data}`]),
  ];
  const limits = { depth: needs.json.depth + DEPTH_AROUND, members: needs.json.members + MEMBERS_BESIDE };
  const request = parseJsonObject(Buffer.from(`{${members.join(',')}}`), limits);
  const privileges = { ...ALL_PRIVILEGES, admin_scope: adminScope };
  const validated = await admitMetadata(needs, request, { privileges, presentedToken: true, remoteAddress });
  // A registration drops what the server does not have. An undo must not lose anything silently.
  refuseMistakes(validated.dropped);
  return validated;
}

/**
 * Returns the privileges of the version, which bind the registration token. Values of the administration API are those of its
 * metadata, which the operator holds.
 */
export function restoredPrivileges(
  { privileges }: Pick<StoredClient, 'privileges'>,
  metadata: ClientMetadata,
): string {
  const { admin_scope: _, ...others } = JSON.parse(privileges) as RegistrationPrivileges;
  return JSON.stringify({ ...others, ...givenAdminScope(metadata) });
}

/** Returns secrets that the method of the client can use; a new one where there is none, or it is too short for its algorithm. */
export function fittingSecrets(
  needs: RegistryNeeds,
  client: StoredClient,
  metadata: ClientMetadata,
  secrets: readonly StoredSecret[],
): readonly StoredSecret[] {
  if (!isConfidential(metadata)) return [];
  const [first] = secrets;
  const isUsable =
    first !== undefined && lengthProblem(metadata, openSecret(needs.sealer, client, first)) === undefined;
  if (isUsable) return secrets;
  const grace = needs.settings['registration.previous-secret-grace'];
  const previous = previousSecrets({ ...client, secrets }, grace, needs.clock.now());
  return [makeSecret(needs, client, metadata), ...previous];
}

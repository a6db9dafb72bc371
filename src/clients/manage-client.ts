import type { StoredClient, StoredSecret } from '../ports/client-store.ts';
import { defaultScope } from '../spec/default-scope.ts';
import { OAuthError, quotedValue } from '../spec/errors.ts';
import type { ClientId } from '../spec/identifiers.ts';
import type { JsonObject } from '../spec/json.ts';
import { ALL_PRIVILEGES, type RegistrationPrivileges } from '../spec/registration-privileges.ts';
import { type AuditTrail, doneEvent, record } from './audit-trail.ts';
import { storeChange, storeEnd, untilUncontested } from './change-client.ts';
import { keptSecretProblem } from './declared/declared-secret.ts';
import { entityOf, isFederated } from './federated-client.ts';
import { isKeptAfterDeletion } from './history/history-limits.ts';
import { metadataOf } from './registered-client.ts';
import { admitMetadata } from './registration/admit-metadata.ts';
import { privilegesByMaster } from './registration/privileges.ts';
import { noteDropped } from './registration/register-client.ts';
import type { ClientManager } from './registration/registration-authority.ts';
import {
  privilegesWithStatement,
  type SoftwareStatement,
  type StatedRequest,
} from './registration/software-statement.ts';
import { withTokenPolicyOf } from './registration/token-policy.ts';
import { isConfidential, type ValidatedMetadata } from './registration/validate-metadata.ts';
import type { RegistryNeeds } from './registry-needs.ts';
import { isLive, makeRegistrationToken, makeSecret, previousSecrets } from './secrets/client-secrets.ts';

/** Authenticates the manager and reads the client. Called again after each lost race. */
export type Authenticate = () => Promise<ClientManager>;

const managed = ({ client }: ClientManager): ClientId => client.client_id;

/**
 * Reads a client (RFC 7592 §2.1). Replaces an expired secret once; parallel readers all get the same new
 * secret (decision 10).
 * @throws what `authenticate` throws
 */
export async function readClient(
  needs: RegistryNeeds,
  authenticate: Authenticate,
  trail: AuditTrail,
): Promise<StoredClient> {
  return await untilUncontested(needs, {
    find: authenticate,
    clientOf: managed,
    act: async ({ client }) => {
      const [secret] = client.secrets;
      const now = needs.clock.now();
      if (secret === undefined || isLive(secret, now)) {
        record(needs, doneEvent(needs, trail));
        return { outcome: 'done', result: client };
      }
      // An older secret may outlive the newest one, if an operator kept it during a rotation.
      const kept = client.secrets.filter((one) => isLive(one, now));
      const secrets = [makeSecret(needs, client, metadataOf(client)), ...kept];
      const renewed = { ...client, version: client.version + 1, secrets };
      const event = doneEvent(needs, trail, 'expired secret renewed');
      return { outcome: await storeChange(needs, renewed, client.version, event), result: renewed };
    },
  });
}

/**
 * Replaces the whole registration by the request, and issues a new secret and registration token (RFC 7592
 * §2.2).
 * @throws OAuthError invalid_request, insufficient_scope, invalid_client_metadata, invalid_redirect_uri; what
 * `authenticate` throws
 */
export async function updateClient(
  needs: RegistryNeeds,
  authenticate: Authenticate,
  stated: StatedRequest,
  trail: AuditTrail,
): Promise<StoredClient> {
  return await untilUncontested(needs, {
    find: authenticate,
    clientOf: managed,
    act: async (manager) => {
      const { updated, dropped } = await updatedClient(needs, manager, stated);
      const event = doneEvent(needs, trail);
      const outcome = await storeChange(needs, updated, manager.client.version, event);
      if (outcome === 'done') noteDropped(needs, { ...trail, client_id: updated.client_id }, dropped);
      return { outcome, result: updated };
    },
  });
}

async function updatedClient(
  needs: RegistryNeeds,
  { kind, client, adminScope }: ClientManager,
  { request, statement, remoteAddress }: StatedRequest,
): Promise<{ readonly updated: StoredClient; readonly dropped: ValidatedMetadata['dropped'] }> {
  requireSameClient(client, request);
  requireOwnMetadata(client);
  const own = ownPrivileges(client, statement);
  const allowed = {
    ...(kind === 'master' ? ALL_PRIVILEGES : { ...own, token_policy: true }),
    admin_scope: adminScope ?? own.admin_scope ?? [],
  };
  const sender = { privileges: allowed, presentedToken: true, remoteAddress };
  const echoes = echoesDefaultScope(client, request);
  const admitted = await admitMetadata(needs, echoes ? withoutScope(request) : request, sender);
  const validated = kind === 'master' ? admitted : withTokenPolicyOf(client, admitted);
  if (validated.preferred_client_id !== undefined && validated.preferred_client_id !== client.client_id) {
    throw new OAuthError('invalid_client_metadata', {
      error_description:
        'preferred_client_id must be absent or equal to client_id: an update cannot change the identifier',
    });
  }
  const now = needs.clock.now();
  const updated = {
    ...client,
    version: client.version + 1,
    metadata: JSON.stringify(validated.metadata),
    data: validated.data,
    secrets: isConfidential(validated.metadata)
      ? [
          makeSecret(needs, client, validated.metadata, validated.preferred_client_secret),
          ...previousSecrets(client, needs.settings['registration.previous-secret-grace'], now),
        ]
      : [],
    ...makeRegistrationToken(needs, client),
    privileges: JSON.stringify(
      kind === 'master' ? { ...privilegesByMaster(validated), ...(echoes ? { scope: own.scope } : {}) } : own,
    ),
    // The client now differs from what its registrants sent, so it is no longer shared.
    shared_digest: null,
  };
  return { updated, dropped: validated.dropped };
}

/** A change of a client that is checked and not stored. */
export interface Administered {
  readonly client: StoredClient;
  /** The secret that the change made; undefined if the client keeps its secrets. */
  readonly secret: StoredSecret | undefined;
  readonly dropped: ValidatedMetadata['dropped'];
}

/**
 * Returns a client with other metadata, for an operator: it keeps its registration token, and its secrets where they suit. Stores
 * nothing.
 * @throws OAuthError invalid_request, invalid_client_metadata, invalid_redirect_uri
 */
export async function administeredClient(
  needs: RegistryNeeds,
  manager: ClientManager,
  stated: StatedRequest,
): Promise<Administered> {
  const { client } = manager;
  const { updated, dropped } = await updatedClient(needs, manager, stated);
  const metadata = metadataOf(updated);
  const given = stated.request.members['preferred_client_secret'];
  const keeps =
    typeof given !== 'string' &&
    client.secrets.length > 0 &&
    keptSecretProblem(needs, client, metadata) === undefined;
  const made = isConfidential(metadata) && !keeps ? updated.secrets[0] : undefined;
  const { registration_token_digest, registration_token_sealed } = client;
  return {
    client: {
      ...updated,
      secrets: isConfidential(metadata) && keeps ? client.secrets : updated.secrets,
      registration_token_digest,
      registration_token_sealed,
    },
    secret: made,
    dropped,
  };
}

/**
 * Says whether a request only repeats the default scope that the server gave the client. Such a client keeps its default: the
 * whole response of a registration can be sent back.
 */
function echoesDefaultScope(client: StoredClient, { members: { scope } }: JsonObject): boolean {
  if (typeof scope !== 'string' || metadataOf(client).scope !== undefined) return false;
  const given = defaultScope(client);
  return given.length > 0 && scope === given.join(' ');
}

function withoutScope(request: JsonObject): JsonObject {
  return {
    members: { ...request.members, scope: null },
    source: (name) => request.source(name),
  };
}

/**
 * Returns the privileges of the registration token: those of the registration, and those that a trusted
 * software statement of this request adds.
 */
function ownPrivileges(
  client: StoredClient,
  statement: SoftwareStatement | undefined,
): RegistrationPrivileges {
  const remembered = JSON.parse(client.privileges) as RegistrationPrivileges;
  return statement?.issuer.authorisesRegistration === true
    ? privilegesWithStatement(remembered, statement)
    : remembered;
}

/**
 * RFC 7592 §2.2: "The client MUST include its "client_id" …". Here it may be absent, but not name another
 * client (decision 9).
 */
function requireSameClient(client: StoredClient, request: JsonObject): void {
  const { client_id } = request.members;
  if (client_id === undefined || client_id === null || client_id === client.client_id) return;
  throw new OAuthError('invalid_request', {
    error_description: `client_id must be absent or ${quotedValue(client.client_id)}, the client of this URL`,
  });
}

/** The next renewal would undo a change of a client whose metadata is a document, or whose federation states them. */
export function requireOwnMetadata(client: StoredClient): void {
  if (client.document !== null)
    throw new OAuthError('invalid_request', {
      error_description:
        'the metadata of this client is the document at its client_id; change the document, or delete the client and register it with preferred_client_id',
    });
  if (isFederated(client))
    throw new OAuthError('invalid_request', {
      error_description: `the federation of the entity ${quotedValue(entityOf(client))} states the metadata of this client; the entity changes its entity configuration, or a superior its policy, and the next registration or renewal applies that; DELETE removes the client`,
    });
}

export interface DeleteOptions {
  /** Whether the deletion is final: the client cannot be restored, and its former versions go. */
  readonly purge?: boolean;
}

/**
 * Deletes a client with its secrets, its registration token and all its tokens (RFC 7592 §2.3). It can be restored for
 * `history.deleted-lifetime`.
 */
export async function deleteClient(
  needs: RegistryNeeds,
  authenticate: Authenticate,
  trail: AuditTrail,
  { purge = false }: DeleteOptions = {},
): Promise<void> {
  await untilUncontested(needs, {
    find: authenticate,
    clientOf: managed,
    act: async (manager) => {
      const isKept = !purge && isKeptAfterDeletion(needs.settings, manager);
      const event = doneEvent(needs, trail, purge ? 'purged' : null);
      return { outcome: await storeEnd(needs, manager.client, event, isKept), result: undefined };
    },
  });
}

import type { StoredClient } from '../ports/client-store.ts';
import { OAuthError } from '../spec/errors.ts';
import type { JsonObject } from '../spec/json.ts';
import { ALL_PRIVILEGES, type RegistrationPrivileges } from '../spec/registration-privileges.ts';
import { type AuditTrail, doneEvent, record } from './audit-trail.ts';
import { storeChange, storeEnd, untilUncontested } from './change-client.ts';
import { metadataOf } from './registered-client.ts';
import { admitMetadata } from './registration/admit-metadata.ts';
import { privilegesByMaster } from './registration/privileges.ts';
import type { ClientManager } from './registration/registration-authority.ts';
import {
  privilegesWithStatement,
  type SoftwareStatement,
  type StatedRequest,
} from './registration/software-statement.ts';
import { withTokenPolicyOf } from './registration/token-policy.ts';
import { isConfidential } from './registration/validate-metadata.ts';
import type { RegistryNeeds } from './registry-needs.ts';
import { isLive, makeRegistrationToken, makeSecret, previousSecrets } from './secrets/client-secrets.ts';

/** Establishes anew who manages which client; called again whenever somebody else changed the client first. */
export type Authenticate = () => Promise<ClientManager>;

/** RFC 7592 §2.1; a secret that has expired is replaced once, and all parallel readers get that one (decision 10). */
export async function readClient(
  needs: RegistryNeeds,
  authenticate: Authenticate,
  trail: AuditTrail,
): Promise<StoredClient> {
  return await untilUncontested(authenticate, async ({ client }) => {
    const [secret] = client.secrets;
    const now = needs.clock.now();
    if (secret === undefined || isLive(secret, now)) {
      record(needs, doneEvent(needs, trail));
      return { outcome: 'done', result: client };
    }
    // An older secret may live longer than the newest one: an operator kept it when the secret was rotated.
    const kept = client.secrets.filter((one) => isLive(one, now));
    const secrets = [makeSecret(needs, client, metadataOf(client)), ...kept];
    const renewed = { ...client, version: client.version + 1, secrets };
    const event = doneEvent(needs, trail, 'expired secret renewed');
    return { outcome: await storeChange(needs, renewed, client.version, event), result: renewed };
  });
}

/** RFC 7592 §2.2: the request replaces the whole registration; registration token and secret are new. */
export async function updateClient(
  needs: RegistryNeeds,
  authenticate: Authenticate,
  stated: StatedRequest,
  trail: AuditTrail,
): Promise<StoredClient> {
  return await untilUncontested(authenticate, async (manager) => {
    const updated = await updatedClient(needs, manager, stated);
    const event = doneEvent(needs, trail);
    return { outcome: await storeChange(needs, updated, manager.client.version, event), result: updated };
  });
}

async function updatedClient(
  needs: RegistryNeeds,
  { kind, client }: ClientManager,
  { request, statement }: StatedRequest,
): Promise<StoredClient> {
  requireSameClient(client, request);
  const own = ownPrivileges(client, statement);
  const allowed = kind === 'master' ? ALL_PRIVILEGES : { ...own, token_policy: true };
  const admitted = await admitMetadata(needs, request, allowed, true);
  const validated = kind === 'master' ? admitted : withTokenPolicyOf(client, admitted);
  if (validated.preferred_client_id !== undefined && validated.preferred_client_id !== client.client_id) {
    throw new OAuthError('invalid_client_metadata', {
      error_description: 'preferred_client_id cannot change an identifier',
    });
  }
  const now = needs.clock.now();
  return {
    ...client,
    version: client.version + 1,
    metadata: JSON.stringify(validated.metadata),
    data: validated.data,
    secrets: isConfidential(validated.metadata)
      ? [
          makeSecret(needs, client, validated.metadata, validated.preferred_client_secret),
          ...previousSecrets(client, needs.settings.previousSecretGrace, now),
        ]
      : [],
    ...makeRegistrationToken(needs, client),
    privileges: JSON.stringify(kind === 'master' ? privilegesByMaster(validated) : own),
    // What the master token made of a shared client, the next identical registration does not mean any more.
    shared_digest: null,
  };
}

/** What the registration token permits: what was allowed before, and what somebody who authorises registrations now states. */
function ownPrivileges(
  client: StoredClient,
  statement: SoftwareStatement | undefined,
): RegistrationPrivileges {
  const remembered = JSON.parse(client.privileges) as RegistrationPrivileges;
  return statement?.issuer.authorisesRegistration === true
    ? privilegesWithStatement(remembered, statement)
    : remembered;
}

/** RFC 7592 §2.2: "The client MUST include its "client_id" …"; here it may be absent, but not another's (decision 9). */
function requireSameClient(client: StoredClient, request: JsonObject): void {
  const { client_id } = request.members;
  if (client_id === undefined || client_id === null || client_id === client.client_id) return;
  throw new OAuthError('invalid_request', {
    error_description: 'client_id is not the one of the addressed client',
  });
}

/** RFC 7592 §2.3. Ends the registration and with it its secret, its registration token and every token of it. */
export async function deleteClient(
  needs: RegistryNeeds,
  authenticate: Authenticate,
  trail: AuditTrail,
): Promise<void> {
  await untilUncontested(authenticate, async ({ client }) => ({
    outcome: await storeEnd(needs, client, doneEvent(needs, trail)),
    result: undefined,
  }));
}

import type { AuditEvent } from '../../ports/audit-log.ts';
import type { ClientChange, ClientConflict, StoredClient } from '../../ports/client-store.ts';
import type { ClientMetadata } from '../../spec/client-metadata.ts';
import type { ClientId } from '../../spec/identifiers.ts';
import { isKeptAfterDeletion, keptVersionsMax } from '../history/history-limits.ts';
import { requireAdminScopeOf } from '../registration/admin-scope.ts';
import { privilegesByMaster } from '../registration/privileges.ts';
import { newClient } from '../registration/register-client.ts';
import type { Registrant } from '../registration/registration-authority.ts';
import type { ValidatedMetadata } from '../registration/validate-metadata.ts';
import type { RegistryNeeds } from '../registry-needs.ts';
import { type DeclaredClient, declaresDefaultScope, leavesOpen } from './declared-client.ts';
import { declaredSecrets } from './declared-secret.ts';
import { admitDeclaration, type PlannedClient } from './plan-clients.ts';

/** A step, with the declaration that it brings about; a deletion has none. */
export interface ApplicableStep {
  readonly step: Pick<PlannedClient, 'action' | 'client_id' | 'seen' | 'adopted_from'>;
  readonly declared?: DeclaredClient;
}

/** Why a step was not applied: the client is not as the plan has seen it. */
export interface StepConflict {
  readonly client_id: ClientId;
  readonly reason: ClientConflict['reason'] | 'other_owner';
}

export interface ApplyOptions {
  readonly owner: string;
  readonly registrant: Registrant;
  /** Makes the audit event of one change; the caller logs it after the write. */
  readonly event: (members: Pick<AuditEvent, 'action' | 'client_id' | 'detail'>) => AuditEvent;
}

/** Steps that may be applied, and are not yet. */
export interface PreparedSteps {
  readonly changes: readonly ClientChange[];
  /** The clients of the steps as they are stored, in the order of the steps. */
  readonly before: readonly (StoredClient | undefined)[];
  /** Why they cannot be applied. */
  readonly conflicts: readonly StepConflict[];
}

/** Steps of one batch. Other writes of the tenant wait for a batch. */
export const BATCH_MAX = 500;

/**
 * Does everything up to the write.
 * @throws OAuthError if the server would refuse the registration of a declared client, or if a client of a step has rights that the
 * caller lacks
 */
export async function prepareSteps(
  needs: RegistryNeeds,
  steps: readonly ApplicableStep[],
  options: ApplyOptions,
): Promise<PreparedSteps> {
  const changes: ClientChange[] = [];
  const conflicts: StepConflict[] = [];
  const before = await Promise.all(steps.map(async ({ step }) => await needs.clients.find(step.client_id)));
  for (const [index, one] of steps.entries()) {
    const client = before[index];
    const reason = conflictOf(one, client, options.owner);
    if (client !== undefined) requireAdminScopeOf(client, options.registrant.privileges.admin_scope ?? []);
    if (reason === undefined) changes.push(...(await changesOf(needs, one, client, options)));
    else conflicts.push({ client_id: one.step.client_id, reason });
  }
  return { changes, before, conflicts };
}

/** Writes prepared steps in one transaction: all of them, or none. Returns why nothing was written. */
export async function storeSteps(
  { clients }: Pick<RegistryNeeds, 'clients'>,
  { changes, conflicts }: PreparedSteps,
): Promise<readonly StepConflict[]> {
  if (conflicts.length > 0) return conflicts;
  return (await clients.changeTogether(changes)).flatMap(({ index, reason }) => {
    const change = changes[index];
    return change === undefined ? [] : [{ client_id: change.client.client_id, reason }];
  });
}

/** Applies at most `BATCH_MAX` steps: all of them, or none. Returns why nothing was applied. */
export async function applyClients(
  needs: RegistryNeeds,
  steps: readonly ApplicableStep[],
  options: ApplyOptions,
): Promise<readonly StepConflict[]> {
  return await storeSteps(needs, await prepareSteps(needs, steps, options));
}

function conflictOf(
  { step }: ApplicableStep,
  client: StoredClient | undefined,
  owner: string,
): StepConflict['reason'] | undefined {
  const { seen, adopted_from } = step;
  if (seen === null) return client === undefined ? undefined : 'taken';
  if (client === undefined) return 'absent';
  if (client.instance !== seen.instance || client.version !== seen.version) return 'changed_meanwhile';
  const expected = adopted_from === undefined ? owner : adopted_from;
  return client.owner === expected ? undefined : 'other_owner';
}

async function changesOf(
  needs: RegistryNeeds,
  { step, declared }: ApplicableStep,
  client: StoredClient | undefined,
  options: ApplyOptions,
): Promise<readonly ClientChange[]> {
  const { client_id, adopted_from } = step;
  const detail = `${adopted_from === undefined ? 'declared' : 'adopted'} by ${options.owner}`;
  const eventOf = (action: AuditEvent['action']): AuditEvent => options.event({ action, client_id, detail });
  const deletion = (): ClientChange[] => {
    if (client === undefined) return [];
    const isKept = isKeptAfterDeletion(needs.settings, { kind: 'master', client });
    return [{ kind: 'delete', client, event: eventOf('client.delete'), isKept }];
  };
  if (step.action === 'delete') return deletion();
  if (declared === undefined) throw new Error(`the step for ${client_id} has no declaration`);
  const validated = await admitDeclaration(needs, declared, options.registrant);
  if (step.action === 'change' && client !== undefined) {
    const changed = changedClient(needs, client, validated, declared.client_secret, options);
    const event = eventOf('client.update');
    const versionsMax = keptVersionsMax(needs.settings);
    return [{ kind: 'replace', client: changed, expectedVersion: client.version, event, versionsMax }];
  }
  const { owner, registrant } = options;
  const created = { ...newClient(needs, registrant, validated), owner };
  return [...deletion(), { kind: 'create', client: created, event: eventOf('client.create') }];
}

function changedClient(
  needs: RegistryNeeds,
  client: StoredClient,
  validated: ValidatedMetadata,
  client_secret: string | undefined,
  { owner, registrant }: ApplyOptions,
): StoredClient {
  const keepsScope = declaresDefaultScope(client, validated.metadata);
  const { scope: _, ...others } = validated.metadata;
  const metadata = keepsScope ? (others as ClientMetadata) : validated.metadata;
  const { scope } = JSON.parse(client.privileges) as { readonly scope?: unknown };
  return {
    ...client,
    version: client.version + 1,
    metadata: JSON.stringify(metadata),
    data: validated.data,
    secrets: declaredSecrets(needs, client, metadata, client_secret),
    privileges: JSON.stringify({ ...privilegesByMaster(validated), ...(keepsScope ? { scope } : {}) }),
    // A client of open registration ends when it is idle. Its owner decides that from now on.
    registered_via: leavesOpen(client) ? registrant.name : client.registered_via,
    shared_digest: null,
    owner,
  };
}

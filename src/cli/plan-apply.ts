import { type ApplicableStep, BATCH_MAX, type StepConflict } from '../clients/declared/apply-clients.ts';
import type { DeclaredClient } from '../clients/declared/declared-client.ts';
import { CommandFailure } from './failure.ts';
import { applyTenantSteps } from './plan-apply-tenants.ts';
import type { GroupName, PlanBackend } from './plan-backend.ts';
import { batched } from './plan-batches.ts';
import type { Plan, PlanNeeds, Step } from './plan-make.ts';
import { secretOf } from './secret-reference.ts';

/** Why a batch was not applied: a client, or without `client_id` a tenant, is not as the plan has seen it. */
export interface Conflict extends GroupName {
  readonly client_id?: string;
  readonly reason: string;
}

/** Tells how far the steps of a plan were applied. */
export interface Report {
  readonly applied: number;
  /** Steps whose clients and tenants were as declared already, as after an apply that was interrupted. */
  readonly settled: number;
  /** Empty if all steps were applied. */
  readonly conflicts: readonly Conflict[];
  /** Steps of the batch with conflicts, and of those behind it. */
  readonly left: number;
}

export type ApplyNeeds = Pick<PlanNeeds, 'backend' | 'environment' | 'worldReadable'>;

/** Counts the steps of an apply. */
export interface Tally {
  applied: number;
  settled: number;
  readonly conflicts: Conflict[];
  /** Is called after each batch. */
  readonly progress: (applied: number) => void;
}

/**
 * Applies a plan in batches, each whole or not at all: tenants, then clients, and deletions of tenants last. Ends at the first batch
 * with a conflict, so that the same files can be planned and applied again.
 */
export async function applySteps(
  needs: ApplyNeeds,
  { tenants, steps }: Pick<Plan, 'tenants' | 'steps'>,
  progress: (applied: number) => void,
): Promise<Report> {
  const tally: Tally = { applied: 0, settled: 0, conflicts: [], progress };
  const deletions = tenants.filter(({ action }) => action === 'delete');
  const others = tenants.filter(({ action }) => action !== 'delete');
  await applyTenantSteps(needs, 'change', others, tally);
  if (tally.conflicts.length === 0) await applyClientSteps(needs, steps, tally);
  if (tally.conflicts.length === 0) await applyTenantSteps(needs, 'delete', deletions, tally);
  const { applied, settled, conflicts } = tally;
  const left = conflicts.length === 0 ? 0 : tenants.length + steps.length - applied - settled;
  return { applied, settled, conflicts, left };
}

/** A step without its metadata: identifier, version and secret. */
const STEP_BYTES = 600;

async function applyClientSteps(needs: ApplyNeeds, steps: readonly Step[], tally: Tally): Promise<void> {
  const groups = Map.groupBy(steps, ({ tenant, owner }) => JSON.stringify([tenant, owner]));
  const sizeOf = ({ metadata }: Step): number => STEP_BYTES + Buffer.byteLength(metadata ?? '');
  const most = needs.backend.batch ?? { steps: BATCH_MAX, bytes: Infinity };
  for (const batch of [...groups.values()].flatMap((group) => [...batched(group, sizeOf, most)])) {
    const [first] = batch;
    if (first === undefined) continue;
    const { tenant, owner } = first;
    const applicable = batch.map((step) => ({ step, ...declarationOf(needs, step) }));
    const open = await unsettled(needs.backend, first, applicable);
    tally.settled += applicable.length - open.length;
    const conflicts: readonly StepConflict[] =
      open.length === 0 ? [] : await needs.backend.apply(first, open);
    if (conflicts.length > 0)
      return void tally.conflicts.push(...conflicts.map((conflict) => ({ tenant, owner, ...conflict })));
    tally.applied += open.length;
    tally.progress(tally.applied);
  }
}

function declarationOf(
  needs: Pick<PlanNeeds, 'environment' | 'worldReadable'>,
  { client_id, metadata, client_secret }: Step,
): { readonly declared?: DeclaredClient } {
  if (metadata === undefined) return {};
  if (client_secret === undefined) return { declared: { client_id, metadata } };
  const read = secretOf(client_secret, needs.environment, needs.worldReadable);
  if ('problem' in read) throw new CommandFailure(`client ${client_id}: client_secret ${read.problem}`);
  return { declared: { client_id, metadata, client_secret: read.value } };
}

/** Returns the steps that the registry still needs: a plan may be applied again after an interruption. */
async function unsettled(
  backend: PlanBackend,
  group: GroupName,
  steps: readonly ApplicableStep[],
): Promise<readonly ApplicableStep[]> {
  const declared = steps.flatMap((one) => one.declared ?? []);
  const taking = {
    adopt: new Set(steps.flatMap(({ step }) => (step.adopted_from === undefined ? [] : [step.client_id]))),
    adoptTenants: new Set<string>(),
    adoptUnowned: false,
    replace: new Set<string>(),
  };
  const { steps: fresh, problems } = await backend.plan(group, declared, taking);
  const needed = new Set<string>([...fresh, ...problems].map(({ client_id }) => client_id));
  const removals = steps.filter(({ step }) => step.action === 'delete');
  const wanted = new Set(removals.map(({ step }) => step.client_id as string));
  const present = new Set(
    wanted.size === 0
      ? []
      : (await backend.prune(group, (client_id) => !wanted.has(client_id))).map(
          ({ client_id }) => client_id as string,
        ),
  );
  return steps.filter(({ step: { action, client_id } }) => {
    if (action === 'replace') return true;
    return action === 'delete' ? present.has(client_id) : needed.has(client_id);
  });
}

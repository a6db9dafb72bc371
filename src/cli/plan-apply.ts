import { type ApplicableStep, BATCH_MAX, type StepConflict } from '../clients/declared/apply-clients.ts';
import type { DeclaredClient } from '../clients/declared/declared-client.ts';
import { CommandFailure } from './failure.ts';
import type { GroupName, PlanBackend } from './plan-backend.ts';
import type { PlanNeeds, Step } from './plan-make.ts';
import { secretOf } from './secret-reference.ts';

/** Tells how far the steps of a plan were applied. */
export interface Report {
  readonly applied: number;
  /** Steps whose clients were as declared already, as after an apply that was interrupted. */
  readonly settled: number;
  /** Why a batch was not applied. Empty if all were. */
  readonly conflicts: readonly (StepConflict & GroupName)[];
  /** Steps of the batch with conflicts, and of those behind it. */
  readonly left: number;
}

/**
 * Applies steps in batches: each batch whole or not at all. Ends at the first batch with a conflict, so that the same files can be
 * planned and applied again.
 */
export async function applySteps(
  needs: Pick<PlanNeeds, 'backend' | 'environment' | 'worldReadable'>,
  steps: readonly Step[],
  progress: (applied: number) => void,
): Promise<Report> {
  let applied = 0;
  let settled = 0;
  for (const batch of batches(steps, needs.backend.batch)) {
    const [first] = batch;
    if (first === undefined) continue;
    const { tenant, owner } = first;
    const applicable = batch.map((step) => ({ step, ...declarationOf(needs, step) }));
    const open = await unsettled(needs.backend, first, applicable);
    settled += applicable.length - open.length;
    const conflicts = open.length === 0 ? [] : await needs.backend.apply(first, open);
    if (conflicts.length > 0) {
      const named = conflicts.map((conflict) => ({ tenant, owner, ...conflict }));
      return { applied, settled, conflicts: named, left: steps.length - applied - settled };
    }
    applied += open.length;
    progress(applied);
  }
  return { applied, settled, conflicts: [], left: 0 };
}

/** Returns the steps of each owner in turn, as many together as one transaction takes. */
function* batches(steps: readonly Step[], most: PlanBackend['batch']): Generator<readonly Step[]> {
  const groups = Map.groupBy(steps, ({ tenant, owner }) => JSON.stringify([tenant, owner]));
  for (const group of groups.values()) {
    let batch: Step[] = [];
    let bytes = 0;
    for (const step of group) {
      const size = STEP_BYTES + Buffer.byteLength(step.metadata ?? '');
      if (
        batch.length === (most?.steps ?? BATCH_MAX) ||
        (batch.length > 0 && bytes + size > (most?.bytes ?? Infinity))
      ) {
        yield batch;
        [batch, bytes] = [[], 0];
      }
      batch.push(step);
      bytes += size;
    }
    yield batch;
  }
}

/** A step without its metadata: identifier, version and secret. */
const STEP_BYTES = 600;

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

import {
  type ApplicableStep,
  type PreparedSteps,
  prepareSteps,
  type StepConflict,
  storeSteps,
} from '../../../clients/declared/apply-clients.ts';
import type { DeclaredClient } from '../../../clients/declared/declared-client.ts';
import { type PlannedClient, planClients } from '../../../clients/declared/plan-clients.ts';
import type { Registrant } from '../../../clients/registration/registration-authority.ts';
import type { RegistryNeeds } from '../../../clients/registry-needs.ts';
import type { ClientId } from '../../../spec/identifiers.ts';
import type { JsonValue } from '../../../spec/json.ts';
import { Problem } from '../../../spec/problems.ts';
import { ALL_PRIVILEGES } from '../../../spec/registration-privileges.ts';
import type { JsonMembers } from '../../json-body.ts';
import { acting, type Item, listing, type WriteCall } from '../operation.ts';
import { invalidParameters } from '../parameters.ts';
import { declarationApply, declarationPlan, ownedClientList } from './contract.ts';

export interface AdminDeclarationNeeds {
  readonly registry: RegistryNeeds;
}

export const adminDeclarations = [
  listing<AdminDeclarationNeeds>(ownedClientList, async ({ registry }, { query, page }) => {
    const { owner } = query;
    if (owner === undefined) throw invalidParameters([{ pointer: 'owner', detail: 'is required' }]);
    const after = page.after === undefined ? undefined : (String(page.after[0]) as ClientId);
    const found = await registry.clients.ofOwner(owner, after, page.limit + 1);
    const shown = found.slice(0, page.limit);
    const last = shown.at(-1);
    return {
      items: shown.map(({ client_id, instance, version, secrets }) => ({
        client_id,
        instance,
        version,
        has_secret: secrets.length > 0,
      })),
      next: found.length > shown.length && last !== undefined ? [last.client_id] : undefined,
    };
  }),
  acting<AdminDeclarationNeeds>(declarationPlan, async ({ registry }, call) => {
    const { owner, clients, adopt, adopt_unowned, replace } = call.body;
    const adopted = setOf(adopt);
    const replaced = setOf(replace);
    const plan = await planClients(registry, objectsOf(clients).map(declaredOf), {
      owner: textOf(owner),
      registrant: registrantOf(call),
      adopts: (client_id, other) => adopted.has(client_id) || (adopt_unowned === true && other === null),
      replaces: (client_id) => replaced.has(client_id),
    });
    const item = { ...plan };
    return { before: item, after: item, commit: async () => await Promise.resolve({ item }) };
  }),
  acting<AdminDeclarationNeeds>(declarationApply, async ({ registry }, call) => {
    const steps = objectsOf(call.body['steps']).map(stepOf);
    const prepared = await prepareSteps(registry, steps, {
      owner: textOf(call.body['owner']),
      registrant: registrantOf(call),
      event: (members) => call.event(members),
    });
    refuseConflicts(prepared.conflicts);
    const after = metadataAfter(prepared);
    const result = { applied: steps.length, clients: after };
    return {
      before: { applied: 0, clients: metadataBefore(steps, prepared) },
      after: result,
      commit: async () => {
        refuseConflicts(await storeSteps(registry, prepared));
        return { item: result };
      },
    };
  }),
];

/** The caller may give what it holds itself. */
const registrantOf = ({ caller, remoteAddress }: WriteCall): Registrant => ({
  kind: 'master',
  name: caller.actor,
  privileges: { ...ALL_PRIVILEGES, admin_scope: caller.scope },
  remoteAddress,
});

/** The schema of the body has been checked: these are objects. */
const objectsOf = (value: JsonValue | undefined): readonly JsonMembers[] =>
  (value ?? []) as readonly JsonMembers[];

const textOf = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');

const setOf = (value: JsonValue | undefined): ReadonlySet<string> =>
  new Set((value ?? []) as readonly string[]);

function declaredOf({ client_id, metadata, client_secret }: JsonMembers): DeclaredClient {
  return {
    client_id: textOf(client_id) as ClientId,
    metadata: JSON.stringify(metadata),
    ...(client_secret === undefined ? {} : { client_secret: textOf(client_secret) }),
  };
}

function stepOf(members: JsonMembers, index: number): ApplicableStep {
  const { action, client_id, seen, adopted_from, metadata } = members;
  const step = {
    action,
    client_id,
    seen,
    ...(adopted_from === undefined ? {} : { adopted_from }),
  } as unknown as PlannedClient;
  if (action === 'delete') return { step };
  if (metadata !== undefined) return { step, declared: declaredOf(members) };
  const pointer = `/steps/${index}/metadata`;
  const detail = 'is required, unless the action is delete';
  throw new Problem('invalid_body', `${pointer} ${detail}`, { errors: [{ pointer, detail }] });
}

const REASONS: Readonly<Record<StepConflict['reason'], string>> = {
  taken: 'was registered meanwhile',
  absent: 'was deleted meanwhile',
  changed_meanwhile: 'was changed meanwhile',
  other_owner: 'has another owner now',
};

function refuseConflicts(conflicts: readonly StepConflict[]): void {
  if (conflicts.length === 0) return;
  const errors = conflicts.map(({ client_id, reason }) => ({ pointer: client_id, detail: REASONS[reason] }));
  const [first] = errors;
  const more = errors.length > 1 ? `, and ${errors.length - 1} more clients` : '';
  throw new Problem(
    'conflict',
    `nothing was applied: ${first?.pointer ?? ''} ${first?.detail ?? ''}${more}`,
    { errors },
  );
}

function metadataBefore(steps: readonly ApplicableStep[], { before }: PreparedSteps): Item {
  return Object.fromEntries(steps.map(({ step }, index) => [step.client_id, shown(before[index])]));
}

function metadataAfter({ changes }: PreparedSteps): Item {
  return Object.fromEntries(
    changes.map((change) => [
      change.client.client_id,
      change.kind === 'delete' ? null : shown(change.client),
    ]),
  );
}

function shown(
  client:
    | { readonly metadata: string; readonly data: string | null; readonly owner: string | null }
    | undefined,
): Item | null {
  if (client === undefined) return null;
  const data = client.data === null ? {} : { data: JSON.parse(client.data) as JsonValue };
  return { owner: client.owner, metadata: { ...(JSON.parse(client.metadata) as object), ...data } };
}

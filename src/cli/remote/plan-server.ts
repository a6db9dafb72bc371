import type { ApplicableStep, StepConflict } from '../../clients/declared/apply-clients.ts';
import type { DeclaredClient } from '../../clients/declared/declared-client.ts';
import type { ClientPlan, PlannedClient } from '../../clients/declared/plan-clients.ts';
import type { GroupName, PlanBackend, TakingOver } from '../plan-backend.ts';
import type { Server } from './server.ts';

/** Bytes of one request. A server takes `limits.body`, 65,536 unless it is set. */
const BODY_BYTES_MAX = 57_344;
/** Clients of one request. */
const CLIENTS_MAX = 500;

/** Plans on a server, over its administration API. */
export class ServerBackend implements PlanBackend {
  readonly issuer: string;
  /** A request is one transaction, and a body has a limit. */
  readonly batch = { bytes: BODY_BYTES_MAX, steps: CLIENTS_MAX };
  readonly #open: (tenant: string) => Server;

  /** @param open returns the API of a tenant */
  constructor(issuer: string, open: (tenant: string) => Server) {
    this.issuer = issuer;
    this.#open = open;
  }

  async plan(
    { tenant, owner }: GroupName,
    declared: readonly DeclaredClient[],
    { adopt, adoptUnowned, replace }: TakingOver,
  ): Promise<ClientPlan> {
    const parts: ClientPlan[] = [];
    for (const clients of portions(declared.map(inBody))) {
      const body = { owner, clients, adopt: [...adopt], adopt_unowned: adoptUnowned, replace: [...replace] };
      const { json } = await this.#open(tenant).send('admin-declaration-plan', { body });
      parts.push(json as ClientPlan);
    }
    return {
      steps: parts.flatMap(({ steps }) => steps),
      problems: parts.flatMap(({ problems }) => problems),
      dropped: parts.flatMap(({ dropped }) => dropped),
    };
  }

  async prune(
    { tenant, owner }: GroupName,
    isDeclared: (client_id: string) => boolean,
  ): Promise<readonly PlannedClient[]> {
    const steps: PlannedClient[] = [];
    for await (const page of this.#open(tenant).pages('admin-declaration-list', { query: { owner } })) {
      for (const item of page as readonly unknown[] as readonly OwnedClient[]) {
        const { client_id, instance, version, has_secret } = item;
        if (isDeclared(client_id)) continue;
        const secret = has_secret ? 'removed' : 'none';
        steps.push({ action: 'delete', client_id, seen: { instance, version }, changes: [], secret });
      }
    }
    return steps;
  }

  async apply(
    { tenant, owner }: GroupName,
    steps: readonly ApplicableStep[],
  ): Promise<readonly StepConflict[]> {
    const body = { owner, steps: steps.map(stepInBody) };
    await this.#open(tenant).send('admin-declaration-apply', { body });
    return [];
  }
}

type OwnedClient = Pick<PlannedClient, 'client_id'> &
  NonNullable<PlannedClient['seen']> & { readonly has_secret: boolean };

function inBody({ client_id, metadata, client_secret }: DeclaredClient): object {
  return { client_id, metadata: JSON.parse(metadata) as object, client_secret };
}

/** Renders a step as the operation takes it. */
function stepInBody({ step, declared }: ApplicableStep): object {
  const { action, client_id, seen, adopted_from } = step;
  return { action, client_id, seen, adopted_from, ...(declared === undefined ? {} : inBody(declared)) };
}

function* portions(items: readonly object[]): Generator<readonly object[]> {
  let portion: object[] = [];
  let bytes = 0;
  for (const item of items) {
    const size = Buffer.byteLength(JSON.stringify(item)) + 1;
    if (portion.length > 0 && (bytes + size > BODY_BYTES_MAX || portion.length === CLIENTS_MAX)) {
      yield portion;
      portion = [];
      bytes = 0;
    }
    portion.push(item);
    bytes += size;
  }
  if (portion.length > 0) yield portion;
}

import type { ApplicableStep, StepConflict } from '../../clients/declared/apply-clients.ts';
import type { DeclaredClient } from '../../clients/declared/declared-client.ts';
import type { ClientPlan, PlannedClient } from '../../clients/declared/plan-clients.ts';
import type { JsonValue } from '../../spec/json.ts';
import type { GroupName, PlanBackend, TakingOver, TenantBackend } from '../plan-backend.ts';
import { batched } from '../plan-batches.ts';
import { ServerTenants } from './plan-tenants-server.ts';
import { BODY_BYTES_MAX, sizeInBody } from './portion.ts';
import type { Server } from './server.ts';

/** Clients of one request. */
const CLIENTS_MAX = 500;

/** Plans on a server, over its administration API. */
export class ServerBackend implements PlanBackend {
  readonly issuer: string;
  /** A request is one transaction, and a body has a limit. */
  readonly batch = { bytes: BODY_BYTES_MAX, steps: CLIENTS_MAX };
  readonly tenants: TenantBackend;
  readonly #open: (tenant: string) => Server;
  readonly #warn: (line: string) => void;

  /** @param open returns the API of a tenant */
  constructor(issuer: string, open: (tenant: string) => Server, warn: (line: string) => void) {
    this.issuer = issuer;
    this.tenants = new ServerTenants(open);
    this.#open = open;
    this.#warn = warn;
  }

  async plan(
    { tenant, owner }: GroupName,
    declared: readonly DeclaredClient[],
    { adopt, adoptUnowned, replace }: TakingOver,
  ): Promise<ClientPlan> {
    const parts: ClientPlan[] = [];
    for (const clients of batched(declared.map(inBody), sizeInBody, PORTION)) {
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

  /** A server opens no tenant that is not there, so it checks these clients when they are applied. */
  async planOfNew({ tenant }: GroupName, declared: readonly DeclaredClient[]): Promise<ClientPlan> {
    if (declared.length > 0)
      this.#warn(
        `the tenant ${tenant} is new: the server checks its ${declared.length} clients when it is there`,
      );
    return await Promise.resolve({ steps: declared.map(uncheckedCreation), problems: [], dropped: [] });
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

function uncheckedCreation({ client_id, metadata, client_secret }: DeclaredClient): PlannedClient {
  const members = Object.entries(JSON.parse(metadata) as Readonly<Record<string, JsonValue>>);
  const changes = members.map(([name, after]) => ({ path: `/${name}`, after }));
  const secret = client_secret === undefined ? 'none' : 'given';
  return { action: 'create', client_id, seen: null, changes, secret };
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

const PORTION = { bytes: BODY_BYTES_MAX, steps: CLIENTS_MAX };

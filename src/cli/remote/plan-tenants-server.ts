import type {
  ApplicableTenant,
  DeclaredTenant,
  TenantPlan,
  TenantStepConflict,
} from '../../ports/declared-tenants.ts';
import { DEFAULT_TENANT } from '../../spec/identifiers.ts';
import type { OwnedTenant, TakingOver, TenantBackend } from '../plan-backend.ts';
import { batched } from '../plan-batches.ts';
import { BODY_BYTES_MAX, sizeInBody } from './portion.ts';
import type { Server } from './server.ts';

/** Tenants of one request. */
const PORTION = { bytes: BODY_BYTES_MAX, steps: 100 };

/** The tenants of a server, over the administration API of its default tenant. */
export class ServerTenants implements TenantBackend {
  readonly #open: (tenant: string) => Server;

  /** @param open returns the API of a tenant */
  constructor(open: (tenant: string) => Server) {
    this.#open = open;
  }

  async plan(
    owner: string,
    declared: readonly DeclaredTenant[],
    { adoptTenants, adoptUnowned }: TakingOver,
  ): Promise<TenantPlan> {
    const parts: TenantPlan[] = [];
    for (const tenants of batched(declared, sizeInBody, PORTION)) {
      const body = { owner, tenants, adopt: [...adoptTenants], adopt_unowned: adoptUnowned };
      const { json } = await this.#open(DEFAULT_TENANT).send('admin-tenant-declaration-plan', { body });
      parts.push(json as TenantPlan);
    }
    return {
      steps: parts.flatMap(({ steps }) => steps),
      problems: parts.flatMap(({ problems }) => problems),
    };
  }

  async ownedBy(owner: string): Promise<readonly OwnedTenant[]> {
    const found: OwnedTenant[] = [];
    const server = this.#open(DEFAULT_TENANT);
    for await (const page of server.pages('admin-tenant-declaration-list', { query: { owner } }))
      found.push(...(page as readonly unknown[] as readonly OwnedTenant[]));
    return found;
  }

  /** A conflict is a refusal of the server, whose words are those of the command. */
  async apply(owner: string, steps: readonly ApplicableTenant[]): Promise<readonly TenantStepConflict[]> {
    const body = { owner, steps: steps.map(stepInBody) };
    await this.#open(DEFAULT_TENANT).send('admin-tenant-declaration-apply', { body });
    return [];
  }
}

/** Renders a step as the operation takes it. */
function stepInBody({ step: { action, id, seen, adopted_from }, declared }: ApplicableTenant): object {
  return { action, id, seen, adopted_from, ...declared };
}

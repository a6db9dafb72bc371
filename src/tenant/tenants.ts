import type { Tenancy } from '../http/tenancy.ts';
import { type Awaitable, whenKnown } from '../spec/awaitable.ts';
import { DEFAULT_TENANT } from '../spec/identifiers.ts';
import { followJournal } from '../storage/journal-follower.ts';
import { startRounds } from '../system/rounds.ts';
import type { TenantInService } from './in-service.ts';
import { type TenantsNeeds, tenantRegister } from './register.ts';
import type { Tenant } from './tenant.ts';

/** The default tenant, and those of the table as they come and go. */
export interface Tenants {
  readonly first: Tenant;
  readonly tenancy: Tenancy;
  /** Those that are not disabled, the default one first. */
  all(): Promise<readonly TenantInService[]>;
  close(): Promise<void>;
}

/** Of a tenant that was disabled a moment ago. */
const NOTHING = { find: () => undefined };

/**
 * Opens the default tenant; the others are opened when they are first called. The version of the table is read before a
 * choice is made, so a change shows in the next request: except that a server without tenants looks for the first one
 * every `storage.tenant-check-interval`, or when a request is for nobody it knows.
 */
export async function openTenants(needs: TenantsNeeds): Promise<Tenants> {
  const { settings, storage, log } = needs;
  const register = tenantRegister(needs);
  const follower = followJournal(
    { head: () => storage.tenants.version(), since: () => undefined },
    () => undefined,
  );
  let adopted = 0;
  const catchUp = (): Awaitable<void> =>
    whenKnown(follower.catchUp(), () => {
      const lessons = follower.lessons();
      if (lessons === adopted) return undefined;
      return whenKnown(storage.tenants.all(), (tenants) => {
        // A list that was asked for earlier may arrive later.
        if (lessons <= adopted) return;
        adopted = lessons;
        register.adopt(tenants);
      });
    });
  const lookForFirst = async (): Promise<void> => {
    if (!register.names().several) await catchUp();
  };
  await catchUp();
  const first = await register.find(DEFAULT_TENANT)?.opened();
  if (first === undefined) throw new Error('there is no default tenant');
  const looking = startRounds(settings['storage.tenant-check-interval'], lookForFirst, {
    log,
    failure: 'the tenants could not be read',
  });
  return {
    first,
    tenancy: {
      several: () => register.names().several,
      names: () => whenKnown(catchUp(), () => register.names()),
      router: ({ tenant, issuer }) => register.find(tenant)?.router(issuer) ?? NOTHING,
    },
    async all() {
      await catchUp();
      return register.all();
    },
    async close() {
      await looking.stop();
      await Promise.all(register.all().map((tenant) => tenant.close()));
    },
  };
}

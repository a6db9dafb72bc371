import type { Elapsed } from '../system/clock.ts';

/** A tenant that is open, as far as it matters for which one is closed. */
export interface OpenTenant {
  /** Closes the tenant. The next request opens it again. */
  release(): void;
}

/** The place of an open tenant among the others. */
export interface TenantPlace {
  /** Counts a request. */
  called(): void;
  /** Gives the place back. Called when the tenant is closed, for whatever reason. */
  leave(): void;
}

/**
 * Limits the number of open tenants, and so their caches. A stranger who calls one tenant after the other does not close
 * those in regular use: they are closed only when no other is open. Among the others, the network that had most of them
 * opened loses its own.
 */
export interface OpenTenants {
  /** Opens a place, and closes another tenant if there is no room. @param network whose request opened the tenant */
  opened(tenant: OpenTenant, network: string): TenantPlace;
}

/** A tenant is in regular use if it is called again after this time. A scan comes back to a tenant at once, or after it was closed. */
const REGULAR_AFTER_S = 10;
/** The share of places for tenants in regular use. The rest lets new ones come into regular use. */
const REGULAR_SHARE = 0.8;

interface Place {
  readonly tenant: OpenTenant;
  readonly network: string;
  /** The number of its last request, in the order of all requests. */
  lastCall: number;
  /** When the tenant was opened, or lost its regular place. */
  since: number;
}

/** @param onFirstRelease called once: more tenants are called than may be open */
export function openTenantsUpTo(max: number, elapsed: Elapsed, onFirstRelease: () => void): OpenTenants {
  const regulars = new Set<Place>();
  const others = new Set<Place>();
  const regularsMax = Math.floor(max * REGULAR_SHARE);
  let calls = 0;
  let wasReleased = false;

  const becomeRegular = (place: Place): void => {
    others.delete(place);
    regulars.add(place);
    if (regulars.size <= regularsMax) return;
    const demoted = leastRecent(regulars);
    if (demoted === undefined) return;
    regulars.delete(demoted);
    demoted.since = elapsed.seconds();
    others.add(demoted);
  };
  const release = (place: Place | undefined): void => {
    if (place === undefined) return;
    regulars.delete(place);
    others.delete(place);
    place.tenant.release();
    if (!wasReleased) onFirstRelease();
    wasReleased = true;
  };
  return {
    opened(tenant, network) {
      if (regulars.size + others.size >= max)
        release(leastRecent(ofGreatest(others)) ?? leastRecent(regulars));
      calls += 1;
      const place: Place = { tenant, network, lastCall: calls, since: elapsed.seconds() };
      others.add(place);
      return {
        called() {
          calls += 1;
          place.lastCall = calls;
          if (others.has(place) && elapsed.seconds() - place.since >= REGULAR_AFTER_S) becomeRegular(place);
        },
        leave() {
          regulars.delete(place);
          others.delete(place);
        },
      };
    },
  };
}

/** Returns the places of the network that has most of them. */
function ofGreatest(places: ReadonlySet<Place>): readonly Place[] {
  const byNetwork = Map.groupBy(places, ({ network }) => network);
  return byNetwork
    .values()
    .reduce<readonly Place[]>((most, each) => (each.length > most.length ? each : most), []);
}

function leastRecent(places: Iterable<Place>): Place | undefined {
  let found: Place | undefined;
  for (const place of places) if (found === undefined || place.lastCall < found.lastCall) found = place;
  return found;
}

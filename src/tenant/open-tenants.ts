/** A tenant that is open, as far as it matters for which one is closed. */
export interface OpenTenant {
  /** When it was called last, in the order of all calls (`OpenTenants.called`). */
  lastCall(): number;
  /** Closes it; it is opened again when it is called again. */
  release(): void;
}

/** Bounds how many tenants are open at once, and with them their caches: for one more the one that was called longest ago is closed. */
export interface OpenTenants {
  /** The number of this call. */
  called(): number;
  opened(tenant: OpenTenant): void;
  /** It is closed, whoever did that. */
  left(tenant: OpenTenant): void;
}

/** @param onFirstRelease called once: more tenants are called than may be open */
export function openTenantsUpTo(max: number, onFirstRelease: () => void): OpenTenants {
  const open = new Set<OpenTenant>();
  let calls = 0;
  let wasReleased = false;
  return {
    called() {
      calls += 1;
      return calls;
    },
    opened(tenant) {
      let oldest: OpenTenant | undefined;
      if (open.size >= max) {
        for (const each of open)
          if (oldest === undefined || each.lastCall() < oldest.lastCall()) oldest = each;
      }
      open.add(tenant);
      if (oldest === undefined) return;
      open.delete(oldest);
      oldest.release();
      if (!wasReleased) onFirstRelease();
      wasReleased = true;
    },
    left: (tenant) => void open.delete(tenant),
  };
}

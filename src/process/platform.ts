import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Settings } from '../config/settings.ts';
import { joseJwtSigner } from '../jose/compact-jws.ts';
import { joseJweDecrypter, joseJweEncrypter } from '../jose/jwe.ts';
import { joseJwtVerifier, jwtInspectorWith } from '../jose/jwt-verifier.ts';
import { keyMaker } from '../jose/private-keys.ts';
import { SIGNATURES_ON_POOL, type Signatures, signaturesFor } from '../jose/signatures.ts';
import { openOutboundHttp, type ProcessOutbound } from '../outbound/outbound-http.ts';
import { rememberedThemes } from '../pages/liquid-pages.ts';
import type { Clock } from '../ports/clock.ts';
import type { FetchOutcome, Metrics } from '../ports/metrics.ts';
import { FETCH_PURPOSES, type FetchPurpose } from '../ports/outbound-http.ts';
import type { PasswordHasher } from '../ports/password-hasher.ts';
import type { Sealer } from '../ports/sealer.ts';
import { samlAssertionVerifier } from '../saml/assertion-verifier.ts';
import type { ProcessCaches } from '../spec/caches.ts';
import { parsePortRange } from '../spec/port-range.ts';
import type { CatchUpReport } from '../storage/journal-follower.ts';
import { withRecordCache } from '../storage/record-cache.ts';
import { systemClock } from '../system/clock.ts';
import { argon2PasswordHasher } from '../system/password-hasher.ts';
import { systemRandom } from '../system/random.ts';
import { compileSchema } from '../system/schema-compiler.ts';
import { sealerForTenant } from '../system/sealer.ts';
import type { Jose, Platform } from '../tenant/platform.ts';
import { type ProcessStreams, processStreams } from './streams.ts';
import { type ProcessTracing, withSpans } from './tracing.ts';

/** Parts of the platform that the caller has opened already. */
export interface OpenedParts
  extends Pick<
    Platform,
    'storage' | 'log' | 'certificateAuthorities' | 'development' | 'server' | 'clientPagesFor'
  > {
  readonly metrics: Pick<Metrics, 'count' | 'counter' | 'gauge' | 'observe' | 'set'>;
  /** Absent for commands. */
  readonly tracing?: ProcessTracing;
  readonly settings: Settings;
  readonly caches: ProcessCaches;
  readonly sealer: Sealer;
  /** Absent for commands, which have none. */
  readonly streams?: ProcessStreams;
  /** The clock for requests. The default is that of the machine. */
  readonly clock?: Clock;
  /** Origins of every issuer here: the server does not fetch from itself. */
  readonly ownOrigins: ReadonlySet<string>;
}

/** The platform of a process. Each tenant gets an `outbound` of its own by `outbound.apart`. */
export interface ProcessPlatform extends Platform {
  readonly outbound: ProcessOutbound;
  /** Each tenant gets `caches.forTenant()`. */
  readonly caches: ProcessCaches;
}

/** Signs and verifies by a clock. */
const joseBy = (clock: Clock, signatures: Signatures): Jose => ({
  signer: joseJwtSigner(signatures),
  verifier: joseJwtVerifier(clock, signatures.isSignature),
  inspector: jwtInspectorWith(signatures.isSignature),
  encrypter: joseJweEncrypter,
  decrypter: joseJweDecrypter(),
  keyMaker,
});

/** Signs and verifies by the clock of the machine. */
export const systemJose: Jose = joseBy(systemClock, SIGNATURES_ON_POOL);

/** Puts the platform of production together. */
export function openPlatform({
  settings,
  sealer,
  ownOrigins,
  clock = systemClock,
  ...opened
}: OpenedParts): ProcessPlatform {
  const { metrics } = opened;
  const outbound = openOutbound(
    settings,
    ownOrigins,
    (purpose, outcome) => metrics.count('chancery_outbound_fetches_total', { purpose, outcome }),
    opened.tracing,
  );
  metrics.gauge('chancery_outbound_queue', () =>
    FETCH_PURPOSES.flatMap((purpose) =>
      Object.entries(outbound.lengths(purpose)).map(
        ([state, length]) => [{ purpose, state }, length] as const,
      ),
    ),
  );
  const platform: ProcessPlatform = {
    clock,
    ...(opened.streams ?? processStreams(settings)),
    sleep: async (seconds) => await sleep(seconds * 1000, undefined, { ref: false }),
    random: systemRandom,
    jose: joseBy(clock, signaturesFor(availableParallelism())),
    saml: samlAssertionVerifier(),
    compileSchema,
    outbound,
    storage: opened.storage,
    cached: (storage, limits, caches) => withRecordCache(storage, limits, caches, journalReport(metrics)),
    caches: opened.caches,
    sealerFor: (tenant) => sealerForTenant(sealer, tenant),
    passwords: openPasswords(settings),
    openPages: rememberedThemes(opened.caches, (line) => opened.log.warn({}, line)),
    log: opened.log,
    metrics,
    certificateAuthorities: opened.certificateAuthorities,
    ...(opened.clientPagesFor === undefined ? {} : { clientPagesFor: opened.clientPagesFor }),
    ...(opened.server === undefined ? {} : { server: opened.server }),
    ...(opened.development === undefined ? {} : { development: opened.development }),
  };
  return withSpans(platform, opened.tracing);
}

/** Opens the HTTP client of a process. `count` counts the ends of fetches. */
export function openOutbound(
  settings: Settings,
  ownOrigins: ReadonlySet<string>,
  count: (purpose: FetchPurpose, outcome: FetchOutcome) => void = () => undefined,
  tracing?: ProcessTracing,
): ProcessOutbound {
  return openOutboundHttp(
    {
      allowHttp: settings['outbound.allow-http'],
      ports: settings['outbound.ports'].flatMap((ports) => parsePortRange(ports) ?? []),
      allowNetworks: settings['outbound.allow-networks'],
      ownOrigins,
      timeoutMs: settings['outbound.timeout'] * 1000,
      bodyMax: settings['outbound.body-limit'],
      fetchesPerHost: settings['outbound.fetches-per-host'],
      fetchesPerAddress: settings['outbound.fetches-per-address'],
      fetches: settings['outbound.fetches'],
      negativeCacheMs: settings['outbound.negative-cache'] * 1000,
    },
    { clock: systemClock, count, ...(tracing === undefined ? {} : { tracing }) },
  );
}

/** Opens one hasher for a process: it bounds the threads and the memory that passwords take. */
function openPasswords(settings: Settings): PasswordHasher {
  return argon2PasswordHasher(
    {
      parameters: {
        memoryKib: settings['password.memory'],
        passes: settings['password.passes'],
        lanes: settings['password.lanes'],
      },
      concurrency: settings['password.concurrency'],
      waitingMax: settings['password.waiting-max'],
    },
    systemRandom,
  );
}

/** Counts what the caches of this process learn from the journals of its tenants. */
function journalReport(metrics: OpenedParts['metrics']): CatchUpReport {
  const reset = metrics.counter('chancery_journal_resets_total', {});
  return (changes, isReset) => {
    metrics.set('chancery_journal_lag', {}, changes);
    metrics.count('chancery_journal_changes_total', {}, Math.max(0, changes));
    if (isReset) reset();
  };
}

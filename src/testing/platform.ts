import { hash } from 'node:crypto';
import { type OpenStreams, openStreams } from '../events/streams.ts';
import { joseJwtSigner } from '../jose/compact-jws.ts';
import { joseJweDecrypter, joseJweEncrypter } from '../jose/jwe.ts';
import { joseJwtInspector, joseJwtVerifier } from '../jose/jwt-verifier.ts';
import { keyMaker } from '../jose/private-keys.ts';
import { readCertificateAuthorities } from '../keys/certificate.ts';
import { openPages } from '../pages/liquid-pages.ts';
import type { Backups } from '../ports/backup-store.ts';
import type { Clock } from '../ports/clock.ts';
import type { DevelopmentFacts } from '../ports/development.ts';
import type { KeyKind, KeyMaker } from '../ports/key-maker.ts';
import type { Log } from '../ports/log.ts';
import type { OutboundForms, OutboundHttp } from '../ports/outbound-http.ts';
import type { Pages } from '../ports/pages.ts';
import type { PasswordHasher } from '../ports/password-hasher.ts';
import type { Random } from '../ports/random.ts';
import type { Sealer } from '../ports/sealer.ts';
import type { ServerFacts } from '../ports/server-facts.ts';
import type { TenantStorage } from '../ports/storage.ts';
import { samlAssertionVerifier } from '../saml/assertion-verifier.ts';
import type { JsonWebKey } from '../spec/jwk.ts';
import { withRecordCache } from '../storage/record-cache.ts';
import { argon2PasswordHasher } from '../system/password-hasher.ts';
import { systemRandom } from '../system/random.ts';
import { compileSchema } from '../system/schema-compiler.ts';
import { sealerForTenant, sealerWith } from '../system/sealer.ts';
import type { Platform } from '../tenant/platform.ts';
import { backupsInMemory } from './backups.ts';
import { ampleCaches } from './caches.ts';
import { aTenant } from './storage/stored-examples.ts';
import { emptyTenantStorage, sharedTenants } from './storage.ts';
import { type Watch, watched } from './watched-storage.ts';

/** The time at which the clock of a test platform starts, in seconds since the epoch. */
export const START = 1_800_000_000;

/** As little work as Argon2 allows. */
export const QUICK = { memoryKib: 8, passes: 1, lanes: 1 };

export interface TestClock extends Clock {
  /** Moves the time forward, and wakes those who sleep until then. */
  advance(seconds: number): void;
}

export interface LoggedLine {
  readonly members: Readonly<Record<string, unknown>>;
  readonly message: string;
}

/** One addition to a counter. */
export interface Counted {
  readonly name: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly by: number;
}

/** A platform in memory: nothing leaves the process, and only the test moves the clock. */
export interface TestPlatform extends Platform {
  readonly clock: TestClock;
  readonly streams: OpenStreams;
  readonly backups: Backups;
  readonly revocationStreams: OpenStreams;
  readonly lines: readonly LoggedLine[];
  /** The outcomes of attempts to notify clients of a logout. */
  readonly logoutAttempts: readonly string[];
  /** The additions to counters, in order. */
  readonly counted: readonly Counted[];
  /** The storage of the tenant on this platform, with its cache: the same data behind the watch's back. */
  readonly unwatched: TenantStorage;
  /** The same storage as the tenant sees it. */
  readonly watchedStorage: TenantStorage;
  /** Sees each call of a storage verb, above the cache. */
  readonly watch: Watch;
}

export interface TestPlatformOptions {
  /** Answers what is fetched; without it every fetch fails. */
  readonly outbound?: Partial<OutboundHttp & OutboundForms> | undefined;
  /** PEM of the authorities that may vouch for certificates of clients. */
  readonly certificateAuthorities?: readonly string[] | undefined;
  readonly passwords?: PasswordHasher;
  readonly random?: Partial<Random>;
  /** The default has a key of its own. */
  readonly sealer?: Sealer;
  /** Facts that differ from those of an ordinary server. */
  readonly server?: Partial<ServerFacts>;
  /** The default is a folder in memory. */
  readonly backups?: Backups;
  /** Makes a development server of it. */
  readonly development?: DevelopmentFacts;
}

/** Refuses to reach anything: a test names what it fetches. */
const NO_WAY_OUT: OutboundHttp & OutboundForms = {
  urlProblem: () => undefined,
  get: async () => ({
    status: 'failed',
    reason: 'unresolvable',
    detail: 'endpoint tests reach no other server',
  }),
  askForm: async () => ({
    status: 'failed',
    reason: 'unresolvable',
    detail: 'endpoint tests reach no other server',
  }),
  postForm: async () => ({
    status: 'failed',
    reason: 'unresolvable',
    detail: 'endpoint tests reach no other server',
  }),
  postBody: async () => ({
    status: 'failed',
    reason: 'unresolvable',
    detail: 'endpoint tests reach no other server',
  }),
};

const SERVER: ServerFacts = {
  version: '0.1.0',
  node: '26.0.0',
  storage: 'sqlite',
  workers: 1,
  pid: 1234,
  started_at: START - 3600,
  origins: {},
  served: async () => ({ requests: { '2xx': 12, '4xx': 3 }, refusals: [] }),
  objects: async () => ({
    clients: 2,
    accounts: 1,
    sessions: 0,
    grants: 0,
    accessTokens: 5,
    clientVersions: 4,
  }),
  certificates: () => [],
};

const CACHE_SIZES = { clients: 1000, accessTokens: 1000 };
const SAML = samlAssertionVerifier();
const PASSWORDS = argon2PasswordHasher({ parameters: QUICK, concurrency: 2, waitingMax: 100 }, systemRandom);

export function testPlatform(options: TestPlatformOptions = {}): TestPlatform {
  const stored = emptyTenantStorage();
  const caches = ampleCaches();
  const unwatched = withRecordCache(stored, CACHE_SIZES, caches);
  const { storage: watchedStorage, watch } = watched(unwatched);
  const { clock, sleep } = testClock();
  const counted: Counted[] = [];
  const logoutAttempts: string[] = [];
  const lines: LoggedLine[] = [];
  const sealer = options.sealer ?? sealerWith([systemRandom.bytes(32)]);
  const authorities = readCertificateAuthorities((options.certificateAuthorities ?? []).join('')) ?? [];
  return {
    clock,
    sleep,
    streams: openStreams({ total: 8, perCaller: 3 }),
    revocationStreams: openStreams({ total: 8, perCaller: 3 }),
    random: { ...systemRandom, ...options.random },
    jose: {
      signer: joseJwtSigner(),
      verifier: joseJwtVerifier(clock),
      inspector: joseJwtInspector,
      encrypter: joseJweEncrypter,
      decrypter: joseJweDecrypter(),
      keyMaker: sharedKeys(),
    },
    saml: SAML,
    compileSchema,
    outbound: { ...NO_WAY_OUT, ...options.outbound },
    storage: {
      forTenant: () => stored,
      restoration: async () => undefined,
      tenants: { find: async (id) => ({ ...aTenant({ id }), cleared_at: null }) },
    },
    cached: () => watchedStorage,
    caches,
    tenants: { store: sharedTenants, mode: 'production' },
    backups: options.backups ?? backupsInMemory(() => clock.now()),
    sealerFor: (tenant) => sealerForTenant(sealer, tenant),
    passwords: options.passwords ?? PASSWORDS,
    openPages: pagesOnce,
    log: collectingLog(lines),
    metrics: {
      count(name, labels, by = 1) {
        counted.push({ name, labels, by });
        if ('outcome' in labels && name === 'chancery_logout_attempts_total')
          logoutAttempts.push(String(labels.outcome));
      },
      counter: (name, labels) => () => void counted.push({ name, labels, by: 1 }),
      observe: () => undefined,
    },
    certificateAuthorities: () => authorities,
    server: { ...SERVER, ...options.server },
    ...(options.development === undefined ? {} : { development: options.development }),
    lines,
    counted,
    logoutAttempts,
    unwatched,
    watchedStorage,
    watch,
  };
}

function testClock(): Pick<TestPlatform, 'clock' | 'sleep'> {
  let now = START;
  const sleepers: { readonly until: number; readonly wake: () => void }[] = [];
  const clock: TestClock = {
    now: () => now,
    milliseconds: () => now * 1000,
    advance(seconds) {
      now += seconds;
      for (const { until, wake } of sleepers) if (until <= now) wake();
    },
  };
  const sleep: Platform['sleep'] = async (seconds) =>
    await new Promise((wake) => void sleepers.push({ until: now + seconds, wake }));
  return { clock, sleep };
}

function collectingLog(lines: LoggedLine[]): Log {
  const note = (members: LoggedLine['members'], message: string): void =>
    void lines.push({ members, message });
  return { info: note, warn: note, error: note };
}

const KEYS = new Map<string, Promise<JsonWebKey>>();
const THUMBPRINTS = new Map<string, Promise<string>>();

/**
 * Makes keys and their thumbprints (RFC 7638) once for all tests of a process, because both are slow. Two keys of one tenant
 * differ; two tenants have the same keys. The secrets of each tenant are its own.
 */
export function sharedKeys(): KeyMaker {
  const made = new Map<KeyKind, number>();
  return {
    async makePrivateKey(kind) {
      const number = (made.get(kind) ?? 0) + 1;
      made.set(kind, number);
      const name = `${kind} ${number}`;
      const key = KEYS.get(name) ?? keyMaker.makePrivateKey(kind);
      KEYS.set(name, key);
      return { ...(await key) };
    },
    async thumbprint(jwk) {
      const { kty, k } = jwk;
      if (kty === 'oct') return hash('sha256', JSON.stringify({ k, kty }), 'base64url');
      const name = JSON.stringify(jwk);
      const thumbprint = THUMBPRINTS.get(name) ?? keyMaker.thumbprint(jwk);
      THUMBPRINTS.set(name, thumbprint);
      return await thumbprint;
    },
  };
}

const PAGES = new Map<string, Pages>();

/** Opens the pages of a theme once for all tests of a process. */
function pagesOnce(assetsPath: string, theme: string | undefined): Pages {
  const name = `${assetsPath} ${theme}`;
  const pages = PAGES.get(name) ?? openPages(assetsPath, theme);
  PAGES.set(name, pages);
  return pages;
}

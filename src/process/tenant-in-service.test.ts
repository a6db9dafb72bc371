import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { Settings } from '../config/settings.ts';
import { TenantsBusy } from '../http/tenancy.ts';
import type { TenantStorage } from '../ports/storage.ts';
import type { TenantId } from '../spec/identifiers.ts';
import type { Tenant } from '../tenant/tenant.ts';
import { openTenantsUpTo } from './open-tenants.ts';
import { type TenantInService, tenantInService } from './tenant-in-service.ts';
import { type OpeningLimits, tenantOpenings } from './tenant-openings.ts';

/** Tenants that open without work, in a time that stands still until it is moved. */
interface World {
  /** In order: `+a` opened, `-a` closed. */
  readonly events: string[];
  readonly warnings: readonly string[];
  /** For the metrics. */
  readonly counted: readonly string[];
  readonly tenant: (name: string) => TenantInService;
  /** Lets seconds pass, and everything that waited for them happen. */
  pass(seconds: number): Promise<void>;
  /** Holds openings until the returned function is called. */
  hold(): () => void;
}

const PLENTY: OpeningLimits = { perSecond: 1000, burst: 1000, waitingMax: 1000 };

function world(max: number, limits: OpeningLimits = PLENTY): World {
  const events: string[] = [];
  const warnings: string[] = [];
  const counted: string[] = [];
  const timers: { readonly at: number; readonly act: () => void }[] = [];
  let now = 0;
  let held: Promise<void> | undefined;
  const time = {
    seconds: () => now,
    later: (seconds: number, act: () => void) => void timers.push({ at: now + seconds, act }),
  };
  const among = {
    open: openTenantsUpTo(max, time, () => warnings.push('more')),
    openings: tenantOpenings(limits, time),
    count: (event: string) => void counted.push(event),
  };
  const made = new Map<string, TenantInService>();
  const service = (name: string): TenantInService => {
    const open = async (): Promise<Tenant> => {
      await held;
      events.push(`+${name}`);
      const close = async (): Promise<void> => {
        await Promise.resolve();
        events.push(`-${name}`);
      };
      const site = () => ({ issuerPath: '', endpoints: [], allowedOrigins: [] });
      return { site, close } as unknown as Tenant;
    };
    const id = name as TenantId;
    return tenantInService({ id, settings: {} as Settings, storage: {} as TenantStorage, open, among });
  };
  return {
    events,
    counted,
    warnings,
    tenant(name) {
      const known = made.get(name) ?? service(name);
      made.set(name, known);
      return known;
    },
    async pass(seconds) {
      now += seconds;
      const due = timers.filter(({ at }) => at <= now + 1e-9);
      for (const timer of due) timers.splice(timers.indexOf(timer), 1);
      for (const { act } of due) act();
      await turn();
    },
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return () => {
        held = undefined;
        resolve();
      };
    },
  };
}

const ISSUER = 'https://op.example.com/a';
const STRANGER = '203.0.113.9';
const CUSTOMER = '198.51.100.7';

const call = async (each: TenantInService, network = CUSTOMER): Promise<unknown> =>
  await each.router(ISSUER, () => network);

/** The stranger calls tenants one after the other, each twice. */
async function scan(around: World, from: number, to: number): Promise<void> {
  for (let index = from; index < to; index += 1) {
    await call(around.tenant(`s${index}`), STRANGER);
    await call(around.tenant(`s${index}`), STRANGER);
  }
}

const isOpen = (each: TenantInService): boolean => each.current() !== undefined;

test('if two tenants may be open, the third closes the one with the oldest request, whose next request opens it again (ADR 29)', async () => {
  const around = world(2);
  const [a, b, c] = ['a', 'b', 'c'].map(around.tenant) as [TenantInService, TenantInService, TenantInService];
  const first = await call(a);
  await call(b);
  assert.equal(await call(a), first, 'nothing is made anew');
  await call(c);
  await turn();
  assert.deepEqual(around.events, ['+a', '+b', '+c', '-b']);
  assert.deepEqual([a, b, c].map(isOpen), [true, false, true]);
  await call(b);
  await turn();
  assert.deepEqual(around.events.slice(4), ['+b', '-a']);
  assert.notEqual(await call(a), first);
  assert.deepEqual(around.warnings, ['more'], 'it is said once');
  await Promise.all([a, b, c].map(async (each) => await each.close()));
  assert.equal(around.events.filter((event) => event.startsWith('+')).length, 5);
  assert.equal(
    around.events.filter((event) => event.startsWith('-')).length,
    5,
    'each that was opened is closed',
  );
});

test('a tenant that was closed for good leaves its place to another one; as many as may be are open without a word', async () => {
  const around = world(2);
  const [a, b, c] = ['a', 'b', 'c'].map(around.tenant) as [TenantInService, TenantInService, TenantInService];
  await Promise.all([call(a), call(b)]);
  await a.close();
  await call(c);
  assert.deepEqual(around.events.slice(2), ['-a', '+c']);
  assert.deepEqual(around.warnings, []);
});

test('a tenant that is closed while it is opened takes no place', async () => {
  const around = world(1);
  const [a, b] = ['a', 'b'].map(around.tenant) as [TenantInService, TenantInService];
  const opening = a.opened();
  await Promise.all([a.close(), opening]);
  await call(b);
  assert.deepEqual(around.warnings, []);
});

test('H-300: a scan of 1,000 tenants closes none that is in regular use, however seldom they are called meanwhile', async () => {
  const around = world(10);
  const regular = [0, 1, 2, 3, 4, 5, 6, 7].map((index) => around.tenant(`r${index}`));
  for (const each of regular) await call(each);
  await around.pass(10);
  for (const each of regular) await call(each);
  await scan(around, 0, 1000);
  assert.ok(regular.every(isOpen));
  assert.equal(around.events.filter((event) => event.startsWith('-r')).length, 0);
  assert.equal(
    around.events.filter((event) => event.startsWith('-s')).length,
    998,
    'the scan closes its own tenants',
  );
});

test('H-300: a tenant that a customer begins to use during a scan stays open: the network with most tenants loses its own', async () => {
  const around = world(10);
  await scan(around, 0, 50);
  const fresh = around.tenant('fresh');
  await call(fresh);
  await scan(around, 50, 500);
  assert.ok(isOpen(fresh));
  await around.pass(10);
  await call(fresh);
  await scan(around, 500, 600);
  assert.ok(isOpen(fresh));
  assert.equal(around.events.filter((event) => event === '+fresh').length, 1);
});

test('a tenant that comes into regular use takes the regular place of the one that was called longest ago', async () => {
  const around = world(5);
  const regular = [0, 1, 2, 3].map((index) => around.tenant(`r${index}`));
  for (const each of regular) await call(each);
  await around.pass(10);
  for (const each of regular) await call(each);
  const fresh = around.tenant('fresh');
  await call(fresh);
  await around.pass(10);
  await call(fresh);
  await scan(around, 0, 20);
  assert.deepEqual([...regular, fresh].map(isOpen), [false, true, true, true, true]);
});

test('H-301: openings are limited by the second, and the networks take turns: a customer waits for one turn of the stranger', async () => {
  const around = world(1000, { perSecond: 8, burst: 2, waitingMax: 100 });
  const strangers = Array.from({ length: 50 }, (_, index) => call(around.tenant(`s${index}`), STRANGER));
  await turn();
  assert.deepEqual(around.events, ['+s0', '+s1'], 'the burst');
  const customers = [call(around.tenant('c0')), call(around.tenant('c1'))];
  for (let step = 0; step < 4; step += 1) await around.pass(0.125);
  assert.deepEqual(around.events.slice(2), ['+s2', '+c0', '+s3', '+c1']);
  for (let step = 0; step < 46; step += 1) await around.pass(0.125);
  await Promise.all([...strangers, ...customers]);
  assert.equal(around.events.length, 52, 'eight in a second');
});

test('H-301: a customer who calls the tenant that a stranger has queued does not wait for the turn of the stranger', async () => {
  const around = world(1000, { perSecond: 8, burst: 1, waitingMax: 100 });
  const strangers = Array.from({ length: 50 }, (_, index) => call(around.tenant(`s${index}`), STRANGER));
  const customer = call(around.tenant('s49'), CUSTOMER);
  await around.pass(0.125);
  await around.pass(0.125);
  assert.deepEqual(around.events, ['+s0', '+s1', '+s49']);
  for (let step = 0; step < 48; step += 1) await around.pass(0.125);
  await Promise.all([...strangers, customer]);
  assert.equal(around.events.length, 50, 'each tenant opens once');
});

test('H-302: beyond limits.tenants-waiting the network that waits for most tenants is refused, and the others are not', async () => {
  const around = world(1000, { perSecond: 8, burst: 1, waitingMax: 20 });
  const outcomes: string[] = [];
  const follow = (name: string, network: string): Promise<void> =>
    call(around.tenant(name), network).then(
      () => void outcomes.push(`${name} open`),
      (failure: unknown) => {
        assert.ok(failure instanceof TenantsBusy);
        assert.ok(failure.retryAfterSeconds >= 1 && failure.retryAfterSeconds <= 4);
        outcomes.push(`${name} busy`);
      },
    );
  const strangers = Array.from({ length: 40 }, (_, index) => follow(`s${index}`, STRANGER));
  await turn();
  assert.equal(outcomes.filter((outcome) => outcome.endsWith('busy')).length, 19, 'one opened, 20 wait');
  const customers = Array.from({ length: 5 }, (_, index) => follow(`c${index}`, CUSTOMER));
  await turn();
  for (let step = 0; step < 30; step += 1) await around.pass(0.125);
  await Promise.all([...strangers, ...customers]);
  assert.deepEqual(
    outcomes.filter((outcome) => outcome.startsWith('c')),
    ['c0 open', 'c1 open', 'c2 open', 'c3 open', 'c4 open'],
  );
  assert.equal(outcomes.filter((outcome) => outcome.endsWith('busy')).length, 24);
  assert.equal(around.counted.filter((event) => event === 'refused').length, 24);
  await call(around.tenant('s39'), STRANGER);
  assert.ok(isOpen(around.tenant('s39')), 'a refusal is not remembered');
});

test('the server waits for its own openings, and never refuses them', async () => {
  const around = world(1000, { perSecond: 8, burst: 1, waitingMax: 2 });
  const own = Array.from({ length: 20 }, (_, index) => around.tenant(`o${index}`).opened());
  for (let step = 0; step < 20; step += 1) await around.pass(0.125);
  assert.equal((await Promise.all(own)).length, 20);
});

test('H-301: one network holds two of four places with tenants that open slowly', async () => {
  const around = world(1000);
  const goOn = around.hold();
  const slow = Array.from({ length: 10 }, (_, index) => call(around.tenant(`s${index}`), STRANGER));
  await turn();
  goOn();
  const customer = call(around.tenant('c'), CUSTOMER);
  await Promise.all([...slow, customer]);
  assert.ok(around.events.indexOf('+c') <= 2, around.events.join(' '));
});

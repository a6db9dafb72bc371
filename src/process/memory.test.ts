import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testSettings } from '../testing/settings.ts';
import { openMemory, planMemory } from './memory.ts';

const MIB = 1024 * 1024;
/** A container of this size, and the limit that V8 takes for its heap in it. */
const containerOf = (limit: number, heap: number) => ({ limit: limit * MIB, heap: heap * MIB });
const SMALL = containerOf(256, 262);
const MEDIUM = containerOf(512, 268);
const LARGE = containerOf(24_000, 4192);

function inMib(given: Parameters<typeof testSettings>[0], machine = LARGE) {
  const { caches, bodies, needed, limit, concerns } = planMemory(testSettings(given), machine);
  const [cachesMib, bodiesMib] = [caches, bodies].map((bytes) => Math.round(bytes / MIB));
  return { caches: cachesMib ?? 0, bodies: bodiesMib, fits: needed <= limit, concerns };
}

test('H-313 default settings fit a container of 256 MiB, of 512 MiB and a large machine, in this order of cache sizes', () => {
  const plans = [SMALL, MEDIUM, LARGE].map((machine) => inMib({}, machine));
  for (const plan of plans) {
    assert.ok(plan.fits);
    assert.deepEqual(plan.concerns, []);
  }
  const [small = 0, medium = 0, large = 0] = plans.map(({ caches }) => caches);
  assert.ok(
    small >= 32 && small < medium && medium < large && large === 384,
    `${small}, ${medium}, ${large}`,
  );
});

test('H-312 request bodies take an eighth of the limit at most, and never less than one body', () => {
  assert.deepEqual(
    [SMALL, MEDIUM, LARGE].map((machine) => inMib({}, machine).bodies),
    [32, 64, 64],
  );
  const one = { 'limits.body': 64 * MIB, 'limits.bodies': 128 * MIB };
  assert.equal(inMib(one, SMALL).bodies, 64);
});

test('workers divide the memory of the container, and a size that is set', () => {
  const [alone, four] = [1, 4].map((workers) => inMib({ workers }, containerOf(2048, 1072)));
  assert.ok(alone !== undefined && four !== undefined && four.caches < alone.caches && four.fits);
  assert.equal(inMib({ workers: 4, 'cache.memory': 800 }).caches, 200);
});

test('H-313 settings that do not fit the limit are a warning with the figures and the remedy, and the server starts', () => {
  const lines: string[] = [];
  const log = {
    info: () => undefined,
    warn: (_members: object, message: string) => void lines.push(message),
    error: () => undefined,
  };
  const memory = openMemory(testSettings({ 'cache.memory': 1024 }), MEDIUM);
  memory.report(log);
  assert.equal(lines.length, 2);
  assert.match(
    lines[0] ?? '',
    /^these settings need \d+ MiB of memory in each process, and it has 512 MiB: lower cache\.memory, /u,
  );
  assert.match(
    lines[1] ?? '',
    /^caches of 1024 MiB need a heap of \d+ MiB, and the limit of the heap is 268 MiB: .*--max-old-space-size=\d+$/u,
  );
  const bytes = memory.caches.figures().reduce((sum, { bytesMax }) => sum + bytesMax, 0);
  assert.ok(Math.abs(bytes - 1024 * MIB) < MIB);
});

test('a container without room has small caches and a warning', () => {
  const { caches, concerns } = inMib({}, containerOf(128, 262));
  assert.equal(caches, 16);
  assert.equal(concerns.length, 1);
});

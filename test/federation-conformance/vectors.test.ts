import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type StartedTarget, startChancery } from './targets/chancery.ts';
import { endingOf, readVectors, runVectors } from './vectors.ts';

/** Takes 49 of the vectors, from all parts of the file. `npm run federation:vectors` takes all. */
const EVERY = 42;
let started: StartedTarget;

before(async () => {
  started = await startChancery();
});

after(async () => await started.stop());

for (const dialect of ['final', 'interface'] as const) {
  // proves openid-federation-6.1.4.1-1
  test(`each ${EVERY}nd public vector of metadata policies ends as it says over live chains, in the ${dialect} dialect (§6.1.4)`, async () => {
    const some = readVectors().filter(({ n }) => n % EVERY === 0);
    const wrong: string[] = [];
    const counts = await runVectors(started.world, dialect, some, {
      atOnce: 8,
      wrong: ({ n }, ending) => wrong.push(`${n}: ${ending}`),
    });
    assert.deepEqual(wrong, []);
    assert.ok((counts.get('resolved') ?? 0) >= 10 && (counts.get('refused') ?? 0) >= 10);
  });
}

test('a vector that says something else than the server does ends wrongly', async () => {
  const vectors = readVectors();
  const resolved = vectors.find(
    ({ resolved: { grant_types } = {} }) => String(grant_types) === 'authorization_code',
  );
  const refused = vectors.find(({ error }) => error !== undefined);
  assert.ok(resolved !== undefined && refused !== undefined);
  const { world } = started;
  const spoilt = { ...resolved, resolved: { grant_types: ['implicit'] } };
  assert.match(await endingOf(world, 'final', spoilt), /^wrong: grant_types is /);
  assert.match(
    await endingOf(world, 'final', { ...resolved, error: 'invalid_policy' }),
    /^wrong: registered/,
  );
  const { error: _, ...accepted } = refused;
  assert.match(await endingOf(world, 'interface', { ...accepted, resolved: {} }), /^wrong: 40[01] /);
});

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { CONDITIONS } from './conditions/library.ts';
import { EXPECTED } from './expected.ts';
import { faultsOf, NAMED } from './faults.ts';
import { casesOf, runCase, titleOf } from './run.ts';
import { faulty } from './tampering.ts';
import { type StartedTarget, startChancery } from './targets/chancery.ts';

const CASES = casesOf(CONDITIONS).filter(({ condition: { id } }) => !EXPECTED.has(id));

suite('each condition of explicit registration sees its faults', { concurrency: 8 }, () => {
  let started: StartedTarget;

  before(async () => {
    started = await startChancery();
  });

  after(async () => await started.stop());

  for (const each of CASES) {
    test(titleOf(each), async () => {
      const { condition, dialect = 'final' } = each;
      for (const [number, fault] of faultsOf(condition.id, dialect, condition.distrusts === true).entries()) {
        const { result } = await runCase(await faulty(started.world, fault), each, new Map());
        assert.notEqual(result, 'pass', `fault ${number + 1} goes unseen`);
      }
    });
  }

  test('a double of the provider without a fault passes', async () => {
    const world = await faulty(started.world, {});
    const failed: string[] = [];
    for (const each of CASES.filter(({ condition: { id } }) => NAMED.has(id) && id !== 'client-expires')) {
      const { result, message } = await runCase(world, each, started.dialects);
      if (result !== 'pass') failed.push(`${titleOf(each)}: ${String(message)}`);
    }
    assert.deepEqual(failed, []);
  });
});

test('each row of faults belongs to a condition, and each condition has its own name', () => {
  const ids = CONDITIONS.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
  assert.deepEqual(
    [...NAMED, ...EXPECTED.keys()].filter((id) => !ids.includes(id)),
    [],
  );
});

test('the suite imports nothing from src, so that it can be pointed at any provider', () => {
  const here = import.meta.dirname;
  const files = readdirSync(here, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.startsWith('targets') && !/(?:\.test|-command)\.ts$/u.test(file),
  );
  assert.ok(files.length > 10);
  const imported = files.flatMap((file) =>
    [...readFileSync(join(here, file), 'utf8').matchAll(/from '([^']+)'/g)].map(([, name = '']) => name),
  );
  const isOwn =
    /^(?:node:[a-z/]+|jose|(?:\.\/|\.\.\/)(?:conditions\/)?[a-z-]+\.ts|(?:\.\.\/){1,2}conformance\/(?:http|verdict)\.ts)$/u;
  assert.deepEqual(
    imported.filter((name) => !isOwn.test(name)),
    [],
  );
});

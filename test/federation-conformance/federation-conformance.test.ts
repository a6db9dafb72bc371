import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { CONDITIONS } from './conditions/library.ts';
import { EXPECTED } from './expected.ts';
import { casesOf, type Outcome, runCases, titleOf } from './run.ts';
import { type StartedTarget, startChancery } from './targets/chancery.ts';

const CASES = casesOf(CONDITIONS);
const AT_ONCE = 8;

/** Every condition, against the started program, over HTTP; `policy-leaves-nothing` is H-456. */
suite('explicit registration of OpenID Federation 1.0, condition by condition', { concurrency: true }, () => {
  const outcomes = new Map(CASES.map((each) => [titleOf(each), Promise.withResolvers<Outcome>()]));
  let started: StartedTarget;
  let running: Promise<void>;

  before(async () => {
    started = await startChancery();
    running = runCases(started.world, CASES, started.dialects, {
      atOnce: AT_ONCE,
      done: (at, outcome) => outcomes.get(titleOf(at))?.resolve(outcome),
    });
  });

  after(async () => {
    await running;
    await started.stop();
  });

  for (const each of CASES) {
    const { id, section, words } = each.condition;
    const title =
      each.dialect === undefined
        ? `${section} ${words} (${id})`
        : `${section} ${words} (${id}, ${each.dialect})`;
    test(title, async () => {
      const outcome = await outcomes.get(titleOf(each))?.promise;
      assert.ok(outcome !== undefined);
      const { result, message } = outcome;
      assert.equal(result, EXPECTED.get(id)?.result ?? 'pass', message ?? result);
    });
  }
});

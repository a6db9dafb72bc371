import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { certificateAuthority } from '../tls/certificate.ts';
import { ALL_CASES, differenceOf, titleOf } from './expected.ts';
import { type Case, makeClientKeys, type Outcome, runCases } from './run.ts';
import { openSites, type Sites } from './site.ts';
import { type StartedTarget, startChancery } from './targets/chancery.ts';

/** Most modules wait for their own clocks; the processor is what the others share. */
const AT_ONCE = 12;
/** All tests begin at once and wait for the run of their module, which ends in time itself. */
const PATIENCE_MS = 1_200_000;

/**
 * Every module of the certification plans, against the started program over https. The modules run side by side, each with
 * a browser and a client of its own; a test says whether its run ended as docs/spec-map/conformance.md has it.
 */
suite('modules of the OpenID conformance suite', { concurrency: true, timeout: PATIENCE_MS }, () => {
  const outcomes = new Map<Case, PromiseWithResolvers<Outcome>>(
    ALL_CASES.map((each) => [each, Promise.withResolvers<Outcome>()]),
  );
  let started: StartedTarget;
  let sites: Sites;
  let running: Promise<void>;

  before(async () => {
    const authority = certificateAuthority();
    sites = await openSites(authority.issue({ addresses: ['127.0.0.1'] }));
    started = await startChancery(authority, sites);
    const bench = { sites, keys: await makeClientKeys(3) };
    running = runCases(started.target, ALL_CASES, bench, {
      atOnce: AT_ONCE,
      done: (at, outcome) => outcomes.get(at)?.resolve(outcome),
    });
  });

  after(async () => {
    await running;
    await started.stop();
    await sites.close();
  });

  for (const each of ALL_CASES) {
    test(titleOf(each), { timeout: PATIENCE_MS }, async () => {
      const outcome = await outcomes.get(each)?.promise;
      assert.ok(outcome !== undefined);
      assert.equal(differenceOf('Chancery', each, outcome), undefined);
    });
  }
});

import type { EventData } from 'node:test';

export interface Tally {
  passed: number;
  failed: number;
  skipped: number;
}

export function emptyTally(): Tally {
  return { passed: 0, failed: 0, skipped: 0 };
}

export function addTallies(tallies: readonly Tally[]): Tally {
  const sum = emptyTally();
  for (const { passed, failed, skipped } of tallies) {
    sum.passed += passed;
    sum.failed += failed;
    sum.skipped += skipped;
  }
  return sum;
}

/** `N passed, N failed, N skipped`, the last line of `npm test`. */
export function tallyLine({ passed, failed, skipped }: Tally): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

type Result = Pick<EventData.TestPass, 'nesting' | 'details' | 'skip' | 'todo'> & {
  readonly name: string;
  readonly file?: string;
};

/**
 * Counts each promise once: a test with subtests and a suite are the sum of what is in them, and count by themselves
 * only when they fail for a reason of their own (a hook, a time limit, a plan).
 */
export class Counter {
  readonly tally: Tally = emptyTally();
  /** Per file: the depth at which a result was seen and not yet claimed by the test around it. */
  readonly #unclaimed = new Map<string, Set<number>>();

  pass(result: Result): void {
    if (this.#contains(result) || isEmptyFile(result) || result.details.type === 'suite') return;
    if (result.skip !== undefined || result.todo !== undefined) this.tally.skipped += 1;
    else this.tally.passed += 1;
  }

  /** @returns whether the failure is this test's own, and not only that of one inside it. */
  fail(result: Result & { readonly details: EventData.TestFail['details'] }): boolean {
    this.#contains(result);
    if (result.todo !== undefined) {
      this.tally.skipped += 1;
      return false;
    }
    const { failureType } = result.details.error as { failureType?: string };
    if (failureType === 'subtestsFailed') return false;
    this.tally.failed += 1;
    return true;
  }

  #contains({ file = '', nesting }: Result): boolean {
    const seen = this.#unclaimed.get(file) ?? new Set<number>();
    this.#unclaimed.set(file, seen.add(nesting));
    return seen.delete(nesting + 1);
  }
}

/** With a process for each file, the runner reports a file that has no test as one that passed. */
function isEmptyFile({ name, file, nesting }: Result): boolean {
  return nesting === 0 && file !== undefined && file.endsWith(name) && name.endsWith('.ts');
}

import { type FilesResult, type FileTime, slowestLine } from './test-files.ts';
import { type Group, sharesOf } from './test-groups.ts';
import { addTallies, emptyTally, type Tally, tallyLine } from './test-tally.ts';

/** Adds up what the shares of a group bring, and prints a line with the last one. */
export class GroupReport {
  readonly group: Group;
  readonly isLeftOut: boolean;
  #tally: Tally;
  #shares: number;
  #took_ms = 0;
  readonly #times: FileTime[] = [];

  constructor(group: Group) {
    this.group = group;
    const { leftOutBy, files, name } = group;
    // For a machine without a browser or a registry, to see the other tests.
    this.isLeftOut = leftOutBy !== undefined && process.env[leftOutBy] === '1';
    this.#tally = { ...emptyTally(), skipped: this.isLeftOut ? files.length : 0 };
    this.#shares = sharesOf(group).length;
    if (this.isLeftOut)
      process.stdout.write(`– ${name}: left out, because ${leftOutBy} is set (${files.length} files)\n`);
  }

  /** @param took_ms how long the share had its lane */
  add({ tally, times }: FilesResult, took_ms: number): void {
    this.#took_ms += took_ms;
    this.#tally = addTallies([this.#tally, tally]);
    this.#times.push(...times);
    this.#shares -= 1;
    if (this.#shares === 0) this.#print();
  }

  /** Adds up all shares so far. A group that ran no test is one failure. */
  get tally(): Tally {
    const { passed, failed } = this.#tally;
    return passed === 0 && failed === 0 && !this.isLeftOut ? { ...this.#tally, failed: 1 } : this.#tally;
  }

  #print(): void {
    const ran = `${this.group.files.length} files, together ${(this.#took_ms / 1000).toFixed(1)} s`;
    const mark = this.tally.failed === 0 ? '✔' : '✖';
    process.stdout.write(
      `${slowestLine(this.#times)}${mark} ${this.group.name}: ${tallyLine(this.tally)} (${ran})\n`,
    );
  }
}

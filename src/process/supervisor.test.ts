import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { Supervisor } from './supervisor.ts';

/** A process without a process: the test says what becomes of it. */
class Worker extends EventEmitter {
  readonly connected = true;
  readonly pid = 4711;
  readonly number: number;
  #dead = false;

  constructor(number: number) {
    super();
    this.number = number;
  }

  /** Ignores messages. */
  send(): void {
    return undefined;
  }

  serve(): void {
    const address: AddressInfo = { address: '127.0.0.1', family: 'IPv4', port: 1 };
    this.emit('message', {
      kind: 'serving',
      address,
      administration: `http://127.0.0.1:${this.number}/secret`,
    });
  }

  /** Once; who is dead already stays so. */
  die(code: number | null, signal: NodeJS.Signals | null = null): void {
    if (this.#dead) return;
    this.#dead = true;
    this.emit('close', code, signal);
  }
}

interface World {
  readonly supervisor: Supervisor;
  readonly started: readonly Worker[];
  /** The messages of errors in its log. */
  readonly errors: readonly string[];
  /** Resolves when this number of workers were started in total. */
  readonly untilStarted: (count: number) => Promise<Worker>;
}

const ATTEMPTS = 3;

function supervise(workers: number): World {
  const started: Worker[] = [];
  const errors: string[] = [];
  const watching: (() => void)[] = [];
  const ignored = (): void => undefined;
  const supervisor = new Supervisor({
    workers,
    start(number) {
      const worker = new Worker(number);
      started.push(worker);
      for (const look of watching) look();
      return worker as unknown as ChildProcess;
    },
    log: {
      info: ignored,
      warn: ignored,
      error: (_members, message) => void errors.push(message),
    },
    stopTimeout_ms: 60_000,
    backOff: { first_ms: 1, max_ms: 2, attempts: ATTEMPTS },
  });
  return {
    supervisor,
    started,
    errors,
    async untilStarted(count) {
      const { promise, resolve } = Promise.withResolvers<Worker>();
      const look = (): void => {
        const found = started[count - 1];
        if (found !== undefined) resolve(found);
      };
      watching.push(look);
      look();
      return await promise;
    },
  };
}

test('the first worker cannot serve: the others are never started, and its exit code is the answer', async () => {
  const { supervisor, started } = supervise(3);
  started[0]?.die(7);
  assert.deepEqual([await supervisor.serving, await supervisor.ended, started.length], [7, 7, 1]);
});

test('workers that served once and then die before they serve, with no worker left: after the last attempt the supervisor ends with 1', async () => {
  const { supervisor, started, errors, untilStarted } = supervise(2);
  started[0]?.serve();
  started[1]?.serve();
  assert.equal(typeof (await supervisor.serving), 'object');
  started[0]?.die(null, 'SIGKILL');
  started[1]?.die(null, 'SIGKILL');
  for (let next = 3; ; next += 1) {
    (await untilStarted(next)).die(1);
    if (errors.at(-1)?.includes('giving up')) break;
  }
  for (const worker of started) worker.die(1);
  assert.equal(await supervisor.ended, 1);
  const tries = [1, 2].map((place) => started.filter(({ number }) => number === place).length - 1);
  assert.equal(Math.max(...tries), ATTEMPTS, tries.join());
  assert.deepEqual(await supervisor.state(), { status: 'stopping' });
});

test('one worker dies before it serves, again and again, while another one serves: it is tried on and on', async () => {
  const { supervisor, started, errors, untilStarted } = supervise(2);
  started[0]?.serve();
  started[1]?.serve();
  started[1]?.die(1);
  const more = 4 * ATTEMPTS;
  for (let next = 3; next < 3 + more; next += 1) (await untilStarted(next)).die(1);
  (await untilStarted(3 + more)).serve();
  assert.deepEqual(new Set(errors), new Set(['a worker died: another one is started']));
  supervisor.stop();
  for (const worker of started) worker.die(0);
  assert.equal(await supervisor.ended, 0);
});

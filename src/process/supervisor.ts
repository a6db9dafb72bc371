import type { ChildProcess } from 'node:child_process';
import type { AddressInfo } from 'node:net';
import type { Readiness } from '../endpoints/health/endpoint.ts';
import type { Log } from '../ports/log.ts';

type Question = 'state' | 'metrics' | 'served';

/** A message from the supervising process to a worker. */
type ToWorker =
  | { readonly kind: 'stop' }
  /** Another worker found damage in the database file. */
  | { readonly kind: 'stop-writes'; readonly reason: string }
  | { readonly kind: 'ask'; readonly id: number; readonly what: Question }
  /** The answers of the other workers to `ask-others`. */
  | { readonly kind: 'others'; readonly id: number; readonly values: readonly string[] };

/** A message from a worker to the supervising process. */
export type FromWorker =
  | { readonly kind: 'serving'; readonly address: AddressInfo; readonly administration: string }
  | { readonly kind: 'damage'; readonly reason: string }
  /** Asks what the other workers have served. */
  | { readonly kind: 'ask-others'; readonly id: number }
  | { readonly kind: 'answer'; readonly id: number; readonly value: string };

type Serving = Extract<FromWorker, { readonly kind: 'serving' }>;

/** Checks a message as it comes over the channel: anything else is not from our worker. */
function isFromWorker(message: unknown): message is FromWorker {
  return typeof message === 'object' && message !== null && 'kind' in message;
}

export function isToWorker(message: unknown): message is ToWorker {
  return typeof message === 'object' && message !== null && 'kind' in message;
}

/** A worker that does not answer within this time is not ready. */
const ANSWER_TIMEOUT_MS = 3000;

/** Asks workers questions and matches their answers. */
class WorkerQuestions {
  readonly #waiting = new Map<number, (value: string | undefined) => void>();
  #last = 0;

  answered(id: number, value: string): void {
    this.#waiting.get(id)?.(value);
  }

  /** Returns the answers, by the number of the worker; a worker that does not answer in time is left out. */
  async ask(
    workers: ReadonlyMap<number, ChildProcess>,
    what: Question,
  ): Promise<ReadonlyMap<string, string>> {
    const asked = [...workers].map(async ([number, child]) => {
      const value = await this.#ask(child, what);
      return value === undefined ? [] : [[String(number), value] as const];
    });
    return new Map((await Promise.all(asked)).flat());
  }

  async #ask(child: ChildProcess, what: Question): Promise<string | undefined> {
    this.#last += 1;
    const id = this.#last;
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    this.#waiting.set(id, resolve);
    const late = setTimeout(() => resolve(undefined), ANSWER_TIMEOUT_MS);
    tell(child, { kind: 'ask', id, what });
    try {
      return await promise;
    } finally {
      clearTimeout(late);
      this.#waiting.delete(id);
    }
  }
}

function tell(child: ChildProcess | undefined, message: ToWorker): void {
  // A closed channel means that the worker is ending.
  if (child?.connected === true) child.send(message, () => undefined);
}

export interface SupervisorNeeds {
  readonly workers: number;
  /** Starts the worker of this number (from 1), with a channel. */
  readonly start: (number: number) => ChildProcess;
  readonly log: Log;
  /** After this long workers that were told to stop are killed. */
  readonly stopTimeout_ms: number;
  readonly backOff: BackOff;
}

/** Back-off before a worker that died is started again: it doubles while workers die before they serve. */
export interface BackOff {
  readonly first_ms: number;
  readonly max_ms: number;
  /** The supervisor gives up after this many deaths in a row before serving, if no other worker serves. */
  readonly attempts: number;
}

/** The place of a worker: its processes follow one another here. */
interface Place {
  readonly number: number;
  child: ChildProcess | undefined;
  serving: boolean;
  /** The address of its part of the management listener. */
  administration: string;
  /** Processes in a row that died before they served. */
  failures: number;
  restart: NodeJS.Timeout | undefined;
}

/**
 * Starts the workers, and replaces each one that dies. The first one starts alone, so that a fault that all would have
 * is logged once.
 */
export class Supervisor {
  readonly #needs: SupervisorNeeds;
  readonly #places: readonly Place[];
  readonly #questions = new WorkerQuestions();
  readonly #serving = Promise.withResolvers<AddressInfo | number>();
  readonly #ended = Promise.withResolvers<number>();
  #stopping = false;
  #served = false;
  #damage: string | undefined;
  #exitCode = 0;

  constructor(needs: SupervisorNeeds) {
    this.#needs = needs;
    this.#places = Array.from({ length: needs.workers }, (_, index) => ({
      number: index + 1,
      child: undefined,
      serving: false,
      administration: '',
      failures: 0,
      restart: undefined,
    }));
    const [first] = this.#places;
    if (first !== undefined) this.#start(first);
  }

  /** Resolves when all workers serve for the first time; a number is the exit code where that will never be. */
  get serving(): Promise<AddressInfo | number> {
    return this.#serving.promise;
  }

  /** Resolves with the exit code when no worker is left and none will be started. */
  get ended(): Promise<number> {
    return this.#ended.promise;
  }

  async state(): Promise<Readiness> {
    if (this.#stopping) return { status: 'stopping' };
    if (!this.#served) return { status: 'starting' };
    const answers = await this.#questions.ask(this.#live(), 'state');
    const states = [...answers.values()].map((answer) => JSON.parse(answer) as Readiness);
    // A worker without the key of the database fails its share of the requests as long as the server is called.
    const found =
      states.find(({ failed }) => failed === 'encryption-key') ??
      states.find(({ status }) => status === 'ready') ??
      states[0];
    // One worker checks the file for all.
    const file = states.find((state) => state.file !== undefined)?.file;
    const status = found?.status === 'ready' ? 'ready' : 'not-ready';
    return { ...found, status, ...(file === undefined ? {} : { file }) };
  }

  /** Returns the metrics of each serving worker, by its number. */
  async metrics(): Promise<ReadonlyMap<string, string>> {
    return await this.#questions.ask(this.#live(), 'metrics');
  }

  /** Returns the addresses of the serving workers' parts of the management listener. */
  administrations(): readonly string[] {
    return this.#places.flatMap(({ serving, administration }) => (serving ? [administration] : []));
  }

  stop(): void {
    if (this.#stopping) return;
    this.#stopping = true;
    for (const place of this.#places) {
      clearTimeout(place.restart);
      place.restart = undefined;
      tell(place.child, { kind: 'stop' });
    }
    const late = setTimeout(() => {
      this.#needs.log.error({}, 'workers did not end in time: they are killed');
      this.#exitCode = 1;
      for (const { child } of this.#places) child?.kill('SIGKILL');
    }, this.#needs.stopTimeout_ms);
    late.unref();
    this.#endWhenAlone();
  }

  #live(): ReadonlyMap<number, ChildProcess> {
    return new Map(
      this.#places.flatMap(({ number, child, serving }) =>
        serving && child !== undefined ? [[number, child] as const] : [],
      ),
    );
  }

  #start(place: Place): void {
    const { log, start } = this.#needs;
    const child = start(place.number);
    place.child = child;
    place.restart = undefined;
    child.on('message', (message) => {
      if (!isFromWorker(message)) return;
      if (message.kind === 'answer') this.#questions.answered(message.id, message.value);
      else if (message.kind === 'damage') this.#stopWrites(message.reason);
      else if (message.kind === 'ask-others') void this.#askOthers(place, message.id);
      else this.#cameToServe(place, message);
    });
    child.on('error', (cause) => log.error({ cause, worker: place.number }, 'a worker could not be reached'));
    child.on('close', (code, signal) => this.#left(place, code, signal));
  }

  /** Asks all workers but one, which wants to know. */
  async #askOthers({ number, child }: Place, id: number): Promise<void> {
    const others = new Map([...this.#live()].filter(([each]) => each !== number));
    const answers = await this.#questions.ask(others, 'served');
    tell(child, { kind: 'others', id, values: [...answers.values()] });
  }

  #stopWrites(reason: string): void {
    this.#damage = reason;
    for (const { child } of this.#places) tell(child, { kind: 'stop-writes', reason });
  }

  #cameToServe(place: Place, { address, administration }: Serving): void {
    if (this.#damage !== undefined) tell(place.child, { kind: 'stop-writes', reason: this.#damage });
    place.serving = true;
    place.administration = administration;
    place.failures = 0;
    if (this.#served || this.#stopping) return;
    for (const next of this.#places) {
      if (next.child === undefined && next.restart === undefined) this.#start(next);
    }
    if (!this.#places.every(({ serving }) => serving)) return;
    this.#served = true;
    this.#serving.resolve(address);
  }

  #left(place: Place, code: number | null, signal: NodeJS.Signals | null): void {
    const { serving, child } = place;
    place.child = undefined;
    place.serving = false;
    if (this.#stopping) {
      if (code !== 0) this.#exitCode ||= 1;
      return this.#endWhenAlone();
    }
    const how = { worker: place.number, pid: child?.pid, code, signal };
    if (serving) return this.#restart(place, how, 0);
    // It has said why itself.
    if (!this.#served) return this.#giveUp(code ?? 1);
    const { first_ms, max_ms, attempts } = this.#needs.backOff;
    place.failures += 1;
    if (place.failures >= attempts && this.#live().size === 0) {
      this.#needs.log.error(how, 'workers die before they serve: giving up');
      return this.#giveUp(1);
    }
    this.#restart(place, how, Math.min(max_ms, first_ms * 2 ** (place.failures - 1)));
  }

  #restart(place: Place, how: { readonly code: number | null }, wait_ms: number): void {
    const { log } = this.#needs;
    if (how.code === 0) log.info(how, 'a worker ended: another one is started');
    else log.error({ ...how, wait_ms }, 'a worker died: another one is started');
    place.restart = setTimeout(() => this.#start(place), wait_ms);
  }

  #giveUp(code: number): void {
    this.#exitCode = code;
    this.stop();
  }

  #endWhenAlone(): void {
    if (this.#places.some(({ child, restart }) => child !== undefined || restart !== undefined)) return;
    this.#serving.resolve(this.#exitCode);
    this.#ended.resolve(this.#exitCode);
  }
}

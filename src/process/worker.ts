import type { ResolvedSettings } from '../config/load-settings.ts';
import type { Settings } from '../config/settings.ts';
import type { Log } from '../ports/log.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { ServedFacts } from '../ports/server-facts.ts';
import { shorteningLog } from '../system/log.ts';
import { prometheusMetrics } from '../system/metrics.ts';
import { systemRandom } from '../system/random.ts';
import { startManagementHost } from './listeners.ts';
import { openMemory } from './memory.ts';
import { type Service, startService } from './serve.ts';
import { type FromWorker, isToWorker } from './supervisor.ts';

/** The channel to the process that started this one. */
export interface Parent {
  send(message: FromWorker): void;
  onMessage(receive: (message: unknown) => void): void;
  /** Called when the other end is gone. */
  onEnd(ended: () => void): void;
}

/** Characters of the secret that opens a worker's part of the management listener to its supervisor. */
const SECRET_LENGTH = 43;

const NOTHING_SERVED: ServedFacts = { requests: {}, refusals: [] };

/** Asks the other workers, by way of the supervisor. Requests at once share one question. */
class OtherWorkers {
  readonly #parent: Pick<Parent, 'send'>;
  #asked: { readonly id: number; readonly answer: PromiseWithResolvers<readonly string[]> } | undefined;
  #last = 0;

  constructor(parent: Pick<Parent, 'send'>) {
    this.#parent = parent;
  }

  answered(id: number, values: readonly string[]): void {
    if (this.#asked?.id !== id) return;
    this.#asked.answer.resolve(values);
    this.#asked = undefined;
  }

  async served(): Promise<readonly ServedFacts[]> {
    if (this.#asked === undefined) {
      this.#last += 1;
      this.#asked = { id: this.#last, answer: Promise.withResolvers() };
      this.#parent.send({ kind: 'ask-others', id: this.#last });
    }
    const values = await this.#asked.answer.promise;
    return values.map((value) => JSON.parse(value) as ServedFacts);
  }
}

/** Serves as one of several processes: the parent has the management listener, and passes its requests on. */
export async function startWorker(
  settings: Settings,
  wholeLog: Log,
  {
    parent,
    stop,
    check,
    origins,
  }: {
    readonly parent: Parent;
    readonly stop: AbortController;
    /** Whether this worker checks the SQLite file, for all of them. */
    readonly check: boolean;
    /** The source of each setting. */
    readonly origins: ResolvedSettings['origins'];
  },
): Promise<Service | undefined> {
  const log = shorteningLog(wholeLog, settings);
  const memory = openMemory(settings);
  const measured = prometheusMetrics(() => memory.caches.figures());
  let service: Service | undefined;
  const others = new OtherWorkers(parent);
  followParent(parent, { stop, measured, others, service: () => service });
  service = await startService({
    settings,
    mode: 'production',
    log,
    measured,
    memory,
    shared: true,
    check,
    stopped: stop.signal,
    origins,
    servedByOthers: async () => await others.served(),
  });
  if (service === undefined) return undefined;
  const serving = service;
  const { administration, damage, address } = serving;
  const secret = systemRandom.alphanumeric(SECRET_LENGTH);
  const management = await startManagementHost({
    settings,
    endpoints: [],
    administration: () => administration,
    log,
    measured,
    behindSupervisor: { secret },
  });
  const { address: host, port } = management.address;
  parent.send({ kind: 'serving', address, administration: `http://${host}:${port}/${secret}` });
  void damage.then((reason) => parent.send({ kind: 'damage', reason }));
  return {
    ...serving,
    async close(atOnce) {
      management.drain();
      await serving.close(atOnce);
      await management.close();
    },
  };
}

interface Following {
  readonly stop: AbortController;
  readonly measured: Pick<Metrics, 'text'>;
  readonly others: OtherWorkers;
  /** Undefined while it starts. */
  readonly service: () => Service | undefined;
}

/** Answers the questions of the supervisor, and does what it says. */
function followParent(parent: Parent, { stop, measured, others, service }: Following): void {
  const answers = {
    state: async (): Promise<string> => JSON.stringify((await service()?.state()) ?? { status: 'starting' }),
    metrics: async (): Promise<string> => await measured.text(),
    served: async (): Promise<string> =>
      await Promise.resolve(JSON.stringify(service()?.served() ?? NOTHING_SERVED)),
  };
  parent.onMessage((message) => {
    if (!isToWorker(message)) return;
    if (message.kind === 'stop') return stop.abort();
    if (message.kind === 'stop-writes') return service()?.stopWrites(message.reason);
    if (message.kind === 'others') return others.answered(message.id, message.values);
    const { id, what } = message;
    void answers[what]().then((value) => parent.send({ kind: 'answer', id, value }));
  });
  // Without its parent nothing would stop this process.
  parent.onEnd(() => stop.abort());
}

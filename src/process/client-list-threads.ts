import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { FIRST_PAGE, nextLimit } from '../clients/listing/page-limit.ts';
import type { ClientPage, ClientPages } from '../ports/client-pages.ts';
import type { Log } from '../ports/log.ts';
import type { ClientId, TenantId } from '../spec/identifiers.ts';
import { filesAt } from '../storage/sqlite/database-file.ts';
import type { ListThreadData, ListThreadReply, PageRequest, ReadPage } from './client-list-thread.ts';

/** One opens secrets while the other one reads. */
const THREADS_MAX = 2;
/** Clients of a page, which are about 64 KB. */
const PAGE = 100;
/** Pages that are asked for and not yet taken: one for each thread, and one that waits for a reader. */
const ASKED_MAX = THREADS_MAX + 1;
/** Threads without a list end, and give their memory back. */
const IDLE_MS = 10_000;
/** A page is small, and a thread keeps nothing for longer. */
const HEAP = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 8 };

export interface ListThreadsNeeds {
  /** The path of the SQLite file. */
  readonly path: string;
  readonly keys: readonly Uint8Array[];
  readonly log: Log;
  /** How many threads can run at once; the default asks the system each time. */
  readonly cores?: () => number;
}

/** Threads that read and render lists of clients (ADR 99). They start with a list, and end a while after the last one. */
export interface ListThreads {
  forTenant(tenant: TenantId): ClientPages;
  close(): Promise<void>;
}

/** A page that a thread reads, and then renders; undefined if the thread has failed. */
interface AskedPage {
  readonly read: PromiseWithResolvers<ReadPage | undefined>;
  readonly rendered: PromiseWithResolvers<string | undefined>;
}

export function openListThreads(needs: ListThreadsNeeds): ListThreads {
  const place = { path: needs.path, files: filesAt(needs.path) };
  const threads = new Set<ListThread>();
  const cores = needs.cores ?? availableParallelism;
  let lists = 0;
  let idle: NodeJS.Timeout | undefined;
  const close = async (): Promise<void> => {
    clearTimeout(idle);
    const ended = [...threads].map((thread) => thread.close());
    threads.clear();
    await Promise.all(ended);
  };
  const leastBusy = (): ListThread => {
    const free = [...threads].toSorted((one, other) => one.asked - other.asked)[0];
    if (free !== undefined && (free.asked === 0 || threads.size === THREADS_MAX)) return free;
    const thread = new ListThread({ place, keys: needs.keys }, (reason) => {
      threads.delete(thread);
      if (reason !== undefined) needs.log.warn({ reason }, 'a thread that renders lists has failed');
    });
    threads.add(thread);
    return thread;
  };
  return {
    forTenant: (tenant) => ({
      async *render(issuer, after) {
        // On one core a thread would only be in the way of requests: the kernel lets it run for milliseconds.
        if (cores() === 1) return;
        lists += 1;
        clearTimeout(idle);
        try {
          yield* pagesOf((request) => leastBusy().ask({ ...request, tenant, issuer }), after);
        } finally {
          lists -= 1;
          if (lists === 0) idle = setTimeout(() => void close(), IDLE_MS).unref();
        }
      },
    }),
    close,
  };
}

type Ask = (request: Pick<PageRequest, 'after' | 'limit'>) => AskedPage;

/** Asks for pages ahead, each as soon as the last identifier of the page before is known. */
async function* pagesOf(ask: Ask, start: ClientId | undefined): AsyncGenerator<ClientPage> {
  const asked: AskedPage[] = [];
  let next: Pick<PageRequest, 'after' | 'limit'> | undefined = { after: start, limit: FIRST_PAGE };
  const askAhead = (): void => {
    if (next === undefined || asked.length === ASKED_MAX) return;
    const { limit } = next;
    const page = ask(next);
    asked.push(page);
    next = undefined;
    void goOn(page, limit);
  };
  const goOn = async (page: AskedPage, limit: number): Promise<void> => {
    const read = await page.read.promise;
    if (read === undefined || read.count < limit) return;
    next = { after: read.last, limit: nextLimit(limit, read.length, PAGE) };
    askAhead();
  };
  askAhead();
  for (let page = asked[0]; page !== undefined; page = asked[0]) {
    const read = await page.read.promise;
    const entries = await page.rendered.promise;
    if (read?.last === undefined || entries === undefined) return;
    asked.shift();
    askAhead();
    yield { entries, last: read.last };
  }
}

/** One thread. A page that it does not answer is undefined. */
class ListThread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, AskedPage>();
  #lastId = 0;

  /** @param ended called when the thread has ended; `reason` if it has failed */
  constructor(workerData: ListThreadData, ended: (reason: string | undefined) => void) {
    this.#worker = new Worker(new URL('./client-list-thread.ts', import.meta.url), {
      workerData,
      execArgv: [],
      resourceLimits: HEAP,
    });
    this.#worker.unref();
    let reason: string | undefined;
    this.#worker.on('message', (reply: ListThreadReply) => this.#settle(reply));
    this.#worker.on('error', (error: unknown) => {
      reason = error instanceof Error ? error.message : String(error);
    });
    this.#worker.on('exit', () => {
      for (const id of this.#waiting.keys()) this.#settle({ kind: 'failed', id });
      ended(reason);
    });
  }

  /** How many pages wait for this thread. */
  get asked(): number {
    return this.#waiting.size;
  }

  ask(request: Omit<PageRequest, 'id'>): AskedPage {
    this.#lastId += 1;
    const page: AskedPage = { read: Promise.withResolvers(), rendered: Promise.withResolvers() };
    this.#waiting.set(this.#lastId, page);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    this.#worker.postMessage({ ...request, id: this.#lastId } satisfies PageRequest);
    return page;
  }

  /** Ends the thread wherever it is: it only reads, and its connection closes with it. */
  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #settle(reply: ListThreadReply): void {
    const page = this.#waiting.get(reply.id);
    if (reply.kind === 'read') return page?.read.resolve(reply.page);
    this.#waiting.delete(reply.id);
    page?.read.resolve(undefined);
    page?.rendered.resolve(reply.kind === 'rendered' ? reply.entries : undefined);
  }
}

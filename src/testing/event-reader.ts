import assert from 'node:assert/strict';
import { answer } from '../endpoints/answer.ts';
import { requestOf, type TestRequest } from './exchange.ts';
import type { TestTenant } from './tenant.ts';

/** One server-sent event (WHATWG HTML §9.2.6). */
export interface SentEvent {
  readonly event: string;
  readonly id: string;
  /** Empty where the data is not JSON. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** Parses server-sent events. A block without data is no event. */
function sentEvents(text: string): readonly SentEvent[] {
  return text.split('\n\n').flatMap((block) => {
    const fields = block.split('\n').map((line) => /^([a-z]+): (.*)$/u.exec(line)?.slice(1) ?? []);
    const of = (name: string): string => fields.find(([field]) => field === name)?.[1] ?? '';
    const data = of('data');
    if (data === '') return [];
    const parsed = data.startsWith('{') ? (JSON.parse(data) as SentEvent['data']) : {};
    return [{ event: of('event') || 'message', id: of('id'), data: parsed, text: data }];
  });
}

/** A stream says something more often than this. */
const SECONDS_MAX = 60;

/** Reads the answer of a stream piece by piece. */
export class EventReader {
  readonly #chunks: AsyncIterator<string | Uint8Array>;
  readonly #tenant: TestTenant;

  private constructor(tenant: TestTenant, chunks: AsyncIterator<string | Uint8Array>) {
    this.#tenant = tenant;
    this.#chunks = chunks;
  }

  static async open(tenant: TestTenant, name: string, request: TestRequest): Promise<EventReader> {
    const endpoint = await tenant.endpoint(name);
    const { status, body } = await answer(endpoint, requestOf(endpoint.contract, request), () => undefined);
    assert.equal(status, 200);
    assert.ok(typeof body === 'object' && Symbol.asyncIterator in body);
    return new EventReader(tenant, body[Symbol.asyncIterator]());
  }

  /** Returns the next piece; undefined at the end. */
  async chunk(): Promise<string | undefined> {
    const { value, done } = await this.#chunks.next();
    return done === true ? undefined : String(value);
  }

  /** Returns the next events, while the clock goes on. */
  async events(count: number): Promise<readonly SentEvent[]> {
    const found: SentEvent[] = [];
    while (found.length < count) {
      const next = this.chunk();
      const state = { isThere: false };
      const there = (): void => void (state.isThere = true);
      void next.then(there, there);
      await this.pass(this.#tenant, 0);
      for (let passed = 0; !state.isThere && passed < SECONDS_MAX; passed += 1)
        await this.pass(this.#tenant, 1);
      const text = await next;
      assert.notEqual(text, undefined, 'the stream has ended');
      found.push(...sentEvents(text ?? ''));
    }
    return found;
  }

  /** Lets the stream look, and moves the clock. */
  async pass({ clock }: TestTenant, seconds: number): Promise<void> {
    for (let turns = 0; turns < 20; turns += 1) await new Promise((resolve) => setImmediate(resolve));
    if (seconds > 0) clock.advance(seconds);
  }

  async leave(): Promise<void> {
    await this.#chunks.return?.();
  }
}

/** Ends each stream of the tenant after its first piece, so that a test can read it to its end. */
export function endingStreams(
  { platform }: TestTenant,
  which: 'streams' | 'revocationStreams' = 'streams',
): void {
  const streams = platform[which];
  const enter = streams.enter.bind(streams);
  Object.assign(streams, {
    enter(caller: string) {
      setImmediate(() => streams.stop());
      return enter(caller);
    },
  });
}

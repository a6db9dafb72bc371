import assert from 'node:assert/strict';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import type { RevocationClaims, RevocationEvent } from '../../src/spec/revocation-feed.ts';
import type { Program } from './start.ts';

export interface FeedCaller {
  readonly client_id: string;
  readonly client_secret: string;
}

/** A resource server that follows the feed of a started program, and verifies each JWT. */
export interface FeedStream {
  readonly status: number;
  /** Each verified JWT, in the order of its arrival. */
  readonly claims: readonly RevocationClaims[];
  readonly events: readonly RevocationEvent[];
  /** The JWTs as they came. */
  readonly jwts: readonly string[];
  /** The reason of the `end` event; undefined as long as the stream goes on, and if it breaks. */
  readonly end: string | undefined;
  /** Resolves when the stream has ended or broken. */
  readonly done: Promise<void>;
  cursor(): string | undefined;
  /** Resolves when something is true, which may become so with any event. Rejects if the stream ends before. */
  until(isTrue: () => boolean): Promise<void>;
  close(): Promise<void>;
}

export async function followFeed(
  program: Program,
  { client_id, client_secret }: FeedCaller,
  cursor?: string,
): Promise<FeedStream> {
  const gone = new AbortController();
  const answer = await fetch(`${program.url}/token/revocations`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${client_id}:${client_secret}`)}` },
    signal: gone.signal,
    ...(cursor === undefined ? {} : { body: new URLSearchParams({ cursor }) }),
  });
  if (answer.status !== 200) gone.abort();
  const keys = createLocalJWKSet((await (await fetch(`${program.url}/jwks.json`)).json()) as JSONWebKeySet);
  const seen = {
    claims: [] as RevocationClaims[],
    jwts: [] as string[],
    end: undefined as string | undefined,
  };
  const waiting = new Set<() => void>();
  let isOver = false;
  const take = async (block: string): Promise<void> => {
    const data = /^data: (.*)$/mu.exec(block)?.[1];
    if (data === undefined) return;
    if (block.includes('event: end')) {
      seen.end = (JSON.parse(data) as { reason: string }).reason;
      return;
    }
    const { payload } = await jwtVerify(data, keys, { issuer: program.issuer, typ: 'revocation-feed+jwt' });
    const claims = payload as unknown as RevocationClaims;
    const before = seen.claims.at(-1);
    if (before !== undefined) assert.equal(claims.after, before.cursor, 'a JWT is missing');
    seen.claims.push(claims);
    seen.jwts.push(data);
  };
  const reading = async (): Promise<void> => {
    let text = '';
    for await (const chunk of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const blocks = (text + chunk).split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) await take(block);
      for (const wake of waiting) wake();
    }
  };
  const done = (async () => {
    await reading().catch(() => undefined);
    isOver = true;
    for (const wake of waiting) wake();
  })();
  return {
    status: answer.status,
    claims: seen.claims,
    jwts: seen.jwts,
    get events() {
      return seen.claims.flatMap(({ events }) => events);
    },
    get end() {
      return seen.end;
    },
    done,
    cursor: () => seen.claims.at(-1)?.cursor,
    async until(isTrue) {
      while (!isTrue()) {
        assert.ok(!isOver, 'the stream has ended');
        await new Promise<void>((resolve) => {
          const wake = (): void => {
            waiting.delete(wake);
            resolve();
          };
          waiting.add(wake);
        });
      }
    },
    async close() {
      gone.abort();
      await done;
    },
  };
}

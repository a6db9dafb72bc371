import { digestOf } from '../../keys/digest.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { SealBroken, type Sealer } from '../../ports/sealer.ts';
import type { TenantStorage } from '../../ports/storage.ts';
import type { Digest, Sealed } from '../../spec/identifiers.ts';
import { Problem } from '../../spec/problems.ts';
import type { Contract, EndpointRequest, EndpointResponse } from '../contract.ts';
import { invalidParameters } from './parameters.ts';

export interface IdempotencyNeeds {
  readonly storage: Pick<TenantStorage, 'replays' | 'interactions'>;
  readonly sealer: Sealer;
  readonly clock: Clock;
  readonly log: Log;
}

/** A request that its caller may send again. */
export interface Repeatable {
  /** Digest of the caller and its key. */
  readonly key: Digest;
  /** Digest of the whole request: a key belongs to one. */
  readonly request: Digest;
  readonly actor: string;
}

/** How long an answer is kept, in seconds. */
const KEPT_FOR = 86_400;
const KEY = /^[\x21-\x7e]{1,255}$/u;

/** Reads `Idempotency-Key`; undefined without one. @throws Problem invalid_parameter */
export function repeatableOf(
  { name }: Pick<Contract, 'name'>,
  { headers, segments, query, body }: EndpointRequest,
  actor: string,
): Repeatable | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (!KEY.test(key))
    throw invalidParameters([
      { pointer: 'Idempotency-Key', detail: 'must have 1 to 255 visible ASCII characters' },
    ]);
  const text = JSON.stringify([name, segments, query, Buffer.from(body).toString('base64')]);
  return { key: digestOf(JSON.stringify(['idempotency', actor, key])), request: digestOf(text), actor };
}

/** Returns the answer that the request had before; undefined if there is none. @throws Problem if the key belongs to another request */
async function earlierAnswer(
  needs: IdempotencyNeeds,
  { key, request }: Repeatable,
): Promise<EndpointResponse | undefined> {
  const kept = await needs.storage.interactions.find(key);
  if (kept?.kind !== 'answer' || kept.expires_at <= needs.clock.now()) return undefined;
  const answer = opened(needs, key, kept.content);
  if (kept.browser === request) return answer;
  throw new Problem('idempotency_key_reused', 'the key was used for another request: take a new one');
}

/**
 * Answers a request once. Among requests with one key, on any number of processes, one acts, and the others have its answer,
 * also if it was refused. If it ended without one, because its process died, the others are refused: it may have happened.
 * @param refusal renders a failure that stored nothing; undefined for any other failure
 * @throws Problem idempotency_key_in_use
 */
export async function answeredOnce(
  needs: IdempotencyNeeds,
  { key, request, actor }: Repeatable,
  act: () => Promise<EndpointResponse>,
  refusal: (failure: unknown) => EndpointResponse | undefined,
): Promise<EndpointResponse> {
  const { storage, sealer, clock } = needs;
  const created_at = clock.now();
  const expires_at = created_at + KEPT_FOR;
  const isFirst = await storage.replays.rememberOnce('idempotency-key', digestOf(actor), key, expires_at);
  if (!isFirst) {
    const earlier = await earlierAnswer(needs, { key, request, actor });
    if (earlier !== undefined) return earlier;
    throw unknownOutcome();
  }
  const keep = async (answer: EndpointResponse): Promise<void> => {
    const content = JSON.stringify({ sealed: sealer.seal(JSON.stringify(answer), placeOf(key)) });
    await storage.interactions
      .begin({ key, kind: 'answer', browser: request, version: 1, content, created_at, expires_at })
      // The change has happened: its caller learns that, even if a repetition will not.
      .catch((cause: unknown) =>
        needs.log.error({ cause }, 'an answer could not be kept for its repetition'),
      );
  };
  try {
    const answer = await act();
    await keep(answer);
    return answer;
  } catch (failure) {
    const refused = refusal(failure);
    if (refused !== undefined) await keep(refused);
    throw failure;
  }
}

const placeOf = (key: Digest): string => `answer ${key}`;

function opened({ sealer }: IdempotencyNeeds, key: Digest, content: string): EndpointResponse {
  const { sealed } = JSON.parse(content) as { readonly sealed: Sealed };
  try {
    return JSON.parse(sealer.open(sealed, placeOf(key))) as EndpointResponse;
  } catch (failure) {
    // The encryption key has changed since.
    if (failure instanceof SealBroken) throw unknownOutcome();
    throw failure;
  }
}

const unknownOutcome = (): Problem =>
  new Problem(
    'idempotency_key_in_use',
    'a request with this key is under way, or ended without an answer: read the resource before you take a new key',
  );

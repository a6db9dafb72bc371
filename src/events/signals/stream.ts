import type { EventStreamStore, StoredStream } from '../../ports/event-stream-store.ts';
import type { Sealer } from '../../ports/sealer.ts';
import type { Sealed, StreamId } from '../../spec/identifiers.ts';
import { DELIVERY_METHODS, REQUESTABLE_EVENTS, type RequestableEvent } from '../../spec/security-events.ts';

/** The members that a client sets of a stream, and may read again (OpenID Shared Signals Framework 1.0 §8.1.1). */
export interface StreamConfiguration {
  readonly description: string | null;
  /** As the client sent it; null if it asked for nothing in particular. */
  readonly events_requested: readonly string[] | null;
  /** Where events are pushed, without its query; null for a stream that is polled. */
  readonly endpoint_url: string | null;
}

/** The parts of a push that may hold a secret. */
export interface StreamSecrets {
  /** With its question mark; empty without a query. */
  readonly query: string;
  /** The value of the `Authorization` header; null for none. */
  readonly authorization_header: string | null;
}

const placeOf = (id: StreamId): string => `stream ${id}`;

export const sealSecrets = (sealer: Sealer, id: StreamId, secrets: StreamSecrets): Sealed =>
  sealer.seal(JSON.stringify(secrets), placeOf(id));

export const openSecrets = (
  sealer: Sealer,
  { id, sealed }: Pick<StoredStream, 'id' | 'sealed'>,
): StreamSecrets =>
  sealed === null
    ? { query: '', authorization_header: null }
    : (JSON.parse(sealer.open(sealed, placeOf(id))) as StreamSecrets);

export const configurationOf = ({
  configuration,
}: Pick<StoredStream, 'configuration'>): StreamConfiguration =>
  JSON.parse(configuration) as StreamConfiguration;

/** The part of the address of a stream that is polled. */
const POLL_PATH = '/ssf/poll';

/** The event types that the server may be asked for. */
const EVENTS_SUPPORTED: readonly string[] = Object.values(REQUESTABLE_EVENTS);

/** Returns the types that a stream delivers: those that are supported among those that its client asked for; all, if it asked for none. */
export function eventsDelivered(requested: readonly string[] | null): readonly RequestableEvent[] {
  const known = Object.entries(REQUESTABLE_EVENTS) as readonly (readonly [RequestableEvent, string])[];
  return known.filter(([, type]) => requested === null || requested.includes(type)).map(([kind]) => kind);
}

/** Returns a stream as its client sees it. */
export function streamItem(
  { sealer, interval }: { readonly sealer: Sealer; readonly interval: number },
  stream: StoredStream,
): Readonly<Record<string, unknown>> {
  const { id, issuer, client_id, method } = stream;
  const { description, events_requested, endpoint_url } = configurationOf(stream);
  const { query, authorization_header } = openSecrets(sealer, stream);
  const push = {
    method: DELIVERY_METHODS.push,
    endpoint_url: `${endpoint_url ?? ''}${query}`,
    ...(authorization_header === null ? {} : { authorization_header }),
  };
  return {
    stream_id: id,
    iss: issuer,
    aud: client_id,
    events_supported: EVENTS_SUPPORTED,
    ...(events_requested === null ? {} : { events_requested }),
    events_delivered: eventsDelivered(events_requested).map((kind) => REQUESTABLE_EVENTS[kind]),
    delivery:
      method === 'push'
        ? push
        : { method: DELIVERY_METHODS.poll, endpoint_url: `${withoutSlash(issuer)}${POLL_PATH}/${id}` },
    min_verification_interval: interval,
    ...(description === null ? {} : { description }),
  };
}

const withoutSlash = (issuer: string): string => issuer.replace(/\/$/u, '');

/** Encrypts the secrets of every stream with the current key. Returns the number of changed streams. */
export async function resealStreams(streams: EventStreamStore, sealer: Sealer): Promise<number> {
  let changed = 0;
  const pending = async (): Promise<readonly (StoredStream & { readonly sealed: Sealed })[]> => {
    const old: (StoredStream & { readonly sealed: Sealed })[] = [];
    for (let page = await streams.page(undefined, PAGE); page.length > 0; ) {
      for (const { sealed, ...stream } of page)
        if (sealed !== null && !sealer.isCurrent(sealed)) old.push({ ...stream, sealed });
      page = await streams.page(page.at(-1)?.id, PAGE);
    }
    return old;
  };
  for (let left = await pending(); left.length > 0; left = await pending())
    for (const stream of left) {
      const sealed = sealSecrets(sealer, stream.id, openSecrets(sealer, stream));
      // A lost race comes again with the next look.
      const fresh = { ...stream, version: stream.version + 1, sealed };
      if (await streams.replace(fresh, stream.version, {})) changed += 1;
    }
  return changed;
}

const PAGE = 500;

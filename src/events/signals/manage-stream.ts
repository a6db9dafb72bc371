import type { Settings } from '../../config/settings.ts';
import type { AuditEvent } from '../../ports/audit-log.ts';
import type { StoredClient } from '../../ports/client-store.ts';
import type { Clock } from '../../ports/clock.ts';
import type {
  EventStreamStore,
  StoredStream,
  StreamChange,
  StreamContent,
} from '../../ports/event-stream-store.ts';
import type { OutboundHttp } from '../../ports/outbound-http.ts';
import type { Random } from '../../ports/random.ts';
import type { Sealer } from '../../ports/sealer.ts';
import { IDENTIFIER_LENGTHS, type StreamId } from '../../spec/identifiers.ts';
import { type Mistaken, notFound, Problem } from '../../spec/problems.ts';
import { DELIVERY_METHODS, type StreamStatus } from '../../spec/security-events.ts';
import {
  configurationOf,
  eventsDelivered,
  openSecrets,
  type StreamConfiguration,
  sealSecrets,
} from './stream.ts';

export interface StreamNeeds {
  readonly issuer: string;
  readonly eventStreams: EventStreamStore;
  readonly sealer: Sealer;
  readonly outbound: Pick<OutboundHttp, 'urlProblem'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly settings: Settings;
}

/** The delivery of a request. Members of it that belong to the other method are passed over. */
export interface DeliveryRequest {
  readonly method: string;
  readonly endpoint_url?: string;
  readonly authorization_header?: string;
}

/** The wishes of a client for its stream. Null: it wants the member to go. */
export interface StreamRequest {
  readonly events_requested?: readonly string[] | null;
  readonly description?: string | null;
  readonly delivery?: DeliveryRequest | null;
}

/** How the event of a change is made: the caller knows who acts. */
export type EventOf = (action: AuditEvent['action'], detail: string) => AuditEvent;

/** Returns the stream of a client with this identifier. @throws Problem not_found, also for a stream of another client */
export async function streamOf(
  { eventStreams, issuer }: Pick<StreamNeeds, 'eventStreams' | 'issuer'>,
  { client_id, instance }: Pick<StoredClient, 'client_id' | 'instance'>,
  id: string,
): Promise<StoredStream> {
  const stream = id.includes('\0') ? undefined : await eventStreams.find(id as StreamId);
  const isOwn = stream?.client_id === client_id && stream.instance === instance && stream.issuer === issuer;
  if (stream === undefined || !isOwn) throw notFound('stream of this client');
  return stream;
}

/** Returns the streams that a client has under this issuer. */
export async function streamsOf(
  { eventStreams, issuer }: Pick<StreamNeeds, 'eventStreams' | 'issuer'>,
  client: Pick<StoredClient, 'client_id' | 'instance'>,
): Promise<readonly StoredStream[]> {
  return (await eventStreams.ofClient(client)).filter((stream) => stream.issuer === issuer);
}

const DESCRIPTION_LENGTH_MAX = 500;

/** Makes a stream. @throws Problem invalid_body, conflict */
export async function makeStream(
  needs: StreamNeeds,
  { client_id, instance }: Pick<StoredClient, 'client_id' | 'instance'>,
  request: StreamRequest,
  event: EventOf,
): Promise<StoredStream> {
  const { issuer, eventStreams, clock, random, settings } = needs;
  const id = random.alphanumeric(IDENTIFIER_LENGTHS.stream) as StreamId;
  const now = clock.now();
  const stream: StoredStream = {
    id,
    client_id,
    instance,
    issuer,
    version: 1,
    created_at: now,
    verified_at: null,
    sequence: 0,
    drains_to: 0,
    held: 0,
    delivered: 0,
    delivered_at: null,
    attempts: 0,
    attempted_at: null,
    due_at: null,
    problem: null,
    status: 'enabled',
    status_reason: null,
    ...configured(needs, id, request),
  };
  const max = settings['signals.streams-per-client'];
  if (await eventStreams.create(stream, max, event('stream.create', id))) return stream;
  throw new Problem('conflict', `the client has ${max} streams already (signals.streams-per-client)`);
}

/** Changes the members that a request has. @throws Problem invalid_body, conflict */
export async function updateStream(
  needs: StreamNeeds,
  stream: StoredStream,
  request: StreamRequest,
  event: EventOf,
): Promise<StoredStream> {
  const { description, events_requested, endpoint_url } = configurationOf(stream);
  const { query, authorization_header } = openSecrets(needs.sealer, stream);
  const delivery: DeliveryRequest =
    stream.method === 'poll'
      ? { method: DELIVERY_METHODS.poll }
      : {
          method: DELIVERY_METHODS.push,
          endpoint_url: `${endpoint_url ?? ''}${query}`,
          ...(authorization_header === null ? {} : { authorization_header }),
        };
  return await replaceStream(needs, stream, { description, events_requested, delivery, ...request }, event);
}

/** Replaces what the client sets; members that the request lacks go. @throws Problem invalid_body, conflict */
export async function replaceStream(
  needs: StreamNeeds,
  stream: StoredStream,
  request: StreamRequest,
  event: EventOf,
): Promise<StoredStream> {
  const content = configured(needs, stream.id, request);
  return await stored(
    needs,
    { ...stream, ...content },
    { event: event('stream.update', `${stream.id} configuration`) },
  );
}

export interface StatusChange {
  readonly status: StreamStatus;
  readonly reason: string | null;
  /** Whether the server tells the client by an event: the client did not ask for it (OpenID Shared Signals Framework 1.0 §8.1.5). */
  readonly tells: boolean;
}

const REASON_LENGTH_MAX = 500;

/** Sets the status of a stream. @throws Problem conflict */
export async function setStatus(
  { eventStreams, clock }: Pick<StreamNeeds, 'eventStreams' | 'clock'>,
  stream: StoredStream,
  wanted: StatusChange,
  event: EventOf,
): Promise<StoredStream> {
  const { after, change } = changedStatus(stream, wanted, clock.now());
  const made = event('stream.update', `${stream.id} ${wanted.status}`);
  if (await eventStreams.replace(after, stream.version, { ...change, event: made })) return after;
  throw new Problem('conflict', CHANGED_MEANWHILE);
}

export const CHANGED_MEANWHILE = 'the stream has changed meanwhile: read it again';

/** Returns a stream with another status, and the effects of the change. A disabled stream holds nothing. */
export function changedStatus(
  stream: StoredStream,
  { status, reason, tells }: StatusChange,
  at: number,
): { readonly after: StoredStream; readonly change: StreamChange } {
  const words = reason === null ? null : reason.slice(0, REASON_LENGTH_MAX);
  const content = JSON.stringify({ status, ...(words === null ? {} : { reason: words }) });
  const version = stream.version + 1;
  const after = { ...stream, version, status, status_reason: words, updated_at: at };
  const notice = { kind: 'stream-updated', content, at } as const;
  const isTold = tells && status !== stream.status;
  return { after, change: { discards: status === 'disabled', ...(isTold ? { notice } : {}) } };
}

/** Stores a changed stream; another change since it was read is refused. */
async function stored(
  { eventStreams }: Pick<StreamNeeds, 'eventStreams'>,
  stream: StoredStream,
  change: StreamChange,
): Promise<StoredStream> {
  const after = { ...stream, version: stream.version + 1 };
  if (await eventStreams.replace(after, stream.version, change)) return after;
  throw new Problem('conflict', CHANGED_MEANWHILE);
}

/** Returns the stored form of what a client wants. @throws Problem invalid_body with every mistake */
function configured(
  { outbound, sealer, clock, settings }: StreamNeeds,
  id: StreamId,
  { events_requested = null, description = null, delivery }: StreamRequest,
): Omit<StreamContent, 'status' | 'status_reason'> {
  const wanted = delivery ?? { method: DELIVERY_METHODS.poll };
  const errors = deliveryMistakes(outbound, wanted);
  if (errors.length > 0)
    throw new Problem('invalid_body', errors.map((each) => `${each.pointer} ${each.detail}`).join('; '), {
      errors,
    });
  const { endpoint_url = '', authorization_header = null } = wanted;
  const isPush = wanted.method === DELIVERY_METHODS.push;
  const mark = endpoint_url.indexOf('?');
  const address = mark === -1 ? endpoint_url : endpoint_url.slice(0, mark);
  const query = mark === -1 ? '' : endpoint_url.slice(mark);
  const configuration: StreamConfiguration = {
    description: description === null ? null : description.slice(0, DESCRIPTION_LENGTH_MAX),
    events_requested,
    endpoint_url: isPush ? address : null,
  };
  return {
    configuration: JSON.stringify(configuration),
    sealed: isPush ? sealSecrets(sealer, id, { query, authorization_header }) : null,
    method: isPush ? 'push' : 'poll',
    events: eventsDelivered(events_requested).join(' '),
    held_max: settings['signals.held-max'],
    updated_at: clock.now(),
  };
}

/** The value of an `Authorization` header: visible ASCII and spaces, so that it can be no further header. */
const HEADER_VALUE = /^[\x21-\x7e](?:[\x20-\x7e]{0,2046}[\x21-\x7e])?$/u;

function deliveryMistakes(
  outbound: Pick<OutboundHttp, 'urlProblem'>,
  { method, endpoint_url, authorization_header }: DeliveryRequest,
): readonly Mistaken[] {
  if (method === DELIVERY_METHODS.poll) return [];
  const { push, poll } = DELIVERY_METHODS;
  if (method !== push)
    return [
      { pointer: '/delivery/method', detail: `must be ${push} or ${poll}, found ${JSON.stringify(method)}` },
    ];
  const problem = endpoint_url === undefined ? undefined : outbound.urlProblem(endpoint_url);
  const mistakes: Mistaken[] = [];
  const refuse = (pointer: string, detail: string): void =>
    void mistakes.push({ pointer: `/delivery/${pointer}`, detail });
  if (endpoint_url === undefined) refuse('endpoint_url', `is missing; ${push} needs it`);
  else if (problem !== undefined)
    refuse('endpoint_url', `must be an address that the server may call: ${problem.reason}`);
  else if (endpoint_url.includes('#')) refuse('endpoint_url', 'must have no fragment');
  if (authorization_header !== undefined && !HEADER_VALUE.test(authorization_header))
    refuse('authorization_header', 'must be 1 to 2048 characters of visible ASCII, with spaces between them');
  return mistakes;
}

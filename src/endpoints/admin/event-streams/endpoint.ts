import {
  actOnFailedEvents,
  deletionOfStream,
  heldEvent,
  operatedStream,
  type StreamActNeeds,
  statusOfStream,
  streamNamed,
} from '../../../events/signals/operate-stream.ts';
import type { ClientStore } from '../../../ports/client-store.ts';
import type { StoredStream } from '../../../ports/event-stream-store.ts';
import type { TenantStorage } from '../../../ports/storage.ts';
import type { ClientId, StreamId } from '../../../spec/identifiers.ts';
import type { StreamStatus } from '../../../spec/security-events.ts';
import {
  type AdminCall,
  type AdminNeeds,
  acting,
  type ChangeCall,
  type ListCall,
  type Listed,
  listing,
  type Plan,
  reading,
  removing,
  type WriteCall,
} from '../operation.ts';
import { pageIn } from '../page-in-memory.ts';
import {
  eventList,
  streamDelete,
  streamDisable,
  streamDrop,
  streamEnable,
  streamList,
  streamPause,
  streamRead,
  streamRedeliver,
} from './contract.ts';

export interface AdminEventStreamNeeds extends AdminNeeds {
  readonly storage: AdminNeeds['storage'] & Pick<TenantStorage, 'eventStreams'>;
  readonly clients: Pick<ClientStore, 'find'>;
}

export const adminEventStreams = [
  listing<AdminEventStreamNeeds>(streamList, listStreams),
  reading<AdminEventStreamNeeds>(streamRead, async (needs, call) => {
    const stream = await streamAt(needs, call);
    return { item: operatedStream(stream), version: String(stream.version) };
  }),
  removing<AdminEventStreamNeeds>(streamDelete, plannedDeletion),
  acting<AdminEventStreamNeeds>(streamEnable, async (...of) => await plannedStatus(...of, 'enabled')),
  acting<AdminEventStreamNeeds>(streamPause, async (...of) => await plannedStatus(...of, 'paused')),
  acting<AdminEventStreamNeeds>(streamDisable, async (...of) => await plannedStatus(...of, 'disabled')),
  listing<AdminEventStreamNeeds>(eventList, listEvents),
  acting<AdminEventStreamNeeds>(streamRedeliver, async (...of) => await plannedLetters(...of, 'redeliver')),
  acting<AdminEventStreamNeeds>(streamDrop, async (...of) => await plannedLetters(...of, 'drop')),
];

const actNeeds = ({ storage: { eventStreams }, clock }: AdminEventStreamNeeds): StreamActNeeds => ({
  eventStreams,
  clock,
});

const streamAt = async (
  needs: AdminEventStreamNeeds,
  { segments }: Pick<AdminCall, 'segments'>,
): Promise<StoredStream> => await streamNamed(actNeeds(needs), segments['id'] ?? '');

async function listStreams(needs: AdminEventStreamNeeds, { page, query }: ListCall): Promise<Listed> {
  const { storage, clients } = needs;
  if (query['client_id'] !== undefined) {
    const client = await clients.find(query['client_id'] as ClientId);
    const own = client === undefined ? [] : await storage.eventStreams.ofClient(client);
    return pageIn(own.map(operatedStream), page, 'id');
  }
  const [after] = page.after ?? [];
  const from = after === undefined ? undefined : (String(after) as StreamId);
  const found = await storage.eventStreams.page(from, page.limit + 1);
  const shown = found.slice(0, page.limit);
  const last = shown.at(-1);
  return {
    items: shown.map(operatedStream),
    next: found.length > shown.length && last !== undefined ? [last.id] : undefined,
  };
}

async function listEvents(needs: AdminEventStreamNeeds, call: ListCall): Promise<Listed> {
  const { id } = await streamAt(needs, call);
  const [after] = call.page.after ?? [];
  const from = typeof after === 'number' ? after : 0;
  const { limit } = call.page;
  const found = await needs.storage.eventStreams.events(id, 'failed', from, limit + 1);
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  return {
    items: shown.map(heldEvent),
    next: found.length > shown.length && last !== undefined ? [last.sequence] : undefined,
  };
}

async function plannedDeletion(needs: AdminEventStreamNeeds, call: ChangeCall): Promise<Plan> {
  const stream = await streamAt(needs, call);
  call.ifMatch.require(String(stream.version));
  const { detail, store } = deletionOfStream(actNeeds(needs), stream);
  return {
    before: operatedStream(stream),
    after: null,
    commit: async () => {
      await store(call.event({ client_id: stream.client_id, detail }));
      return {};
    },
  };
}

async function plannedStatus(
  needs: AdminEventStreamNeeds,
  call: WriteCall,
  status: StreamStatus,
): Promise<Plan> {
  const stream = await streamAt(needs, call);
  const { after, detail, store } = statusOfStream(actNeeds(needs), stream, status);
  const item = operatedStream(after ?? stream);
  return {
    before: operatedStream(stream),
    after: item,
    commit: async () => {
      await store(call.event({ client_id: stream.client_id, detail }));
      return { item: operatedStream(await streamAt(needs, call)) };
    },
  };
}

async function plannedLetters(
  needs: AdminEventStreamNeeds,
  call: WriteCall,
  verb: 'redeliver' | 'drop',
): Promise<Plan> {
  const stream = await streamAt(needs, call);
  const { detail, store } = actOnFailedEvents(actNeeds(needs), stream, verb);
  return {
    before: { events: 'all' },
    after: null,
    commit: async () => ({
      item: { events: await store(call.event({ client_id: stream.client_id, detail })) },
    }),
  };
}

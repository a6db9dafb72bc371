import {
  actOnFailedEvents,
  deletionOfStream,
  operatedStream,
  type StreamAct,
  type StreamActNeeds,
  statusOfStream,
  streamNamed,
} from '../events/signals/operate-stream.ts';
import type { StoredStream } from '../ports/event-stream-store.ts';
import type { AuditAction } from '../spec/audit-events.ts';
import type { StreamStatus } from '../spec/security-events.ts';
import { actorOf } from './accounts.ts';
import { type Command, command } from './command.ts';
import { cellOf, printItem } from './print-item.ts';
import type { RegistrySession } from './registry-session.ts';
import { BESIDE_SERVERS, READS_BESIDE_SERVERS, withRegistry } from './session.ts';
import { REGISTRY_OPTIONS, type RegistryCall, SETTINGS_VARIABLES } from './settings.ts';
import { table } from './table.ts';

const STREAM = { id: { words: 'Names the stream by its id, which `streams list` prints.' } } as const;
const ONE_STREAM = 'The stream, a line for each member. With --json, one JSON object.';
const EXAMPLE = 'Vb3kQz8mXw2LtR5yN7cJd4Hs';
const PAGE = 100;

const needsOf = ({ tenant, needs }: RegistrySession): StreamActNeeds => ({
  eventStreams: tenant.storage.eventStreams,
  clock: needs.clock,
});

/** Opens the registry, and acts on the stream of the operand. */
async function withStream<T>(
  call: RegistryCall & { readonly operands: { readonly id: string } },
  act: (session: RegistrySession, stream: StoredStream) => Promise<T>,
): Promise<T> {
  return await withRegistry(
    call,
    { create: false },
    async (session) => await act(session, await streamNamed(needsOf(session), call.operands.id)),
  );
}

/** Stores an act with its event. */
async function stored<Outcome>(
  session: RegistrySession,
  action: AuditAction,
  { before, detail, store }: StreamAct<Outcome>,
): Promise<Outcome> {
  const at = session.needs.clock.now();
  const { client_id } = before;
  return await store({ at, action, outcome: 'done', client_id, detail, ...actorOf(session) });
}

const HEADS = ['ID', 'CLIENT', 'STATUS', 'METHOD', 'HELD', 'DELIVERED', 'LAST DELIVERY', 'PROBLEM'];

const list = command({
  words: ['streams', 'list'],
  summary: 'List the streams of security events of clients',
  description: ['Clients make streams over HTTP: docs/operate/signals.md.'],
  servers: READS_BESIDE_SERVERS,
  options: REGISTRY_OPTIONS,
  environment: SETTINGS_VARIABLES,
  output: 'A table with one line for each stream. With --json, one JSON object per line.',
  examples: ['chancery streams list'],
  run: async (call) => {
    await withRegistry(call, { create: false }, async ({ tenant: { storage } }) => {
      const lines = call.options.json ? undefined : table(call.print, HEADS);
      let page: readonly StoredStream[];
      let after: StoredStream | undefined;
      do {
        page = await storage.eventStreams.page(after?.id, PAGE);
        const items = page.map(operatedStream);
        if (lines === undefined) for (const item of items) call.print(JSON.stringify(item));
        else lines.print(items.map(cells));
        after = page.at(-1);
      } while (page.length === PAGE);
    });
  },
});

const cells = (item: ReturnType<typeof operatedStream>): readonly string[] => {
  const { id, client_id, status, method, held, delivered, delivered_at, problem } = item;
  return [id, client_id, status, method, held, delivered, delivered_at, problem].map(cellOf);
};

const show = command({
  words: ['streams', 'show'],
  summary: 'Show a stream of security events',
  description: ['The query of its address and its authorization header are sealed: no command shows them.'],
  servers: READS_BESIDE_SERVERS,
  operands: STREAM,
  options: REGISTRY_OPTIONS,
  environment: SETTINGS_VARIABLES,
  output: ONE_STREAM,
  examples: [`chancery streams show ${EXAMPLE}`],
  run: async (call) => await withStream(call, async (_, stream) => printItem(operatedStream(stream), call)),
});

/** Declares a command that sets the status of a stream. */
const statusCommand = (
  verb: 'enable' | 'pause' | 'disable',
  status: StreamStatus,
  texts: Pick<Command, 'summary' | 'description'>,
): Command =>
  command({
    words: ['streams', verb],
    ...texts,
    servers: BESIDE_SERVERS,
    operands: STREAM,
    options: REGISTRY_OPTIONS,
    environment: SETTINGS_VARIABLES,
    output: ONE_STREAM,
    examples: [`chancery streams ${verb} ${EXAMPLE}`],
    run: async (call) =>
      await withStream(call, async (session, stream) => {
        const needs = needsOf(session);
        await stored(session, 'stream.update', statusOfStream(needs, stream, status));
        printItem(operatedStream(await streamNamed(needs, stream.id)), call);
      }),
  });

const remove = command({
  words: ['streams', 'delete'],
  summary: 'Delete a stream of security events with its outbox',
  description: ['Its client is not told. It can make another stream.'],
  servers: BESIDE_SERVERS,
  operands: STREAM,
  options: REGISTRY_OPTIONS,
  environment: SETTINGS_VARIABLES,
  output: 'One line. With --json, one JSON object with `done`.',
  examples: [`chancery streams delete ${EXAMPLE}`],
  run: async (call) =>
    await withStream(call, async (session, stream) => {
      await stored(session, 'stream.delete', deletionOfStream(needsOf(session), stream));
      printItem(undefined, call);
    }),
});

/** Declares `streams redeliver` or `streams drop`. */
const lettersCommand = (
  verb: 'redeliver' | 'drop',
  texts: Pick<Command, 'summary' | 'description'>,
): Command =>
  command({
    words: ['streams', verb],
    ...texts,
    servers: BESIDE_SERVERS,
    operands: STREAM,
    options: REGISTRY_OPTIONS,
    environment: SETTINGS_VARIABLES,
    output: 'How many events were concerned. With --json, one JSON object with `events`.',
    examples: [`chancery streams ${verb} ${EXAMPLE}`],
    run: async (call) =>
      await withStream(call, async (session, stream) => {
        const act = actOnFailedEvents(needsOf(session), stream, verb);
        printItem({ events: await stored(session, `stream.${verb}`, act) }, call);
      }),
  });

export const STREAM_COMMANDS: readonly Command[] = [
  list,
  show,
  statusCommand('enable', 'enabled', {
    summary: 'Enable a stream of security events',
    description: ['It sends the events that it held, and one that says that it is enabled.'],
  }),
  statusCommand('pause', 'paused', {
    summary: 'Pause a stream of security events',
    description: ['Its client is told by an event. The stream holds later events until it is enabled.'],
  }),
  statusCommand('disable', 'disabled', {
    summary: 'Disable a stream of security events',
    description: ['Its client is told by an event. The events that wait are dropped.'],
  }),
  remove,
  lettersCommand('redeliver', {
    summary: 'Try the failed events of a stream again',
    description: ['They come before the other events of the stream, in their order.'],
  }),
  lettersCommand('drop', {
    summary: 'Drop the failed events of a stream',
    description: ['The client never gets them. This cannot be undone.'],
  }),
];

import { operatedRequest } from '../grants/backchannel/operate.ts';
import type { StoredBackchannelRequest } from '../ports/backchannel-request-store.ts';
import { actorOf } from './accounts.ts';
import { type Command, command } from './command.ts';
import { CommandFailure } from './failure.ts';
import { cellOf, printItem } from './print-item.ts';
import { BESIDE_SERVERS, READS_BESIDE_SERVERS, withRegistry } from './session.ts';
import { REGISTRY_OPTIONS, SETTINGS_VARIABLES } from './settings.ts';
import { table } from './table.ts';

const PAGE = 100;
const HEADS = ['ID', 'CLIENT', 'SUBJECT', 'STATE', 'MODE', 'EXPIRES', 'MESSAGE', 'PROBLEM'];

const list = command({
  words: ['requests', 'list'],
  summary: 'List the requests of clients without a browser, answered or not',
  description: ['A request is kept for an hour after its end. One without a subject reaches no person.'],
  servers: READS_BESIDE_SERVERS,
  options: REGISTRY_OPTIONS,
  environment: SETTINGS_VARIABLES,
  output: 'A table with one line for each request. With --json, one JSON object per line.',
  examples: ['chancery requests list'],
  run: async (call) => {
    await withRegistry(call, { create: false }, async ({ tenant: { storage }, needs }) => {
      const lines = call.options.json ? undefined : table(call.print, HEADS);
      let page: readonly StoredBackchannelRequest[];
      let after: StoredBackchannelRequest | undefined;
      do {
        page = await storage.backchannelRequests.page({}, after?.id ?? '', PAGE);
        const items = page.map((one) => operatedRequest(one, needs.clock.now()));
        if (lines === undefined) for (const item of items) call.print(JSON.stringify(item));
        else lines.print(items.map(cells));
        after = page.at(-1);
      } while (page.length === PAGE);
    });
  },
});

const cells = (item: ReturnType<typeof operatedRequest>): readonly string[] => {
  const { id, client_id, sub, state, mode, expires_at, binding_message, problem } = item;
  return [id, client_id, sub, state, mode, expires_at, binding_message, problem].map(cellOf);
};

const refuse = command({
  words: ['requests', 'refuse'],
  summary: 'Refuse a request of a client without a browser, in place of its person',
  description: ['The client learns that the person refused. No command allows a request.'],
  servers: BESIDE_SERVERS,
  operands: { id: { words: 'Names the request by its id, which `requests list` prints.' } },
  options: REGISTRY_OPTIONS,
  environment: SETTINGS_VARIABLES,
  output: 'One line. With --json, one JSON object with `done`.',
  examples: ['chancery requests refuse Vb3kQz8mXw2LtR5yN7cJd4HsVb3kQz8mXw2LtR5yN7c'],
  run: async (call) =>
    await withRegistry(call, { create: false }, async (session) => {
      const { backchannelRequests } = session.tenant.storage;
      const { id } = call.operands;
      const found = await backchannelRequests.findById(id);
      const at = session.needs.clock.now();
      const event = {
        at,
        action: 'backchannel.deny',
        outcome: 'done',
        client_id: found?.client_id ?? null,
        detail: null,
        ...(found?.sub === undefined || found.sub === null ? {} : { sub: found.sub }),
        ...actorOf(session),
      } as const;
      const isDone = await backchannelRequests.decide(
        { id, sub: undefined, now: at },
        { state: 'denied' },
        event,
      );
      if (!isDone) throw new CommandFailure(`no request waits under the id ${id}`);
      printItem(undefined, call);
    }),
});

export const REQUEST_COMMANDS: readonly Command[] = [list, refuse];

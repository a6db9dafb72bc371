import { findDevice, listDevices, type OperatedDevice, refuseOperated } from '../grants/device/operate.ts';
import { actorOf } from './accounts.ts';
import { type Command, command } from './command.ts';
import { CommandFailure } from './failure.ts';
import { cellOf, printItem } from './print-item.ts';
import { BESIDE_SERVERS, READS_BESIDE_SERVERS, withRegistry } from './session.ts';
import { REGISTRY_OPTIONS, SETTINGS_VARIABLES } from './settings.ts';
import { table } from './table.ts';

const PAGE = 100;
const HEADS = ['ID', 'CLIENT', 'STATE', 'ADDRESS', 'EXPIRES', 'SCOPE'];

const list = command({
  words: ['devices', 'list'],
  summary: 'List the requests of devices (RFC 8628), answered or not',
  description: [
    'A request is kept until it expires. The command shows neither the device code nor the code for people.',
  ],
  servers: READS_BESIDE_SERVERS,
  options: REGISTRY_OPTIONS,
  environment: SETTINGS_VARIABLES,
  output: 'A table with one line for each request. With --json, one JSON object per line.',
  examples: ['chancery devices list'],
  run: async (call) => {
    await withRegistry(call, { create: false }, async ({ tenant: { storage }, needs: { clock } }) => {
      const lines = call.options.json ? undefined : table(call.print, HEADS);
      let after: string | undefined = '';
      while (after !== undefined) {
        const page: Awaited<ReturnType<typeof listDevices>> = await listDevices(
          { storage, clock },
          {},
          after,
          PAGE,
        );
        if (lines === undefined) for (const item of page.devices) call.print(JSON.stringify(item));
        else lines.print(page.devices.map(cells));
        after = page.next;
      }
    });
  },
});

const cells = ({ id, client_id, state, address, expires_at, scope }: OperatedDevice): readonly string[] =>
  [id, client_id, state, address, expires_at, scope.join(' ')].map(cellOf);

const refuse = command({
  words: ['devices', 'refuse'],
  summary: 'Refuse a device that waits for its person',
  description: ['The device learns that the person refused. No command allows a device.'],
  servers: BESIDE_SERVERS,
  operands: { id: { words: 'Names the request by its id, which `devices list` prints.' } },
  options: REGISTRY_OPTIONS,
  environment: SETTINGS_VARIABLES,
  output: 'One line. With --json, one JSON object with `done`.',
  examples: ['chancery devices refuse request-Vb3kQz8mXw2LtR5yN7cJd4HsVb3kQz8mXw2LtR5yN7c'],
  run: async (call) =>
    await withRegistry(call, { create: false }, async (session) => {
      const { storage } = session.tenant;
      const { clock } = session.needs;
      const { id } = call.operands;
      const event = {
        at: clock.now(),
        action: 'device.deny',
        outcome: 'done',
        client_id: (await findDevice({ storage, clock }, id))?.client_id ?? null,
        detail: null,
        ...actorOf(session),
      } as const;
      if (!(await refuseOperated({ storage, clock }, id, event)))
        throw new CommandFailure(`no device waits under the id ${id}`);
      printItem(undefined, call);
    }),
});

export const DEVICE_COMMANDS: readonly Command[] = [list, refuse];

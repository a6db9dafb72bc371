import type { AuditEvent } from '../ports/audit-log.ts';
import type { StoredConsent } from '../ports/consent-store.ts';
import type { ListPosition } from '../ports/listing.ts';
import { NotFound } from '../spec/errors.ts';
import type { ClientId } from '../spec/identifiers.ts';
import { actorOf } from './accounts.ts';
import { type Command, command } from './command.ts';
import { BESIDE_SERVERS, READS_BESIDE_SERVERS, withRegistry } from './session.ts';
import { SUBJECT_OPERAND, SUBJECT_OPTIONS, subjectOf } from './sessions.ts';
import { SETTINGS_VARIABLES } from './settings.ts';
import { table, timeText } from './table.ts';

const HEADS = ['CLIENT', 'GRANTED', 'CHANGED', 'SCOPE'];
const PAGE = 100;

const list = command({
  words: ['consents', 'list'],
  summary: 'List the consents of an end-user: what was allowed to which client',
  description: ['Consents to deleted clients are left out. `chancery grants list` shows what clients hold.'],
  servers: READS_BESIDE_SERVERS,
  operands: SUBJECT_OPERAND,
  options: SUBJECT_OPTIONS,
  environment: SETTINGS_VARIABLES,
  output: 'A table with one line for each consent. With --json, one JSON object per line.',
  examples: ['chancery consents list ada'],
  run: async (call) => {
    const find = subjectOf(call);
    await withRegistry(call, { create: false }, async (session) => {
      const sub = await find(session);
      const lines = call.options.json ? undefined : table(call.print, HEADS);
      let after: ListPosition | undefined;
      do {
        const range = { limit: PAGE, after, examined: PAGE };
        const { rows, next } = await session.tenant.storage.consents.list({ sub }, range);
        if (lines === undefined) for (const consent of rows) call.print(JSON.stringify(consent));
        else lines.print(rows.map(cells));
        after = next;
      } while (after !== undefined);
    });
  },
});

function cells({ client_id, granted_at, updated_at, scope }: StoredConsent): readonly string[] {
  return [client_id, timeText(granted_at, '-'), timeText(updated_at, '-'), scope.join(' ') || '-'];
}

const withdraw = command({
  words: ['consents', 'withdraw'],
  summary: 'Withdraw the access that an end-user gave a client',
  description: [
    'The consent ends with all grants of the end-user for this client and all their tokens. The client must ask the end-user again. This cannot be undone.',
    'End-users do the same on the page /account/applications of the issuer.',
  ],
  servers: BESIDE_SERVERS,
  operands: {
    client: { words: 'Names the client by its client_id.' },
    ...SUBJECT_OPERAND,
  },
  options: SUBJECT_OPTIONS,
  environment: SETTINGS_VARIABLES,
  output: 'One line. With --json, one JSON object with `sub` and `client_id`.',
  examples: [
    'chancery consents withdraw demo ada',
    'chancery consents withdraw demo --sub 8Gq2vT0aXw5pRkZ3mB7cYd1N',
  ],
  run: async (call) => {
    const find = subjectOf(call);
    const client_id = call.operands.client as ClientId;
    await withRegistry(call, { create: false }, async (session) => {
      const { clients, consents } = session.tenant.storage;
      const sub = await find(session);
      const client = await clients.find(client_id);
      const at = session.needs.clock.now();
      const about = {
        at,
        action: 'consent.withdraw',
        outcome: 'done',
        client_id,
        sub,
        detail: null,
      } as const;
      const event: AuditEvent = { ...about, ...actorOf(session) };
      if (client === undefined || !(await consents.withdraw(sub, client, event)))
        throw new NotFound(`the end-user has given the client ${JSON.stringify(client_id)} no access`);
      const line = `withdrew the access of ${client_id}`;
      call.print(call.options.json ? JSON.stringify({ sub, client_id }) : line);
    });
  },
});

export const CONSENT_COMMANDS: readonly Command[] = [list, withdraw];

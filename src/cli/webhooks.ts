import { deliveryItem, testWebhook, webhookItem, webhookItems } from '../events/webhooks/manage.ts';
import type { WebhookSecret } from '../events/webhooks/webhook.ts';
import {
  actOnDeliveries,
  changeOfWebhook,
  creationOfWebhook,
  deletionOfWebhook,
  rotationOfSecret,
  switchOfWebhook,
  type WebhookAct,
  webhookNamed,
} from '../events/webhooks/webhook-acts.ts';
import type { StoredDelivery, StoredWebhook } from '../ports/webhook-store.ts';
import type { AuditAction } from '../spec/audit-events.ts';
import { actorOf } from './accounts.ts';
import { type Command, command, type ParsedCall } from './command.ts';
import { CommandFailure } from './failure.ts';
import { cellOf, printItem } from './print-item.ts';
import type { RegistrySession } from './registry-session.ts';
import { BESIDE_SERVERS, READS_BESIDE_SERVERS, withRegistry } from './session.ts';
import { REGISTRY_OPTIONS, type RegistryCall, SETTINGS_VARIABLES } from './settings.ts';
import { table } from './table.ts';
import {
  NOT_ACCEPTED,
  UPDATE_OPTIONS,
  URL_WORDS,
  WEBHOOK_OPTIONS,
  webhookRequest,
} from './webhook-options.ts';

const WEBHOOK = { id: { words: 'Names the webhook by its id, which `webhooks list` prints.' } } as const;

const ONE_WEBHOOK = 'The webhook, a line for each member. With --json, one JSON object.';
const ONCE = 'The secret is printed once.';
const PAGE = 100;

type Printing = Pick<ParsedCall, 'options' | 'print'>;

/** Opens the registry, and acts on the webhook of the operand. */
async function withWebhook<T>(
  call: RegistryCall & { readonly operands: { readonly id: string } },
  act: (session: RegistrySession, webhook: StoredWebhook) => Promise<T>,
): Promise<T> {
  return await withRegistry(
    call,
    { create: false },
    async (session) => await act(session, await webhookNamed(session.tenant.webhooks, call.operands.id)),
  );
}

/** Stores an act with its event. */
async function stored<Outcome>(
  session: RegistrySession,
  action: AuditAction,
  { detail, store }: Pick<WebhookAct<Outcome>, 'detail' | 'store'>,
): Promise<Outcome> {
  const at = session.needs.clock.now();
  return await store({ at, action, outcome: 'done', client_id: null, detail, ...actorOf(session) });
}

/** Prints the webhook as it is after an act. */
function printAfter(
  { tenant }: RegistrySession,
  { after }: Pick<WebhookAct<unknown>, 'after'>,
  call: Printing,
  secret?: WebhookSecret,
): void {
  const item = after === null ? {} : webhookItem(tenant.webhooks, after);
  printItem(secret === undefined ? item : { ...item, ...shownSecret(secret) }, call);
}

const shownSecret = ({ id, value }: WebhookSecret): object => ({ secret: value, secret_id: id });

const HEADS = [
  'ID',
  'URL',
  'ACTIONS',
  'ENABLED',
  'DELIVERED',
  'LAST DELIVERY',
  'WAITING',
  'FAILED',
  'MISSED',
];

const list = command({
  words: ['webhooks', 'list'],
  summary: 'List the webhooks',
  description: ['The query of an address is sealed: no command shows it.'],
  servers: READS_BESIDE_SERVERS,
  options: REGISTRY_OPTIONS,
  environment: SETTINGS_VARIABLES,
  output: 'A table with one line for each webhook. With --json, one JSON object per line.',
  examples: ['chancery webhooks list'],
  run: async (call) => {
    await withRegistry(call, { create: false }, async ({ tenant: { webhooks: needs } }) => {
      const lines = call.options.json ? undefined : table(call.print, HEADS);
      let page: readonly StoredWebhook[];
      let after: StoredWebhook | undefined;
      do {
        page = await needs.storage.webhooks.page(after?.id, PAGE);
        const items = await webhookItems(needs, page);
        if (lines === undefined) for (const item of items) call.print(JSON.stringify(item));
        else lines.print(items.map(cells));
        after = page.at(-1);
      } while (page.length === PAGE);
    });
  },
});

const cells = ({
  id,
  url,
  actions,
  enabled,
  delivered,
  delivered_at,
  waiting,
  failed,
  missed,
}: Awaited<ReturnType<typeof webhookItems>>[number]): readonly string[] =>
  [
    id,
    url,
    actions.length === 0 ? 'all' : actions,
    enabled ? 'yes' : 'no',
    delivered,
    delivered_at,
    waiting,
    failed,
    missed,
  ].map(cellOf);

const show = command({
  words: ['webhooks', 'show'],
  summary: 'Show a webhook',
  description: [
    'The secrets are shown by their id. `cursor` is the place in the audit up to which events are delivered, or planned as deliveries.',
  ],
  servers: READS_BESIDE_SERVERS,
  operands: WEBHOOK,
  options: REGISTRY_OPTIONS,
  environment: SETTINGS_VARIABLES,
  output: ONE_WEBHOOK,
  examples: ['chancery webhooks show 7xVq2mBn4TfLw9Ye'],
  run: async (call) =>
    await withWebhook(call, async ({ tenant }, webhook) => {
      const [item = {}] = await webhookItems(tenant.webhooks, [webhook]);
      printItem(item, call);
    }),
});

const create = command({
  words: ['webhooks', 'create'],
  summary: 'Make a webhook, which begins with the next event of the audit',
  description: [
    'Servers deliver the selected events to the address, signed. docs/operate/events.md says how a receiver verifies them.',
    `${ONCE} It signs each delivery, for receivers that read no JWK sets.`,
  ],
  servers: BESIDE_SERVERS,
  operands: { url: { words: URL_WORDS } },
  options: { ...WEBHOOK_OPTIONS, ...REGISTRY_OPTIONS },
  environment: SETTINGS_VARIABLES,
  output: `${ONE_WEBHOOK} \`secret\` is in no other output.`,
  examples: [
    'chancery webhooks create https://receiver.example.com/events --action client --action token.revoke',
    'chancery webhooks create - --json < address.txt',
  ],
  run: async (call) => {
    const request = await webhookRequest(call.options, call.operands.url);
    await withRegistry(call, { create: false }, async (session) => {
      const act = await creationOfWebhook(session.tenant.webhooks, request);
      printAfter(session, act, call, await stored(session, 'webhook.create', act));
    });
  },
});

const update = command({
  words: ['webhooks', 'update'],
  summary: 'Change the address, the actions or the size of the deliveries of a webhook',
  description: [
    'Members that the command does not name stay as they are. The new actions also select among events that are not delivered yet.',
  ],
  servers: BESIDE_SERVERS,
  operands: WEBHOOK,
  options: { ...UPDATE_OPTIONS, ...REGISTRY_OPTIONS },
  environment: SETTINGS_VARIABLES,
  output: ONE_WEBHOOK,
  examples: ['chancery webhooks update 7xVq2mBn4TfLw9Ye --action client --events-max 50'],
  run: async (call) => {
    const request = await webhookRequest(call.options);
    await withWebhook(call, async (session, webhook) => {
      const act = changeOfWebhook(session.tenant.webhooks, webhook, request);
      await stored(session, 'webhook.update', act);
      printAfter(session, act, call);
    });
  },
});

const enable = command({
  words: ['webhooks', 'enable'],
  summary: 'Deliver events to a disabled webhook again, from where it was',
  description: ['With --from-now, what was recorded meanwhile is never delivered to it.'],
  servers: BESIDE_SERVERS,
  operands: WEBHOOK,
  options: {
    'from-now': {
      kind: 'flag',
      words: 'Takes the webhook to the end of the audit, and drops its waiting deliveries.',
    },
    ...REGISTRY_OPTIONS,
  },
  environment: SETTINGS_VARIABLES,
  output: ONE_WEBHOOK,
  examples: ['chancery webhooks enable 7xVq2mBn4TfLw9Ye --from-now'],
  run: async (call) => await switched(call, { isEnabled: true, fromNow: call.options['from-now'] }),
});

const disable = command({
  words: ['webhooks', 'disable'],
  summary: 'Stop the deliveries to a webhook, and keep its place',
  description: ['Its place in the audit and its deliveries are kept for `webhooks enable`.'],
  servers: BESIDE_SERVERS,
  operands: WEBHOOK,
  options: REGISTRY_OPTIONS,
  environment: SETTINGS_VARIABLES,
  output: ONE_WEBHOOK,
  examples: ['chancery webhooks disable 7xVq2mBn4TfLw9Ye'],
  run: async (call) => await switched(call, { isEnabled: false, fromNow: false }),
});

async function switched(
  call: Parameters<typeof withWebhook>[0],
  wish: Parameters<typeof switchOfWebhook>[2],
): Promise<void> {
  await withWebhook(call, async (session, webhook) => {
    const act = await switchOfWebhook(session.tenant.webhooks, webhook, wish);
    await stored(session, 'webhook.update', act);
    printAfter(session, act, call);
  });
}

const remove = command({
  words: ['webhooks', 'delete'],
  summary: 'Delete a webhook with its deliveries',
  description: ['This cannot be undone. Events that were not delivered stay in the audit.'],
  servers: BESIDE_SERVERS,
  operands: WEBHOOK,
  options: REGISTRY_OPTIONS,
  environment: SETTINGS_VARIABLES,
  output: 'One line. With --json, one JSON object with `done`.',
  examples: ['chancery webhooks delete 7xVq2mBn4TfLw9Ye'],
  run: async (call) =>
    await withWebhook(call, async (session, webhook) => {
      await stored(session, 'webhook.delete', deletionOfWebhook(session.tenant.webhooks, webhook));
      printItem(undefined, call);
    }),
});

const rotate = command({
  words: ['webhooks', 'rotate-secret'],
  summary: 'Make a new secret for a webhook',
  description: [`${ONCE} The former one signs beside it for \`webhooks.secret-overlap\`.`],
  servers: BESIDE_SERVERS,
  operands: WEBHOOK,
  options: REGISTRY_OPTIONS,
  environment: SETTINGS_VARIABLES,
  output: 'The secret and its id. With --json, one JSON object with `secret` and `secret_id`.',
  examples: ['chancery webhooks rotate-secret 7xVq2mBn4TfLw9Ye'],
  run: async (call) =>
    await withWebhook(call, async (session, webhook) => {
      const act = rotationOfSecret(session.tenant.webhooks, webhook);
      printItem(shownSecret(await stored(session, 'webhook.secret', act)), call);
    }),
});

const test = command({
  words: ['webhooks', 'test'],
  summary: 'Send a signed delivery without events to a webhook, and say what came of it',
  description: [
    'The delivery goes at once, also to a disabled webhook. Without --server, this machine sends it: its network may differ from that of the servers.',
  ],
  servers: READS_BESIDE_SERVERS,
  operands: WEBHOOK,
  options: REGISTRY_OPTIONS,
  environment: SETTINGS_VARIABLES,
  output:
    'Whether the receiver accepted the delivery, and otherwise the problem. With --json, one JSON object.',
  exits: { 1: 'The receiver did not accept the delivery, or the command failed.' },
  examples: ['chancery webhooks test 7xVq2mBn4TfLw9Ye'],
  run: async (call) =>
    await withWebhook(call, async ({ tenant }, webhook) => {
      const outcome = await testWebhook(tenant.webhooks, webhook);
      printItem(outcome, call);
      if (!outcome.accepted) throw new CommandFailure(NOT_ACCEPTED);
    }),
});

const DELIVERY_HEADS = ['ID', 'STATE', 'EVENTS', 'ATTEMPTS', 'LAST', 'NEXT', 'PROBLEM'];

const deliveries = command({
  words: ['webhooks', 'deliveries'],
  summary: 'List the deliveries of a webhook that wait or have failed',
  description: [
    'They come in the order of the audit. A delivery has failed after `webhooks.attempts-max` attempts: `webhooks redeliver` tries it again, and `webhooks drop` discards it.',
  ],
  servers: READS_BESIDE_SERVERS,
  operands: WEBHOOK,
  options: REGISTRY_OPTIONS,
  environment: SETTINGS_VARIABLES,
  output: 'A table with one line for each delivery. With --json, one JSON object per line.',
  examples: ['chancery webhooks deliveries 7xVq2mBn4TfLw9Ye'],
  run: async (call) =>
    await withWebhook(call, async ({ tenant }, { id }) => {
      const { webhooks } = tenant.webhooks.storage;
      const lines = call.options.json ? undefined : table(call.print, DELIVERY_HEADS);
      let page: readonly StoredDelivery[];
      let after = -1;
      do {
        page = await webhooks.deliveries(id, after, PAGE);
        const items = page.map(deliveryItem);
        if (lines === undefined) for (const item of items) call.print(JSON.stringify(item));
        else lines.print(items.map(deliveryCells));
        after = page.at(-1)?.after_sequence ?? after;
      } while (page.length === PAGE);
    }),
});

const deliveryCells = (item: ReturnType<typeof deliveryItem>): readonly string[] => {
  const { id, state, events, attempts, attempted_at, due_at, problem } = item;
  return [id, state, events, attempts, attempted_at, due_at, problem].map(cellOf);
};

/** Declares `webhooks redeliver` or `webhooks drop`. */
const deliveryCommand = (
  verb: 'redeliver' | 'drop',
  texts: Pick<Command, 'summary' | 'description'>,
): Command =>
  command({
    words: ['webhooks', verb],
    ...texts,
    servers: BESIDE_SERVERS,
    operands: {
      ...WEBHOOK,
      delivery: { unless: 'all', words: 'Names the delivery by its id, which `webhooks deliveries` prints.' },
    },
    options: {
      all: { kind: 'flag', words: 'Takes all failed deliveries of the webhook.' },
      ...REGISTRY_OPTIONS,
    },
    environment: SETTINGS_VARIABLES,
    output: 'How many deliveries were concerned. With --json, one JSON object with `deliveries`.',
    examples: [
      `chancery webhooks ${verb} 7xVq2mBn4TfLw9Ye 1200-1220`,
      `chancery webhooks ${verb} 7xVq2mBn4TfLw9Ye --all`,
    ],
    run: async (call) =>
      await withWebhook(call, async (session, webhook) => {
        const { webhooks } = session.tenant;
        const act = await actOnDeliveries(webhooks, webhook, verb, call.operands.delivery);
        printItem({ deliveries: await stored(session, `webhook.${verb}`, act) }, call);
      }),
  });

export const WEBHOOK_COMMANDS: readonly Command[] = [
  list,
  show,
  create,
  update,
  enable,
  disable,
  remove,
  rotate,
  test,
  deliveries,
  deliveryCommand('redeliver', {
    summary: 'Try failed deliveries of a webhook again, once',
    description: ['A server makes one further attempt for each, beside the other deliveries of the webhook.'],
  }),
  deliveryCommand('drop', {
    summary: 'Discard failed deliveries of a webhook',
    description: [
      'The receiver never gets their events. The events stay in the audit. This cannot be undone.',
    ],
  }),
];

import type { WebhookRequest } from '../events/webhooks/manage.ts';
import { CommandFailure, calledWrongly } from './failure.ts';
import { readInput } from './input.ts';

const FROM_INPUT =
  '`-` reads it from standard input: other users of the machine see a command line, and the query of an address may hold a secret.';

export const URL_WORDS = `Names the address that the server calls, with https. ${FROM_INPUT}`;

/** The members of a webhook that an operator sets, beside its address. */
export const WEBHOOK_OPTIONS = {
  description: { kind: 'text', value: 'TEXT', words: 'Sets what the webhook is for.' },
  action: {
    kind: 'text',
    value: 'ACTION',
    repeated: true,
    words:
      'Selects events by their action, such as `client.create`, or by the noun of their action, such as `client`. docs/reference/audit-events.md has them all.',
  },
  'events-max': { kind: 'count', words: 'Sets how many events a delivery has at most: 20 unless set.' },
} as const;

export const UPDATE_OPTIONS = {
  url: { kind: 'text', value: 'URL', words: `Sets another address. ${FROM_INPUT}` },
  ...WEBHOOK_OPTIONS,
  'all-actions': { kind: 'flag', words: 'Selects every event.' },
} as const;

/** The failure of `webhooks test`. */
export const NOT_ACCEPTED = 'the receiver did not accept the delivery';

/** The longest address that the server takes is shorter. */
const URL_BYTES_MAX = 16_384;

/** Returns what the options of `webhooks create` and `webhooks update` wish. @param address the operand in place of `--url` */
export async function webhookRequest(
  options: Readonly<Record<string, unknown>>,
  address?: unknown,
): Promise<WebhookRequest> {
  const { description, action, 'events-max': events_max, 'all-actions': all, url = address } = options;
  if (all === true && action !== undefined)
    throw calledWrongly('--action and --all-actions exclude each other');
  const given = {
    url: typeof url === 'string' ? await addressOf(url) : undefined,
    description,
    actions: all === true ? [] : action,
    events_max,
  };
  const request: WebhookRequest = Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined),
  );
  if (Object.keys(request).length === 0) throw calledWrongly('name at least one member to change');
  return request;
}

async function addressOf(word: string): Promise<string> {
  if (word !== '-') return word;
  const read = Buffer.from(await readInput('-', URL_BYTES_MAX, 'an address is shorter'));
  const url = read.toString('utf8').trim();
  if (url === '') throw new CommandFailure('standard input has no address');
  return url;
}

import type { AuditFilter } from '../../ports/audit-log.ts';
import type { Random } from '../../ports/random.ts';
import type { Sealer } from '../../ports/sealer.ts';
import type { StoredWebhook } from '../../ports/webhook-store.ts';
import { AUDIT_EVENTS, type AuditAction } from '../../spec/audit-events.ts';
import type { Sealed, WebhookId } from '../../spec/identifiers.ts';
import type { Selection } from '../audit-selection.ts';
import type { MessageSecret } from './message-signature.ts';

/** The part that an operator sets and may read. */
export interface WebhookConfiguration {
  /** Without its query, which may hold a secret. */
  readonly url: string;
  readonly has_query: boolean;
  readonly description: string;
  /** Actions such as `client.create`, or the nouns of actions such as `client`. Empty: every action. */
  readonly actions: readonly string[];
  /** The maximum number of events in a delivery. */
  readonly events_max: number;
}

/** A secret that signs deliveries. */
export interface WebhookSecret extends MessageSecret {
  readonly created_at: number;
  /** Until then it signs beside its successor; null for the current one. */
  readonly expires_at: number | null;
}

/** The part that only the server reads. */
export interface WebhookSecrets {
  /** With its question mark; empty without a query. */
  readonly query: string;
  readonly secrets: readonly WebhookSecret[];
}

export const EVENTS_MAX = { default: 20, max: 100 } as const;

const SECRET_LENGTH = 43;
const SECRET_ID_LENGTH = 8;

export const newSecret = (random: Random, created_at: number): WebhookSecret => ({
  id: random.alphanumeric(SECRET_ID_LENGTH),
  value: random.alphanumeric(SECRET_LENGTH),
  created_at,
  expires_at: null,
});

const placeOf = (id: WebhookId): string => `webhook ${id}`;

export const configurationOf = ({
  configuration,
}: Pick<StoredWebhook, 'configuration'>): WebhookConfiguration =>
  JSON.parse(configuration) as WebhookConfiguration;

export const sealSecrets = (sealer: Sealer, id: WebhookId, secrets: WebhookSecrets): Sealed =>
  sealer.seal(JSON.stringify(secrets), placeOf(id));

export const openSecrets = (
  sealer: Sealer,
  { id, sealed }: Pick<StoredWebhook, 'id' | 'sealed'>,
): WebhookSecrets => JSON.parse(sealer.open(sealed, placeOf(id))) as WebhookSecrets;

const ROWS = Object.entries(AUDIT_EVENTS).flatMap(([action, { place }]) =>
  place === 'row' ? [action as AuditAction] : [],
);

/** Returns which events a webhook selects. An action that a later program has, and this one has not, selects nothing. */
export function selectionOfWebhook({ actions }: Pick<WebhookConfiguration, 'actions'>): Selection {
  const filter: AuditFilter =
    actions.length === 0
      ? {}
      : {
          actions: ROWS.filter((row) => actions.some((each) => row === each || row.startsWith(`${each}.`))),
        };
  return { filter, since: undefined, until: undefined };
}

export const isKnownAction = (wanted: string): boolean =>
  ROWS.some((row) => row === wanted || row.startsWith(`${wanted}.`));

/** Encrypts the secrets of every webhook with the current key. Returns the number of changed webhooks. */
export async function resealWebhooks(
  webhooks: {
    page(after: WebhookId | undefined, limit: number): Promise<readonly StoredWebhook[]>;
    replace(webhook: StoredWebhook, version: number, change: { readonly event: undefined }): Promise<boolean>;
  },
  sealer: Sealer,
): Promise<number> {
  let changed = 0;
  const pending = async (): Promise<readonly StoredWebhook[]> =>
    (await webhooks.page(undefined, 1000)).filter(({ sealed }) => !sealer.isCurrent(sealed));
  for (let left = await pending(); left.length > 0; left = await pending())
    for (const webhook of left) {
      const sealed = sealSecrets(sealer, webhook.id, openSecrets(sealer, webhook));
      const fresh = { ...webhook, version: webhook.version + 1, sealed };
      // A lost race comes again with the next look.
      if (await webhooks.replace(fresh, webhook.version, { event: undefined })) changed += 1;
    }
  return changed;
}

import type { Sealed, WebhookId } from '../spec/identifiers.ts';
import type { AuditEvent } from './audit-log.ts';

/** An address of another party that receives audit events. */
export interface StoredWebhook {
  readonly id: WebhookId;
  /** Grows by one with each change of what an operator sets. */
  readonly version: number;
  /** JSON text: what operators set and may see. */
  readonly configuration: string;
  /** The secrets, and the part of the URL that may hold one. */
  readonly sealed: Sealed;
  /** Seconds since the Unix epoch. */
  readonly created_at: number;
  readonly updated_at: number;
  readonly disabled_at: number | null;
  /** The sequence of the audit up to which events are delivered, or planned as deliveries, or not selected. */
  readonly position: number;
  /** When a delivery was accepted last; null before the first one. */
  readonly delivered_at: number | null;
  /** Events that were delivered. */
  readonly delivered: number;
  /** Events that were swept before they could be delivered. They may have been others than the selected ones. */
  readonly missed: number;
}

/** Events in one request: those between two sequences that the webhook selects. */
export interface StoredDelivery {
  readonly webhook_id: WebhookId;
  /** The events come after this sequence. With the webhook it identifies the delivery. */
  readonly after_sequence: number;
  readonly until_sequence: number;
  /** How many events were selected when it was planned. */
  readonly events: number;
  /** How many events before `until_sequence` were swept before it was planned. */
  readonly missed: number;
  readonly state: 'waiting' | 'failed';
  readonly created_at: number;
  /** The number of times a process took it. */
  readonly attempts: number;
  readonly attempted_at: number | null;
  /** The time from which a process may take it; null once it has failed for good. */
  readonly due_at: number | null;
  /** The cause of the last failed attempt, for the operator. */
  readonly problem: string | null;
}

/** A lease on a delivery. It ends when another process takes the delivery. */
export type TakenDelivery = Pick<
  StoredDelivery,
  'webhook_id' | 'after_sequence' | 'until_sequence' | 'events' | 'missed' | 'attempts'
>;

/** A step of a webhook through the audit. Without a delivery, nothing between the two positions was selected. */
export interface DeliveryPlan {
  readonly from: number;
  readonly to: number;
  readonly delivery: Pick<StoredDelivery, 'events' | 'missed' | 'created_at'> | undefined;
}

export type DeliveryOutcome =
  | { readonly outcome: 'delivered'; readonly at: number }
  | { readonly outcome: 'failed'; readonly problem: string }
  | { readonly outcome: 'postponed'; readonly problem: string; readonly due_at: number };

/** The webhooks of a tenant together. Times are undefined where there is none. */
export interface WebhookFigures {
  /** Events of the audit that enabled webhooks have not looked at, summed over the webhooks. */
  readonly behind: number;
  readonly waiting: number;
  readonly failed: number;
  /** When the longest waiting delivery was planned. */
  readonly oldest: number | undefined;
}

/** The deliveries of one webhook that were not accepted yet. */
export interface WebhookBacklog {
  readonly webhook_id: WebhookId;
  readonly waiting: number;
  /** Deliveries that failed for good. */
  readonly failed: number;
}

export interface WebhookStore {
  find(id: WebhookId): Promise<StoredWebhook | undefined>;
  /** Returns at most `limit` webhooks after `after`, ordered by id. */
  page(after: WebhookId | undefined, limit: number): Promise<readonly StoredWebhook[]>;
  /** Returns at most `limit` deliveries of a webhook that begin after `after`, in the order of the audit. */
  deliveries(id: WebhookId, after: number, limit: number): Promise<readonly StoredDelivery[]>;
  /**
   * Returns enabled webhooks that are behind the audit, have no waiting delivery, and fewer than `failedMax` deliveries that
   * failed for good.
   */
  toPlan(failedMax: number): Promise<readonly StoredWebhook[]>;
  /** Returns the time when the next delivery of an enabled webhook is due; undefined if none waits. */
  nextDue(): Promise<number | undefined>;
  figures(): Promise<WebhookFigures>;
  /** Returns the backlog of each webhook that has one, in no order. */
  backlogs(): Promise<readonly WebhookBacklog[]>;
  /** Adds a webhook. Returns false if there are `max` webhooks already, also if they were created at the same moment. */
  create(webhook: StoredWebhook, max: number, event: AuditEvent): Promise<boolean>;
  /**
   * Replaces what an operator sets, if the version is the given one. Position and counts stay, unless `position` is given:
   * then the waiting deliveries go too. One of two callers that have read the same version succeeds.
   */
  replace(
    webhook: Pick<
      StoredWebhook,
      'id' | 'version' | 'configuration' | 'sealed' | 'updated_at' | 'disabled_at'
    >,
    expectedVersion: number,
    change: { readonly event: AuditEvent | undefined; readonly position?: number },
  ): Promise<boolean>;
  /** Deletes a webhook with its deliveries, if the version is the given one. */
  delete(id: WebhookId, expectedVersion: number, event: AuditEvent): Promise<boolean>;
  /** Moves a webhook on, and plans the delivery. Returns false and changes nothing if another process has moved it, or it is disabled. */
  plan(id: WebhookId, plan: DeliveryPlan): Promise<boolean>;
  /** Leases due deliveries of enabled webhooks, longest due first. Among concurrent callers, in any process, each goes to one caller. */
  take(taking: {
    readonly now: number;
    readonly until: number;
    readonly limit: number;
  }): Promise<readonly TakenDelivery[]>;
  /** Records the outcome of an attempt. Returns false and changes nothing if another process holds the lease now. */
  settle(taken: TakenDelivery, outcome: DeliveryOutcome): Promise<boolean>;
  /** Makes failed deliveries due again: one, or all. Returns their number. */
  redeliver(id: WebhookId, after: number | undefined, now: number, event: AuditEvent): Promise<number>;
  /** Deletes failed deliveries: one, or all. Returns their number. */
  drop(id: WebhookId, after: number | undefined, event: AuditEvent): Promise<number>;
  /** Deletes at most `limit` failed deliveries that were attempted last before `before`, and returns their number. */
  sweepFailed(before: number, limit: number): Promise<number>;
}

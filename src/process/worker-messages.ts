import type { AddressInfo } from 'node:net';
import type { ReadyState } from '../endpoints/health/endpoint.ts';

export type Question = 'state' | 'metrics';

/** What the process that looks after the workers tells one of them. */
export type ToWorker =
  | { readonly kind: 'stop' }
  | { readonly kind: 'ask'; readonly id: number; readonly what: Question };

/** What a worker tells it. */
export type FromWorker =
  | { readonly kind: 'serving'; readonly address: AddressInfo }
  | { readonly kind: 'answer'; readonly id: number; readonly value: string };

/** As it comes over the channel; anything else is not ours. */
export function isFromWorker(message: unknown): message is FromWorker {
  return typeof message === 'object' && message !== null && 'kind' in message;
}

export function isToWorker(message: unknown): message is ToWorker {
  return typeof message === 'object' && message !== null && 'kind' in message;
}

const STATES: ReadonlySet<string> = new Set(['starting', 'ready', 'not-ready', 'stopping']);

export const asState = (text: string | undefined): ReadyState =>
  text !== undefined && STATES.has(text) ? (text as ReadyState) : 'not-ready';

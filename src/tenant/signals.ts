import type { Endpoint } from '../endpoints/contract.ts';
import { eventStreamPoll } from '../endpoints/event-stream-poll/endpoint.ts';
import { eventStreamStatus, eventStreamStatusUpdate } from '../endpoints/event-stream-status/endpoint.ts';
import {
  eventStreamSubjectAdd,
  eventStreamSubjectRemove,
} from '../endpoints/event-stream-subjects/endpoint.ts';
import { eventStreamVerification } from '../endpoints/event-stream-verification/endpoint.ts';
import {
  eventStreamCreate,
  eventStreamDelete,
  eventStreamRead,
  eventStreamReplace,
  eventStreamUpdate,
} from '../endpoints/event-streams/endpoint.ts';
import { signalsConfiguration } from '../endpoints/signals-configuration/endpoint.ts';
import type { Issuer } from './issuer.ts';
import { claimsFrom } from './signal-delivery.ts';

type SignalParts = ReturnType<typeof signalParts>;

/** Returns the parts of an issuer that the endpoints of streams take. */
function signalParts(issuer: Issuer) {
  const { keys, metrics, storage } = issuer;
  return {
    ...issuer,
    claimsFor: claimsFrom({ grants: storage.grants, clock: issuer.clock }),
    eventStreams: storage.eventStreams,
    pairwiseSecret: keys.pairwiseSecret,
    count: (outcome: 'acknowledged' | 'refused' | 'unneeded', events: number): void =>
      metrics.count('chancery_signals_deliveries_total', { outcome }, events),
  };
}

/** The management of streams of security events. */
const SIGNAL_ENDPOINTS: readonly ((parts: SignalParts) => Endpoint)[] = [
  eventStreamCreate,
  eventStreamRead,
  eventStreamUpdate,
  eventStreamReplace,
  eventStreamDelete,
  eventStreamStatus,
  eventStreamStatusUpdate,
  eventStreamSubjectAdd,
  eventStreamSubjectRemove,
  eventStreamVerification,
  eventStreamPoll,
];

/** Returns the endpoints of streams. */
export function signalEndpoints(issuer: Issuer): readonly Endpoint[] {
  const parts = signalParts(issuer);
  return SIGNAL_ENDPOINTS.map((open) => open(parts));
}

/** Returns the endpoint of the transmitter's metadata, which names the endpoints that stand. */
export const signalsMetadata = (issuer: Issuer, endpoints: readonly Endpoint[]): Endpoint =>
  signalsConfiguration(issuer, endpoints);

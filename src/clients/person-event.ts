import type { Settings } from '../config/settings.ts';
import type { AuditEvent } from '../ports/audit-log.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { AuditAction } from '../spec/audit-events.ts';
import { shortenedAddress } from '../spec/ip-address.ts';
import { shownText } from '../spec/shown-text.ts';

/** Says where a request came from, for limits, the log and the audit. */
export interface RequestOrigin {
  readonly remoteAddress: string;
  readonly request_id: string;
  /** As the browser or client sent it; undefined if it sent none. */
  readonly userAgent: string | undefined;
}

interface OriginatingRequest {
  readonly id: string;
  readonly remoteAddress: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

export function originOf({ id, remoteAddress, headers }: OriginatingRequest): RequestOrigin {
  return { remoteAddress, request_id: id, userAgent: headers['user-agent'] };
}

export interface PersonEventNeeds {
  readonly clock: Clock;
  readonly settings: Pick<Settings, 'log.address-bits-ipv4' | 'log.address-bits-ipv6'>;
}

/** The account and the client that an act is about. */
interface About {
  readonly sub: string | undefined;
  readonly client_id: string | null;
  readonly actor?: string;
  readonly outcome?: AuditEvent['outcome'];
  readonly detail?: string | null;
}

/** Makes the event of an act of a person, or of a client for one. */
export function personEvent(
  { clock, settings }: PersonEventNeeds,
  action: AuditAction,
  { sub, client_id, actor = 'end-user', outcome = 'done', detail = null }: About,
  origin: RequestOrigin,
): AuditEvent {
  return {
    at: clock.now(),
    action,
    outcome,
    actor,
    client_id,
    request_id: origin.request_id,
    detail,
    ...(sub === undefined ? {} : { sub }),
    ...placeOf(settings, origin),
  };
}

const USER_AGENT_MAX = 200;

/** Returns the members that say where an act came from. */
export function placeOf(
  settings: PersonEventNeeds['settings'],
  { remoteAddress, userAgent }: RequestOrigin,
): Pick<AuditEvent, 'address' | 'user_agent'> {
  const bits = { ipv4: settings['log.address-bits-ipv4'], ipv6: settings['log.address-bits-ipv6'] };
  return {
    address: shortenedAddress(remoteAddress, bits),
    ...(userAgent === undefined ? {} : { user_agent: shownText(userAgent, USER_AGENT_MAX) }),
  };
}

/** Logs an event whose row, if it has one, is stored with its change. */
export function logEvent({ log }: { readonly log: Log }, event: AuditEvent): void {
  log.info({ ...event }, 'audit');
}

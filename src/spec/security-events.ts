/** The base of the event types of OpenID CAEP 1.0 §3. */
const CAEP = 'https://schemas.openid.net/secevent/caep/event-type/';
/** The base of the events about a stream itself (OpenID Shared Signals Framework 1.0 §8.1.4, §8.1.5). */
const SSF = 'https://schemas.openid.net/secevent/ssf/event-type/';

/** The events that a client may ask for, by the names that the storage has. */
export const REQUESTABLE_EVENTS = {
  'session-revoked': `${CAEP}session-revoked`,
  'credential-change': `${CAEP}credential-change`,
  'token-claims-change': `${CAEP}token-claims-change`,
} as const;

/** The `credential_type` of a client's secret, which OpenID CAEP 1.0 §3.2.1 does not name. */
export const CLIENT_SECRET_CREDENTIAL = 'client-secret';

export type RequestableEvent = keyof typeof REQUESTABLE_EVENTS;

/** Every kind of event, with its type. */
export const EVENT_TYPES = {
  ...REQUESTABLE_EVENTS,
  verification: `${SSF}verification`,
  'stream-updated': `${SSF}stream-updated`,
} as const;

export type SignalKind = keyof typeof EVENT_TYPES;

/** OpenID Shared Signals Framework 1.0 §8.1.2.1. */
export const STREAM_STATUSES = ['enabled', 'paused', 'disabled'] as const;

export type StreamStatus = (typeof STREAM_STATUSES)[number];

/** The delivery methods, by the names that the storage has (OpenID Shared Signals Framework 1.0 §6.1). */
export const DELIVERY_METHODS = { push: 'urn:ietf:rfc:8935', poll: 'urn:ietf:rfc:8936' } as const;

/** RFC 8417 §2.3. */
export const SECURITY_EVENT_TYPE = 'secevent+jwt';

import type { KeyObject } from 'node:crypto';
import { sessionFor, subjectFor } from '../../clients/issued-jwt/pairwise-subject.ts';
import type { ServerKeys } from '../../keys/server-keys.ts';
import type { StoredSecurityEvent, StoredStream } from '../../ports/event-stream-store.ts';
import type { ClientMetadata } from '../../spec/client-metadata.ts';
import type { SignatureAlgorithm } from '../../spec/jose-algorithms.ts';
import {
  CLIENT_SECRET_CREDENTIAL,
  EVENT_TYPES,
  SECURITY_EVENT_TYPE,
  type SignalKind,
} from '../../spec/security-events.ts';
import type { SubjectIdentifier } from '../../spec/subject-identifier.ts';

/** The facts of an event, as the storage wrote them. */
export interface SignalFacts {
  readonly sub?: string;
  readonly sid?: string;
  readonly actor?: string;
  readonly action?: string;
  readonly request_id?: string | null;
  readonly credential_type?: string;
  readonly change_type?: string;
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly state?: string;
  readonly status?: string;
  readonly reason?: string | null;
}

export const factsOf = ({ content }: Pick<StoredSecurityEvent, 'content'>): SignalFacts =>
  JSON.parse(content) as SignalFacts;

/** The identifier of an event, which its client acknowledges (RFC 8417 §2.2). */
export const eventId = ({
  stream_id,
  sequence,
}: Pick<StoredSecurityEvent, 'stream_id' | 'sequence'>): string => `${stream_id}.${sequence}`;

const NUMBER = /^[1-9]\d{0,14}$/u;

/** Returns the number of an event of this stream; undefined for the identifier of anything else. */
export function sequenceOf(jti: string, { id }: Pick<StoredStream, 'id'>): number | undefined {
  const number = jti.startsWith(`${id}.`) ? jti.slice(id.length + 1) : '';
  return NUMBER.test(number) ? Number(number) : undefined;
}

/** Returns the subject of an event as its client knows it: pairwise where the client has pairwise subjects. */
export function subjectOf(
  stream: Pick<StoredStream, 'id' | 'issuer' | 'client_id'>,
  metadata: ClientMetadata,
  { kind, facts: { sub, sid } }: { readonly kind: SignalKind; readonly facts: SignalFacts },
  secret: KeyObject,
): SubjectIdentifier {
  const opaque = (id: string): SubjectIdentifier => ({ format: 'opaque', id });
  if (kind === 'verification' || kind === 'stream-updated') return opaque(stream.id);
  const application = opaque(stream.client_id);
  if (sub === undefined) return { format: 'complex', application };
  const user = { format: 'iss_sub', iss: stream.issuer, sub: subjectFor(metadata, sub, secret) };
  if (kind !== 'session-revoked') return user;
  return sid === undefined
    ? { format: 'complex', user, application }
    : { format: 'complex', user, session: opaque(sessionFor(metadata, sid, secret)) };
}

/** An event of a stream, with all that its client may see of it. */
export interface SeenEvent {
  readonly event: StoredSecurityEvent;
  readonly facts: SignalFacts;
  readonly subject: SubjectIdentifier;
}

/** The algorithms in the order of preference: every receiver knows the first one (OpenID CAEP Interoperability Profile 1.0 §2.6). */
const ALGORITHMS: readonly SignatureAlgorithm[] = ['RS256', 'ES256', 'EdDSA', 'PS256', 'ES384', 'ES512'];

/**
 * Makes the security event token of an event (RFC 8417 §2), with exactly one event, and without `sub` and `exp` (OpenID Shared Signals
 * Framework 1.0 §4.1). A retry has the same claims.
 */
export async function securityEventToken(
  keys: Pick<ServerKeys, 'canSign' | 'sign'>,
  { issuer, client_id }: Pick<StoredStream, 'issuer' | 'client_id'>,
  { event, facts, subject }: SeenEvent,
  now: number,
): Promise<string> {
  const alg = ALGORITHMS.find((each) => keys.canSign(each));
  if (alg === undefined) throw new Error('no server key signs security events');
  const { kind, at } = event;
  const { request_id } = facts;
  const claims = {
    iss: issuer,
    jti: eventId(event),
    iat: at ?? now,
    aud: client_id,
    ...(typeof request_id === 'string' ? { txn: request_id } : {}),
    sub_id: subject,
    events: { [EVENT_TYPES[kind]]: bodyOf(event, facts) },
  };
  return await keys.sign(claims, { alg, typ: SECURITY_EVENT_TYPE });
}

function bodyOf(
  { kind, at }: Pick<StoredSecurityEvent, 'kind' | 'at'>,
  facts: SignalFacts,
): Readonly<Record<string, unknown>> {
  const { state, status, reason, credential_type, change_type, claims } = facts;
  if (kind === 'verification') return state === undefined ? {} : { state };
  if (kind === 'stream-updated') return { status, ...(typeof reason === 'string' ? { reason } : {}) };
  return {
    ...(credential_type === undefined ? {} : { credential_type, change_type }),
    ...(claims === undefined ? {} : { claims }),
    ...(at === null ? {} : { event_timestamp: at }),
    initiating_entity: initiator(facts.actor ?? ''),
    reason_admin: { en: reasonOf(facts) },
  };
}

/** Returns why it happened, by what changed and by the action of the audit. */
function reasonOf({ credential_type, action = '' }: SignalFacts): string {
  if (credential_type === CLIENT_SECRET_CREDENTIAL) return SECRET_CHANGED;
  return REASONS[action] ?? 'The authorisation server ended it.';
}

/** Returns the party that invoked the event (OpenID CAEP 1.0 §2), from the actor of the audit. */
function initiator(actor: string): 'admin' | 'user' | 'policy' | 'system' {
  if (actor === 'end-user') return 'user';
  if (actor === 'cli' || /^(?:admin|master)(?::|$)/u.test(actor)) return 'admin';
  return actor === 'server' ? 'policy' : 'system';
}

const SECRET_CHANGED = 'The credentials of the application were changed.';

const REASONS: Readonly<Record<string, string>> = {
  'session.end': 'The session was ended.',
  'session.create': 'Another session took the place of this one.',
  'grant.end': 'The authorisation of the application was revoked.',
  'token.revoke': 'The authorisation of the application was revoked.',
  'consent.withdraw': 'The consent to the application was withdrawn.',
  'account.update': 'The account was changed.',
  'account.delete': 'The account was deleted.',
  'account.revoke': 'Everything of the person was revoked.',
};

import assert from 'node:assert/strict';
import { decodeJwt, decodeProtectedHeader, type JWTPayload } from 'jose';
import { personEvent } from '../clients/person-event.ts';
import type { Settings } from '../config/settings.ts';
import type { StoredClient } from '../ports/client-store.ts';
import type { StoredSession } from '../ports/session-store.ts';
import type { ClientId, Subject } from '../spec/identifiers.ts';
import { DELIVERY_METHODS } from '../spec/security-events.ts';
import type { ClientInformation } from './client-information.ts';
import { type Answer, REQUEST_ID, type TestRequest } from './exchange.ts';
import type { TestPlatformOptions } from './platform.ts';
import { aSession, NEW_SESSION } from './storage/end-user-examples.ts';
import { CALLBACK, type TestTenant, testTenant } from './tenant.ts';

export const ENDPOINT_URL = 'https://receiver.example/events';
export const PUSH = { method: DELIVERY_METHODS.push, endpoint_url: ENDPOINT_URL };

/** A tenant with streams of security events. */
export const signalTenant = (
  settings: Partial<Settings> = {},
  options: TestPlatformOptions = {},
): TestTenant => testTenant({ ...options, settings: { 'signals.enabled': true, ...settings } });

/** A client that manages streams. */
export interface TestReceiver {
  readonly client: ClientInformation;
  readonly token: string;
  send(endpoint: string, request?: TestRequest): Promise<Answer>;
  /** Makes a stream and returns its identifier. */
  stream(request?: object): Promise<string>;
  /** Polls at once. */
  poll(stream_id: string, request?: object): Promise<readonly SecurityEvent[]>;
  stored(): Promise<StoredClient>;
}

/** A security event token, opened without a check. */
export interface SecurityEvent {
  readonly header: ReturnType<typeof decodeProtectedHeader>;
  readonly claims: JWTPayload & { readonly sub_id?: unknown };
  readonly type: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly jwt: string;
}

export function opened(jwt: string): SecurityEvent {
  const claims = decodeJwt(jwt);
  const [entry, ...more] = Object.entries(claims['events'] as Readonly<Record<string, object>>);
  assert.ok(entry !== undefined && more.length === 0, 'a token has one event');
  const [type, body] = entry;
  return { header: decodeProtectedHeader(jwt), claims, type, body: { ...body }, jwt };
}

export async function aReceiver(
  tenant: TestTenant,
  { scope = 'ssf.manage', ...metadata }: { readonly scope?: string; readonly [member: string]: unknown } = {},
): Promise<TestReceiver> {
  const client = await tenant.register({
    grant_types: ['client_credentials', 'authorization_code', 'refresh_token'],
    redirect_uris: [CALLBACK],
    scope: `${scope} openid email`,
    ...metadata,
  });
  const basic = [client.client_id, client.client_secret] as const;
  const got = await tenant.send('token', { basic, form: { grant_type: 'client_credentials', scope } });
  assert.equal(got.status, 200, got.body);
  const token = String(got.json['access_token']);
  const send: TestReceiver['send'] = async (endpoint, request = {}) =>
    await tenant.send(endpoint, { bearer: token, ...request });
  return {
    client,
    token,
    send,
    async stream(request = {}) {
      const made = await send('event-stream-create', { json: request });
      assert.equal(made.status, 201, made.body);
      return String(made.json['stream_id']);
    },
    async poll(stream_id, request = {}) {
      const json = { returnImmediately: true, ...request };
      const answered = await send('event-stream-poll', { segments: { stream_id }, json });
      assert.equal(answered.status, 200, answered.body);
      return Object.values(answered.json['sets'] as Readonly<Record<string, string>>).map(opened);
    },
    stored: async () => (await tenant.unwatched.clients.find(client.client_id as ClientId)) ?? assert.fail(),
  };
}

/** Begins a session in which these clients take part. */
export async function aSessionOf(
  tenant: TestTenant,
  sub: string,
  ...receivers: readonly TestReceiver[]
): Promise<StoredSession> {
  const session = aSession(sub as Subject);
  const now = tenant.clock.now();
  await tenant.unwatched.sessions.create(session, { ...NEW_SESSION, now });
  for (const each of receivers)
    await tenant.unwatched.sessions.addClient(session.sid, await each.stored(), now);
  return session;
}

/** Ends a session as its end-user does. */
export async function endOf(tenant: TestTenant, { key, sub }: StoredSession): Promise<void> {
  const { settings } = await tenant.registry();
  const origin = { remoteAddress: '192.0.2.1', request_id: REQUEST_ID, userAgent: undefined };
  const needs = { clock: tenant.clock, settings };
  const event = personEvent(needs, 'session.end', { sub, client_id: null }, origin);
  assert.ok((await tenant.unwatched.sessions.end(key, event)) !== undefined);
}

import { digestOf } from '../../keys/digest.ts';
import type { AuditEvent } from '../../ports/audit-log.ts';
import type { StoredAuthorizationCode } from '../../ports/authorization-code-store.ts';
import type { Clock } from '../../ports/clock.ts';
import type { InteractionStore, StoredInteraction } from '../../ports/interaction-store.ts';
import type { Random } from '../../ports/random.ts';
import {
  type ClientId,
  type ClientInstance,
  type Digest,
  IDENTIFIER_LENGTHS,
} from '../../spec/identifiers.ts';
import type { AuthorizationRequest } from '../authorization/authorization-request.ts';
import { newUserCode } from './user-code.ts';

export interface DeviceRequestNeeds {
  readonly interactions: InteractionStore;
  readonly clock: Clock;
  readonly random: Random;
}

/** The content of the record of a device code. */
export interface WaitingDevice {
  readonly client_id: ClientId;
  readonly client_instance: ClientInstance;
  /** Seconds between two requests for the tokens. */
  readonly interval: number;
  /** Present when the end-user or an administrator has refused. */
  readonly denied?: true;
  /** For the administrator: the facts to show, and the record to refuse. Absent in a record of a server that knew no list of devices. */
  readonly asked?: {
    readonly scope: readonly string[];
    readonly address: string;
    /** The key of the record under the code for people. */
    readonly user_code: Digest;
  };
}

export const waitingDevice = ({ content }: Pick<StoredInteraction, 'content'>): WaitingDevice =>
  JSON.parse(content) as WaitingDevice;

/** The device that an authorisation request is for, instead of a redirection URI. */
export interface Device {
  /** The key of its record, and of the record with its tokens. */
  readonly key: Digest;
  /** As the device shows it. */
  readonly user_code: string;
  /** The network address that the device asked from. */
  readonly address: string;
}

/** The underscore is in no other identifier, so that a device code is never an authorisation code. */
const PREFIX = 'device_';
const FORM = new RegExp(`^${PREFIX}[A-Za-z0-9]{${IDENTIFIER_LENGTHS.access_token}}$`, 'u');

/** Returns the key of a device code, without a look-up; undefined for a text that can be none. */
export function deviceKey(device_code: string): Digest | undefined {
  return FORM.test(device_code) ? digestOf(device_code) : undefined;
}

export const userCodeKey = (user_code: string): Digest => digestOf(`user-code:${user_code}`);

/** Returns what stands for the browser in the record of a device: lists of one client find it there. */
export const browserOfClient = (client_id: ClientId): Digest => digestOf(client_id);

/** Stores the request of a device under its two codes (RFC 8628 §3.2). */
export async function storeDeviceRequest(
  { interactions, clock, random }: DeviceRequestNeeds,
  { lifetime, interval }: { readonly lifetime: number; readonly interval: number },
  requestFor: (device: Device) => AuthorizationRequest,
  address: string,
): Promise<{ readonly device_code: string; readonly user_code: string }> {
  const device_code = PREFIX + random.alphanumeric(IDENTIFIER_LENGTHS.access_token);
  const user_code = newUserCode(random);
  const request = requestFor({ key: digestOf(device_code), user_code, address });
  const { client_id, client_instance, scope } = request;
  const asked = { scope, address, user_code: userCodeKey(user_code) };
  const waiting: WaitingDevice = { client_id, client_instance, interval, asked };
  const created_at = clock.now();
  const common = {
    browser: browserOfClient(client_id),
    version: 1,
    created_at,
    expires_at: created_at + lifetime,
  } as const;
  // The code for people last: it cannot be entered before the device is known.
  await interactions.begin({
    ...common,
    key: digestOf(device_code),
    kind: 'device',
    content: JSON.stringify(waiting),
  });
  await interactions.begin({
    ...common,
    key: asked.user_code,
    kind: 'user-code',
    content: JSON.stringify(request),
  });
  return { device_code, user_code };
}

/** Returns the request of a device by the code that its person entered; undefined for an unknown, used or expired one. */
export async function requestOfUserCode(
  { interactions, clock }: Pick<DeviceRequestNeeds, 'interactions' | 'clock'>,
  user_code: string,
): Promise<{ readonly stored: StoredInteraction; readonly request: AuthorizationRequest } | undefined> {
  const stored = await interactions.find(userCodeKey(user_code));
  if (stored?.kind !== 'user-code' || stored.expires_at <= clock.now()) return undefined;
  return { stored, request: JSON.parse(stored.content) as AuthorizationRequest };
}

/**
 * Uses a user code up and issues what its device redeems, in one act: of two persons with one code, one decides. Returns false if
 * the code is used or has expired.
 * @param codeFor makes the code for the time when the device gives up
 */
export async function useUserCode(
  needs: Pick<DeviceRequestNeeds, 'interactions' | 'clock'>,
  { user_code }: Device,
  codeFor: (ends_at: number) => StoredAuthorizationCode,
): Promise<boolean> {
  const found = await requestOfUserCode(needs, user_code);
  if (found === undefined) return false;
  const { stored } = found;
  return (await needs.interactions.allowDevice(stored, codeFor(stored.expires_at))) === 'done';
}

/**
 * Refuses a device: it learns so with its next request. Returns false if its code is used or has expired.
 * @param event recorded with the refusal; undefined if the caller logs it
 */
export async function refuseDevice(
  needs: Pick<DeviceRequestNeeds, 'interactions' | 'clock'>,
  { key, user_code }: { readonly key: Digest; readonly user_code: Digest },
  event?: AuditEvent,
): Promise<boolean> {
  const { interactions, clock } = needs;
  const stored = await interactions.find(key);
  if (stored?.kind !== 'device' || stored.expires_at <= clock.now()) return false;
  const denied: WaitingDevice = { ...waitingDevice(stored), denied: true };
  const refused = { device: stored, user_code, content: JSON.stringify(denied) };
  const outcome = await interactions.refuseDevice(refused, event);
  // Its own polls change the record too, when they come too soon.
  return outcome === 'changed_meanwhile'
    ? await refuseDevice(needs, { key, user_code }, event)
    : outcome === 'done';
}

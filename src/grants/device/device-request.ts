import { digestOf } from '../../keys/digest.ts';
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
  /** Present when the end-user has refused. */
  readonly denied?: true;
}

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

const userCodeKey = (user_code: string): Digest => digestOf(`user-code:${user_code}`);

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
  const { client_id, client_instance } = request;
  const waiting: WaitingDevice = { client_id, client_instance, interval };
  const created_at = clock.now();
  const common = {
    browser: digestOf(client_id),
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
    key: userCodeKey(user_code),
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
 * Uses a user code up. Returns the time when its device gives up, to one caller only: of two persons with one code, one decides.
 * Undefined if the code is used or has expired.
 */
export async function useUserCode(
  needs: Pick<DeviceRequestNeeds, 'interactions' | 'clock'>,
  { user_code }: Device,
): Promise<number | undefined> {
  const found = await requestOfUserCode(needs, user_code);
  if (found === undefined || (await needs.interactions.complete(found.stored)) !== 'done') return undefined;
  return found.stored.expires_at;
}

/** Lets the device learn that its person has refused. */
export async function denyDevice(
  { interactions }: Pick<DeviceRequestNeeds, 'interactions'>,
  { key }: Device,
): Promise<void> {
  const stored = await interactions.find(key);
  if (stored?.kind !== 'device') return;
  const waiting = JSON.parse(stored.content) as WaitingDevice;
  const denied: WaitingDevice = { ...waiting, denied: true };
  // Its own polls change the record too, when they come too soon.
  if ((await interactions.change(stored, JSON.stringify(denied))) !== 'done')
    await denyDevice({ interactions }, { key } as Device);
}

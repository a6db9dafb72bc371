import type { AuthenticatedClient } from '../../clients/client-authentication/authenticate-client.ts';
import type { StoredInteraction } from '../../ports/interaction-store.ts';
import { OAuthError } from '../../spec/errors.ts';
import { DEVICE_GRANT } from '../../spec/grant-types.ts';
import type { Digest } from '../../spec/identifiers.ts';
import { tokensForCode } from '../authorization-code.ts';
import type { EndUserNeeds } from '../end-users.ts';
import type { Grant } from '../grant.ts';
import { cameTooSoon, SLOWER } from '../poll-pace.ts';
import { deviceKey, type WaitingDevice, waitingDevice } from './device-request.ts';

/**
 * Issues tokens to a device whose person has allowed it (RFC 8628 §3.4). Until then each request costs two look-ups and no write, so
 * that waiting devices do not load the database. Each process remembers when a device last asked. A device that comes too soon is
 * written down once, and all processes hold it to the longer interval.
 */
export const deviceCode: Grant = {
  grant_type: DEVICE_GRANT,
  parameters: ['device_code', 'authorization_details'],
  isOffered: ({ endUsers }) => endUsers !== undefined,
  async handle(needs, client, { device_code, ...parameters }, origin) {
    const { endUsers } = needs;
    if (endUsers === undefined) throw new Error('the device_code grant has no sign-in configured');
    if (device_code === undefined)
      throw new OAuthError('invalid_request', {
        error_description: 'device_code is missing',
        reason: 'missing-parameter',
      });
    const key = deviceKey(device_code);
    if (key === undefined) throw invalidGrant();
    const code = await endUsers.codes.find(key);
    if (code === undefined) throw await notYet(endUsers, client, key);
    return await tokensForCode(needs, endUsers, client, { code, parameters, origin });
  },
};

/** Returns the reason why there are no tokens (RFC 8628 §3.5). */
async function notYet(endUsers: EndUserNeeds, client: AuthenticatedClient, key: Digest): Promise<OAuthError> {
  const { clock, devices } = endUsers;
  const stored = await devices.interactions.find(key);
  if (stored?.kind !== 'device') return invalidGrant();
  const waiting = waitingDevice(stored);
  const { client_id, instance } = client.stored;
  if (waiting.client_id !== client_id || waiting.client_instance !== instance) return invalidGrant();
  if (stored.expires_at <= clock.now())
    return new OAuthError('expired_token', { error_description: 'the device code has expired' });
  if (waiting.denied === true)
    return new OAuthError('access_denied', { error_description: 'the end-user refused the request' });
  if (!(await isTooSoon(endUsers, stored, waiting)))
    return new OAuthError('authorization_pending', {
      error_description: 'the end-user has not answered yet',
    });
  return new OAuthError('slow_down', {
    error_description: `the device must wait ${waiting.interval + SLOWER} seconds between its requests`,
  });
}

async function isTooSoon(
  { clock, polls, devices: { interactions } }: EndUserNeeds,
  stored: StoredInteraction,
  waiting: WaitingDevice,
): Promise<boolean> {
  if (!cameTooSoon({ clock, polls }, stored.key, waiting.interval)) return false;
  // A change by another process has slowed the device down already, or its person has answered.
  const slower: WaitingDevice = { ...waiting, interval: waiting.interval + SLOWER };
  await interactions.change(stored, JSON.stringify(slower));
  return true;
}

function invalidGrant(): OAuthError {
  return new OAuthError('invalid_grant', {
    error_description: 'the device code is not valid',
    reason: 'unknown-code',
  });
}

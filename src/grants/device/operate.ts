import type { AuthorizationCodeStore } from '../../ports/authorization-code-store.ts';
import type { Clock } from '../../ports/clock.ts';
import type { InteractionStore, StoredInteraction } from '../../ports/interaction-store.ts';
import type { ClientId, Digest } from '../../spec/identifiers.ts';
import { timeText } from '../../spec/time-text.ts';
import { browserOfClient, refuseDevice, waitingDevice } from './device-request.ts';

export interface OperateDeviceNeeds {
  readonly storage: {
    readonly interactions: InteractionStore;
    readonly authorizationCodes: Pick<AuthorizationCodeStore, 'find'>;
  };
  readonly clock: Clock;
}

/** A request of a device as the operator sees it. It has neither of the two codes: the `id` is a digest of the longer one. */
export interface OperatedDevice {
  readonly id: string;
  readonly client_id: ClientId;
  readonly state: 'open' | 'allowed' | 'denied' | 'expired';
  readonly scope: readonly string[];
  readonly address: string;
  readonly created_at: string;
  readonly expires_at: string;
}

/** No id begins with a hyphen, which a command would read as an option. */
const PREFIX = 'request-';

/** Returns the requests of devices that are kept, answered or not, in the order of their id. */
export async function listDevices(
  needs: OperateDeviceNeeds,
  { client_id }: { readonly client_id?: ClientId | undefined },
  after: string,
  limit: number,
): Promise<{ readonly devices: readonly OperatedDevice[]; readonly next: string | undefined }> {
  const browser = client_id === undefined ? undefined : browserOfClient(client_id);
  const found = await needs.storage.interactions.devices({ browser }, after, limit + 1);
  const page = found.slice(0, limit);
  const operated = await Promise.all(page.map(async (stored) => await operatedDevice(needs, stored)));
  return {
    devices: operated.filter((device) => device !== undefined),
    next: found.length > limit ? page.at(-1)?.key : undefined,
  };
}

/** Returns a request of a device; undefined for an unknown one. */
export async function findDevice(needs: OperateDeviceNeeds, id: string): Promise<OperatedDevice | undefined> {
  const stored = await deviceAt(needs, id);
  return stored === undefined ? undefined : await operatedDevice(needs, stored);
}

/** Refuses a device in place of its person. Returns false if it does not wait. */
export async function refuseOperated(
  needs: OperateDeviceNeeds,
  id: string,
  event: Parameters<typeof refuseDevice>[2],
): Promise<boolean> {
  const stored = await deviceAt(needs, id);
  const asked = stored === undefined ? undefined : waitingDevice(stored).asked;
  if (stored === undefined || asked === undefined) return false;
  const { interactions } = needs.storage;
  const { user_code } = asked;
  return await refuseDevice({ interactions, clock: needs.clock }, { key: stored.key, user_code }, event);
}

async function deviceAt({ storage }: OperateDeviceNeeds, id: string): Promise<StoredInteraction | undefined> {
  if (!id.startsWith(PREFIX)) return undefined;
  const stored = await storage.interactions.find(id.slice(PREFIX.length) as Digest);
  return stored?.kind === 'device' ? stored : undefined;
}

async function operatedDevice(
  needs: OperateDeviceNeeds,
  stored: StoredInteraction,
): Promise<OperatedDevice | undefined> {
  const { client_id, asked, denied } = waitingDevice(stored);
  if (asked === undefined) return undefined;
  return {
    id: PREFIX + stored.key,
    client_id,
    state: denied === true ? 'denied' : await undeniedState(needs, stored),
    scope: asked.scope,
    address: asked.address,
    created_at: timeText(stored.created_at),
    expires_at: timeText(stored.expires_at),
  };
}

async function undeniedState(
  { storage, clock }: OperateDeviceNeeds,
  { key, expires_at }: StoredInteraction,
): Promise<OperatedDevice['state']> {
  if ((await storage.authorizationCodes.find(key)) !== undefined) return 'allowed';
  return expires_at <= clock.now() ? 'expired' : 'open';
}

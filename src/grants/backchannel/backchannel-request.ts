import { digestOf } from '../../keys/digest.ts';
import type {
  BackchannelRequestStore,
  StoredBackchannelRequest,
} from '../../ports/backchannel-request-store.ts';
import type { ClientStore, StoredClient } from '../../ports/client-store.ts';
import type { Sealer } from '../../ports/sealer.ts';
import { type Digest, IDENTIFIER_LENGTHS, type Sealed, type Subject } from '../../spec/identifiers.ts';
import type { DeliveryMode } from '../../spec/server-capabilities.ts';
import type { AuthorizationRequest } from '../authorization/authorization-request.ts';

/** The path of the page where people answer requests, below the issuer. */
export const REQUESTS_PATH = '/account/requests';

/** Stands in an authorisation request instead of a redirection URI if its client asked without a browser (OpenID Connect CIBA Core 1.0). */
export interface Backchannel {
  /** The name of the stored request. */
  readonly id: string;
  /** The text that the client shows too (§7.1). */
  readonly binding_message?: string;
  /** The network address that the client asked from. */
  readonly address: string;
}

export type BackchannelAuthorization = AuthorizationRequest & { readonly backchannel: Backchannel };

/** The content of a stored request, as JSON text. */
export interface BackchannelContent {
  /** The issuer identifier under which the client asked. */
  readonly issuer: string;
  readonly request: BackchannelAuthorization;
  readonly mode: DeliveryMode;
  /** The secrets of the notification, sealed; absent for `poll`. */
  readonly sealed?: Sealed;
}

/** The secrets of a notification. */
export interface NotificationSecrets {
  readonly auth_req_id: string;
  readonly client_notification_token: string;
}

const placeOf = ({ id }: Backchannel): string => `backchannel notification ${id}`;

export const sealSecrets = (sealer: Sealer, backchannel: Backchannel, secrets: NotificationSecrets): Sealed =>
  sealer.seal(JSON.stringify(secrets), placeOf(backchannel));

export const openSecrets = (sealer: Sealer, backchannel: Backchannel, sealed: Sealed): NotificationSecrets =>
  JSON.parse(sealer.open(sealed, placeOf(backchannel))) as NotificationSecrets;

export const contentOf = ({ content }: Pick<StoredBackchannelRequest, 'content'>): BackchannelContent =>
  JSON.parse(content) as BackchannelContent;

/** Seals the secrets of all notifications of a tenant with the first key of the sealer. Servers may go on meanwhile. */
export async function resealNotifications(
  requests: Pick<BackchannelRequestStore, 'page' | 'reseal'>,
  sealer: Sealer,
): Promise<number> {
  let changed = 0;
  let after: string | undefined = '';
  while (after !== undefined) {
    const page: readonly StoredBackchannelRequest[] = await requests.page({}, after, PAGE);
    for (const stored of page) {
      const content = contentOf(stored);
      const { sealed } = content;
      if (sealed === undefined || sealer.isCurrent(sealed)) continue;
      const { backchannel } = content.request;
      const fresh = sealSecrets(sealer, backchannel, openSecrets(sealer, backchannel, sealed));
      if (await requests.reseal(stored, JSON.stringify({ ...content, sealed: fresh }))) changed += 1;
    }
    after = page.at(-1)?.id;
  }
  return changed;
}

const PAGE = 500;

/** The underscore is in no other identifier, so that an `auth_req_id` is never a code of another kind. */
export const AUTH_REQ_ID_PREFIX = 'ciba_';
const FORM = new RegExp(`^${AUTH_REQ_ID_PREFIX}[A-Za-z0-9]{${IDENTIFIER_LENGTHS.access_token}}$`, 'u');

/** Returns the key of an `auth_req_id`, without a look-up; undefined for a text that can be none. */
export function authReqIdKey(auth_req_id: string): Digest | undefined {
  return FORM.test(auth_req_id) ? digestOf(auth_req_id) : undefined;
}

/** Requests in one list. `ciba.open-per-person` is less. */
const SHOWN_MAX = 100;

/** Returns the requests that wait for a person, with their clients. One whose client is gone can no longer be answered. */
export async function requestsTo(
  {
    backchannelRequests,
    clients,
  }: {
    readonly backchannelRequests: Pick<BackchannelRequestStore, 'openOf'>;
    readonly clients: Pick<ClientStore, 'find'>;
  },
  sub: Subject,
  now: number,
): Promise<readonly { readonly waiting: StoredBackchannelRequest; readonly client: StoredClient }[]> {
  const open = await backchannelRequests.openOf(sub, now, SHOWN_MAX);
  const found = await Promise.all(
    open.map(async (waiting) => ({ waiting, client: await clients.find(waiting.client_id) })),
  );
  return found.flatMap(({ waiting, client }) =>
    client?.instance === waiting.client_instance ? [{ waiting, client }] : [],
  );
}

/** Returns the open request with this name; undefined if it is answered, expired or unknown. */
export async function openRequest(
  { backchannelRequests }: { readonly backchannelRequests: Pick<BackchannelRequestStore, 'findById'> },
  id: string,
  now: number,
): Promise<StoredBackchannelRequest | undefined> {
  const found = await backchannelRequests.findById(id);
  return found?.state === 'open' && found.expires_at > now ? found : undefined;
}

import { metadataOf } from '../clients/registered-client.ts';
import type { ClientStore } from '../ports/client-store.ts';
import type { EndedSession, SessionClient } from '../ports/session-store.ts';
import type { ClientId } from '../spec/identifiers.ts';
import { withQuery } from '../spec/uri.ts';

export interface FrontChannelNeeds {
  readonly clients: Pick<ClientStore, 'find'>;
  /** The tenant's first name, under which a client took part unless its entry names another. */
  readonly issuer: string;
  readonly settings: { readonly 'logout.frames-max': number };
}

/** The part of the page after a logout that tells the clients of the session (OpenID Connect Front-Channel Logout 1.0 §3). */
export interface FrontChannelLogout {
  /** The addresses of the frames, with `iss` and `sid`. */
  readonly frames: readonly string[];
  /** Clients whose back-channel notification must be under way before the page is sent: they have both kinds of address. */
  readonly alsoNotified: readonly ClientId[];
  /** Clients that get no frame, because the page has `logout.frames-max` of them already. */
  readonly leftOut: readonly ClientId[];
}

const NOTHING: FrontChannelLogout = { frames: [], alsoNotified: [], leftOut: [] };

/**
 * Returns the frames of the page that tells a browser that its session has ended. A client that was deleted, or
 * registered again, gets none.
 * @param first the client that sent the end-user: its frame comes first, then those with the latest use
 */
export async function frontChannelLogout(
  needs: FrontChannelNeeds,
  { sid, clients }: Pick<EndedSession, 'sid' | 'clients'>,
  first: ClientId | undefined,
): Promise<FrontChannelLogout> {
  const framesMax = needs.settings['logout.frames-max'];
  if (framesMax === 0) return NOTHING;
  const rank = ({ client_id, last_used_at }: SessionClient): number =>
    client_id === first ? Number.POSITIVE_INFINITY : last_used_at;
  const inOrder = clients.toSorted((one, other) => (rank(one) < rank(other) ? 1 : -1));
  const framed = await framedClients(needs, inOrder);
  const shown = framed.slice(0, framesMax);
  return {
    // "if either is included, both MUST be" (§2): both are there for every client, also where it does not require them.
    frames: shown.map(({ uri, issuer = needs.issuer }) =>
      withQuery(uri, new URLSearchParams({ iss: issuer, sid }).toString()),
    ),
    alsoNotified: shown.flatMap(({ client_id, notified }) => (notified ? [client_id] : [])),
    leftOut: framed.slice(framesMax).map(({ client_id }) => client_id),
  };
}

/**
 * Returns the clients of an ended session that only a page in the end-user's browser can tell. An act that ends a session
 * elsewhere, such as a command, cannot tell them.
 */
export async function unreachableClients(
  needs: Pick<FrontChannelNeeds, 'clients'>,
  { clients }: Pick<EndedSession, 'clients'>,
): Promise<readonly ClientId[]> {
  const framed = await framedClients(needs, clients);
  return framed.flatMap(({ client_id, notified }) => (notified ? [] : [client_id]));
}

interface FramedClient extends Pick<SessionClient, 'client_id' | 'issuer'> {
  readonly uri: string;
  /** Whether the client has a `backchannel_logout_uri` too. */
  readonly notified: boolean;
}

async function framedClients(
  { clients }: Pick<FrontChannelNeeds, 'clients'>,
  participants: readonly SessionClient[],
): Promise<readonly FramedClient[]> {
  const found = await Promise.all(
    participants.map(async (participant) => {
      const client = await clients.find(participant.client_id);
      if (client?.instance !== participant.instance) return [];
      const { frontchannel_logout_uri: uri, backchannel_logout_uri } = metadataOf(client);
      if (typeof uri !== 'string') return [];
      return [{ ...participant, uri, notified: typeof backchannel_logout_uri === 'string' }];
    }),
  );
  return found.flat();
}

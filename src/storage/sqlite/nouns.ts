import type { EngineStore } from '../verbs.ts';
import { accessTokens } from './access-tokens.ts';
import { accounts } from './accounts.ts';
import { audit } from './audit.ts';
import { authorizationCodes } from './authorization-codes.ts';
import { backchannelRequests } from './backchannel-requests.ts';
import { clientHistory } from './client-history.ts';
import { clientLists } from './client-lists.ts';
import { clients } from './clients.ts';
import { consents } from './consents.ts';
import { database } from './database.ts';
import { eventStreams } from './event-streams.ts';
import { grants } from './grants.ts';
import { interactions } from './interactions.ts';
import { journal } from './journal.ts';
import { logoutNotifications } from './logout-notifications.ts';
import { openStore, type ReadConnections } from './noun.ts';
import { rates } from './rates.ts';
import { replays } from './replays.ts';
import { serverKeys } from './server-keys.ts';
import { sessions } from './sessions.ts';
import { tenants } from './tenants.ts';
import { trustAnchors } from './trust-anchors.ts';
import { upkeep } from './upkeep.ts';
import { webhooks } from './webhooks.ts';

/** Every store of the engine. The name of a store and the name of its verb make the name of a write (`VerbName`). */
export const STORES = {
  accessTokens,
  accounts,
  audit,
  authorizationCodes,
  backchannelRequests,
  clientLists,
  clientHistory,
  clients,
  consents,
  database,
  eventStreams,
  grants,
  interactions,
  journal,
  logoutNotifications,
  rates,
  replays,
  serverKeys,
  sessions,
  tenants,
  trustAnchors,
  upkeep,
  webhooks,
};

/** Opens the reads of every store. */
export function openStores(connections: ReadConnections): Readonly<Record<keyof typeof STORES, EngineStore>> {
  const opened = Object.entries(STORES).map(([noun, store]) => [noun, openStore(store, connections)]);
  return Object.fromEntries(opened) as Record<keyof typeof STORES, EngineStore>;
}

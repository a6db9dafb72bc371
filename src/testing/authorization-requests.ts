import type { Receiving } from '../grants/authorization/receive-authorization-request.ts';
import { joseJweDecrypter } from '../jose/jwe.ts';
import { joseJwtVerifier } from '../jose/jwt-verifier.ts';
import type { StoredClient } from '../ports/client-store.ts';
import type { InteractionStore, StoredInteraction } from '../ports/interaction-store.ts';
import type { JsonWebKey } from '../spec/jwk.ts';
import { systemRandom } from '../system/random.ts';
import { aClient } from './storage/stored-examples.ts';
import { DEFAULTS } from './tenant.ts';

export const NOW = 1_800_000_000;
export const ISSUER = 'https://op.example.com';
export const REDIRECT_URI = 'https://rp.example.com/cb';
export const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

const METADATA = {
  redirect_uris: [REDIRECT_URI],
  grant_types: ['authorization_code'],
  response_types: ['code'],
  application_type: 'web',
  token_endpoint_auth_method: 'client_secret_basic',
};

const CLIENT_ID = 'rp';
let made = 0;

/** A client that was registered with these members; its id is `rp` for the first one of a process. */
export function aRegisteredClient(metadata: object = {}): StoredClient {
  const client_id = (made === 0 ? CLIENT_ID : `rp-${made}`) as StoredClient['client_id'];
  made += 1;
  return aClient({ client_id, metadata: JSON.stringify({ ...METADATA, ...metadata }) });
}

/** A request for a code; its client is whichever `aReceivingNeeds` knows last. */
export const REQUEST = {
  response_type: 'code',
  client_id: CLIENT_ID,
  redirect_uri: REDIRECT_URI,
  scope: 'openid email',
  state: 'af0ifjsldkj',
  nonce: 'n-0S6_WzA2Mj',
  code_challenge: CHALLENGE,
  code_challenge_method: 'S256',
};

const NO_DETAILS = { byName: new Map(), length: 8192, json: { depth: 8, members: 50 } };
const clock = { now: () => NOW, milliseconds: () => NOW * 1000 };

/** Knows `clients`, the first one also as `rp`. */
export function aReceivingNeeds(
  clients: readonly StoredClient[],
  decryptionKeys: readonly JsonWebKey[] = [],
): Receiving {
  const found = new Map(clients.map((client) => [client.client_id, client]));
  const verifier = joseJwtVerifier(clock);
  return {
    remoteAddress: '192.0.2.1',
    rules: { json: { depth: 8, members: 50 }, settings: DEFAULTS, detailTypes: NO_DETAILS },
    requestObjects: {
      issuer: ISSUER,
      verifier,
      jwkSets: { verifyWith: fetchesNothing, find: fetchesNothing },
      decrypter: joseJweDecrypter(),
      keys: { decryptionKeys: async () => decryptionKeys },
      replays: { rememberOnce: async () => true },
      clock,
      settings: DEFAULTS,
    },
    referenced: undefined,
    pushed: { interactions: interactionsInMemory(), clock, random: systemRandom, lifetime: 60 },
    findClient: async (client_id) =>
      found.get(client_id) ?? (client_id === CLIENT_ID ? clients[0] : undefined),
    newerClient: async () => undefined,
    hints: {
      issuer: ISSUER,
      keys: { verificationKeys: async () => [], decryptionKeys: async () => [] },
      verifier,
      decrypter: joseJweDecrypter(),
    },
  };
}

async function fetchesNothing(): Promise<never> {
  throw new Error('nothing is fetched here');
}

function interactionsInMemory(): InteractionStore {
  const kept = new Map<string, StoredInteraction>();
  return {
    begin: async (interaction) => {
      kept.set(interaction.key, interaction);
    },
    find: async (key) => kept.get(key),
    devices: async () => [],
    change: async () => 'absent',
    complete: async ({ key }) => (kept.delete(key) ? 'done' : 'absent'),
    refuseDevice: async () => 'absent',
    allowDevice: async () => 'absent',
    sweepExpired: async () => 0,
  };
}

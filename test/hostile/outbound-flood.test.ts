import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { signedJwt, testKey } from '../../src/testing/jwt.ts';
import { type Authorities, type Entity, startAuthorities } from '../federation/authorities.ts';
import {
  type BackChannel,
  HOME,
  logoutUrl,
  signedIn,
  startBackChannel,
  startLogoutProgram,
} from '../journeys/logout-world.ts';
import { codeRequest } from '../program/code-request.ts';
import type { Program } from '../program/start.ts';
import { storageUrl } from '../program/storage-place.ts';
import { publishing, startDocumentServer } from './document-host.ts';
import {
  authenticate,
  FLOODED,
  type Flood,
  flood,
  type MuteHosts,
  type Outcome,
  type Registry,
  registerKeyed,
  STRANGER,
  secondTenant,
  startKeyHost,
  startMuteHosts,
  until,
} from './outbound-flood.ts';
import { CALLBACK } from './sign-in-world.ts';

/**
 * Strangers hold every fetch that they can: with hosts that accept and never answer, named by registered clients and by
 * made-up entities. Others must not notice (decision 50).
 */
const MUTE_CLIENTS = 330;
const FORGED_PER_SECOND = 60;
/** Slots of a process: the default of `outbound.fetches`. */
const SLOTS = 64;
/** As many as strangers can hold at a time while honest fetches take the rest. */
const HELD = SLOTS - 4;
const HONEST = 12;
const AT_ONCE = 10;

let program: Program;
let second: Registry;
let mute: MuteHosts;
let keyHost: Awaited<ReturnType<typeof startKeyHost>>;
let authorities: Authorities;
let anchor: Entity;
let backChannel: BackChannel;
let muteClients: readonly string[];
let honestHosts = 0;

before(async () => {
  [mute, keyHost, authorities, backChannel] = await Promise.all([
    startMuteHosts(),
    startKeyHost(),
    startAuthorities(),
    startBackChannel(),
  ]);
  anchor = authorities.entity('anchor');
  anchor.publish([]);
  program = await startLogoutProgram({
    environment: {
      ...FLOODED,
      // A fetch waits half of it for a slot: a machine that is busy with other tests has 4 s for a burst of 100.
      CHANCERY_OUTBOUND_TIMEOUT: '8',
      // For the same reason: this is not about waits for the database, which end with 500.
      CHANCERY_STORAGE_DEADLINE: '20s',
      CHANCERY_REGISTRATION_CLIENT_ID_METADATA_DOCUMENTS: 'true',
      // Without this limit the flood reaches the fetches, whose shares are tested here.
      CHANCERY_CLIENT_DOCUMENT_RATE_PER_NETWORK: '0',
      CHANCERY_CLIENT_DOCUMENT_RATE: '0',
      CHANCERY_INTERACTION_RATE_PER_NETWORK: '0',
      CHANCERY_FEDERATION_ENABLED: 'true',
      CHANCERY_FEDERATION_TRUST_ANCHORS: JSON.stringify([
        { 'entity-id': anchor.id, jwks: { keys: [anchor.key.jwk] } },
      ]),
    },
  });
  second = await secondTenant(program, await storageUrl(program.folder));
  const urls = Array.from({ length: MUTE_CLIENTS }, (_, number) => mute.url(number));
  muteClients = await registerKeyed(program, urls);
});

after(async () => {
  await program.stop();
  keyHost.close();
  await Promise.all([mute.close(), authorities.close(), backChannel.close()]);
});

async function honestClients(at: Registry, count = HONEST): Promise<readonly string[]> {
  const urls = Array.from({ length: count }, () => {
    honestHosts += 1;
    return keyHost.url(honestHosts);
  });
  return await registerKeyed(at, urls);
}

/** Forged assertions for clients with mute key hosts, until strangers hold every slot. */
async function forgeUntilFull(): Promise<Flood> {
  const forging = flood(
    FORGED_PER_SECOND,
    async (number) =>
      await authenticate(program, muteClients[number % MUTE_CLIENTS] ?? '', STRANGER, { forged: true }),
  );
  await until('strangers hold every slot', () => mute.open >= SLOTS);
  return forging;
}

/**
 * Sends some requests at once, then the next ones. A fetch may keep its slot for half a second while others wait: of a hundred at
 * once, on a machine that is busy with other tests, some would take longer and give way to each other.
 */
async function inGroups(requests: readonly (() => Promise<Outcome>)[]): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (let first = 0; first < requests.length; first += AT_ONCE) {
    const group = requests.slice(first, first + AT_ONCE);
    outcomes.push(...(await Promise.all(group.map(async (send) => await send()))));
  }
  return outcomes;
}

function assertServed(outcomes: readonly Outcome[]): void {
  const refused = outcomes.filter(({ status }) => status !== 200);
  const faults =
    program
      .output()
      .match(/^.*"status":500.*$/gmu)
      ?.join('\n') ?? '';
  assert.deepEqual(refused, [], `${refused.length} of ${outcomes.length} are refused\n${faults}`);
}

test('H-260 330 clients with mute key hosts and 60 forged assertions a second: clients of another network, of another tenant and of the same network are served, 0 refused; H-261 the forged ones get 503 with Retry-After, and never invalid_client', async () => {
  const [neighbours, others, behindOneProxy] = [
    await honestClients(program),
    await honestClients(second),
    await honestClients(program),
  ];
  const forging = await forgeUntilFull();
  const served = await inGroups([
    ...neighbours.map((id) => async () => await authenticate(program, id, '203.0.113.7')),
    ...others.map((id) => async () => await authenticate(second, id, STRANGER)),
    ...behindOneProxy.map((id) => async () => await authenticate(program, id, STRANGER)),
  ]);
  await forging.stop();
  assertServed(served);
  for (const { status, error, retryAfter } of forging.outcomes) {
    assert.deepEqual([status, error], [503, 'temporarily_unavailable']);
    assert.ok(Number(retryAfter) >= 1);
  }
  const metrics = await (await fetch(`${program.managementUrl}/metrics`)).text();
  assert.match(metrics, /^chancery_outbound_fetches_total\{purpose="client-keys",outcome="ok"\} 36$/m);
  assert.match(metrics, /^chancery_outbound_fetches_total\{purpose="client-keys",outcome="failed"\} \d+$/m);
  assert.match(metrics, /^chancery_outbound_queue\{purpose="client-keys",state="running"\} \d+$/m);
});

/** Opens the authorisation page as a client with this identifier, from this network. */
async function askAs(client_id: string, redirect_uri: string, from: string): Promise<Outcome> {
  const url = codeRequest(program.url, { client_id, redirect_uri });
  const response = await fetch(url, { redirect: 'manual', headers: { 'x-forwarded-for': from } });
  await response.text();
  // The page of the end-user follows.
  const status = response.status === 303 ? 200 : response.status;
  return { status, error: undefined, retryAfter: response.headers.get('retry-after') };
}

test('H-410 60 made-up document URLs a second with mute hosts: 100 requests of ordinary clients, and new clients of other networks, are served, 0 refused; the made-up ones get 503 with Retry-After', async () => {
  const documents = await startDocumentServer({ client: publishing() });
  const [neighbours, others] = [await honestClients(program, 50), await honestClients(second, 50)];
  const asking = flood(
    FORGED_PER_SECOND,
    async (number) => await askAs(mute.url(number).replace('/keys', '/client'), CALLBACK, STRANGER),
  );
  await until('strangers hold every slot', () => mute.open >= SLOTS);
  const served = await inGroups([
    ...neighbours.map((id) => async () => await authenticate(program, id, STRANGER)),
    ...others.map((id) => async () => await authenticate(second, id, '203.0.113.8')),
  ]);
  const fresh = await inGroups(
    Array.from({ length: HONEST }, (_, number) => async () => {
      const client_id = `http://127.7.0.${number}:${documents.port}/client`;
      return await askAs(client_id, CALLBACK, `203.0.113.${number}`);
    }),
  );
  await asking.stop();
  documents.close();
  assert.equal(served.length, 100);
  assertServed(served);
  assertServed(fresh);
  for (const { status, retryAfter } of asking.outcomes) {
    assert.equal(status, 503);
    assert.ok(Number(retryAfter) >= 1);
  }
});

let entities = 0;

/** Posts the configuration of an entity with these superiors, from this network. */
async function registerEntity(superiors: readonly string[], from: string): Promise<Outcome> {
  entities += 1;
  const id = `${authorities.base}/rp-${entities}`;
  const key = testKey('ES256', id);
  const now = Math.floor(Date.now() / 1000);
  const metadata = { openid_relying_party: { redirect_uris: ['https://rp.example/cb'] } };
  const claims = {
    iss: id,
    sub: id,
    aud: program.issuer,
    iat: now,
    exp: now + 300,
    jwks: { keys: [key.jwk] },
    authority_hints: superiors,
    metadata,
  };
  if (superiors.includes(anchor.id)) anchor.vouch({ ...authorities.entity(`rp-${entities}`), id, key });
  const response = await fetch(`${program.url}/federation/clients`, {
    method: 'POST',
    headers: { 'content-type': 'application/entity-statement+jwt', 'x-forwarded-for': from },
    body: signedJwt(key, claims, { typ: 'entity-statement+jwt' }),
  });
  const text = await response.text();
  const { error } = response.ok
    ? { error: undefined }
    : (JSON.parse(text || '{}') as { readonly error?: string });
  return { status: response.status, error, retryAfter: response.headers.get('retry-after') };
}

/** Made-up entities with five mute superiors each. */
function postMadeUp(perSecond: number): Flood {
  return flood(perSecond, async (number) => {
    const superiors = Array.from({ length: 5 }, (_, hint) => mute.url(1000 + number * 5 + hint));
    return await registerEntity(superiors, STRANGER);
  });
}

async function madeUpEntities(): Promise<Flood> {
  const posting = postMadeUp(20);
  await until('strangers hold every slot that they can', () => mute.open >= HELD);
  return posting;
}

test('H-262 made-up entities with mute superiors: entities of the federation are registered, clients authenticate, 0 refused; a busy search is 503 and never invalid_trust_chain', async () => {
  const [neighbours, others] = [await honestClients(program), await honestClients(second)];
  const posting = await madeUpEntities();
  const served = await inGroups([
    ...Array.from(
      { length: HONEST },
      (_, number) => async () => await registerEntity([anchor.id], `203.0.113.${number}`),
    ),
    ...neighbours.map((id) => async () => await authenticate(program, id, STRANGER)),
    ...others.map((id) => async () => await authenticate(second, id, STRANGER)),
  ]);
  await posting.stop();
  assertServed(served);
  for (const { status, error } of posting.outcomes) {
    assert.ok([429, 503].includes(status), String(status));
    assert.equal(error, 'temporarily_unavailable');
  }
});

test('H-263 logout notifications are delivered while strangers hold every slot with forged assertions and made-up entities', async () => {
  const world = await signedIn(program, { backchannel_logout_uri: backChannel.url('told') });
  const [forging, posting] = await Promise.all([forgeUntilFull(), madeUpEntities()]);
  const { browser, rp, id_token: id_token_hint } = world;
  const url = logoutUrl(rp, { id_token_hint, post_logout_redirect_uri: HOME });
  const { location } = await browser.submit(await browser.open(url), 'logout');
  assert.equal(location, HOME);
  const told = await backChannel.until('told', 1);
  await Promise.all([forging.stop(), posting.stop()]);
  assert.equal(told.length, 1);
  const metrics = await (await fetch(`${program.managementUrl}/metrics`)).text();
  assert.match(metrics, /^chancery_logout_attempts_total\{outcome="delivered"\} 1$/m);
  assert.doesNotMatch(metrics, /^chancery_logout_attempts_total\{outcome="postponed"\}/m);
});

test('H-455 sixteen made-up entities a second, each with five mute superiors: 50 clients whose keys are not cached, half of them of the strangers’ network, and 50 new members of the federation are served, 0 refused of 100', async () => {
  const clients = await honestClients(program, 50);
  const before = mute.accepted;
  const posting = postMadeUp(16);
  const served: Outcome[] = [];
  for (const [number, id] of clients.entries()) {
    await until('strangers hold every slot that they can', () => mute.open >= HELD);
    const other = `203.0.113.${number}`;
    const both = [
      authenticate(program, id, number % 2 === 0 ? STRANGER : other),
      registerEntity([anchor.id], other),
    ];
    served.push(...(await Promise.all(both)));
  }
  await posting.stop();
  assert.equal(served.length, 100);
  assertServed(served);
  // Each round has waited for as many. A fast server is through before there are more.
  assert.ok(mute.accepted - before >= HELD, `the flood made ${mute.accepted - before} connections`);
  for (const { status, error } of posting.outcomes)
    assert.deepEqual([[429, 503].includes(status), error], [true, 'temporarily_unavailable'], String(status));
});

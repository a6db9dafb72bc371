import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Storage } from '../../src/ports/storage.ts';
import { DEFAULT_TENANT } from '../../src/spec/identifiers.ts';
import { openPostgresSchema } from '../../src/storage/postgres/migrations.ts';
import { openSqliteStorage } from '../../src/storage/sqlite/open.ts';
import { signedJwt, testKey } from '../../src/testing/jwt.ts';
import { emptyDatabase, openTestDatabase } from '../../src/testing/postgres/database.ts';
import { plainBrowser } from '../program/plain-browser.ts';
import { ENCRYPTION_KEY, type Program, startProgram } from '../program/start.ts';
import { chancery } from './command.ts';
import {
  type Answer,
  type Call,
  call,
  manage,
  type Registration,
  registrationOf,
  SERVICE,
} from './conformance-exchange.ts';
import { initialAccessToken } from './initial-access-token.ts';

/** Three processes on one database are one server, whatever engine it is. */
const ISSUER = 'https://op.example.com';
const CALLBACK = 'https://client.example/callback';
const PASSWORD = 'a long enough passphrase';
const KEY = testKey('ES256', 'own');
const OPEN_RATE = 6;
const ATTEMPTS = 4;
const ROTATION = 20;
const SETTINGS = {
  CHANCERY_REGISTRATION_ALLOW_OPEN_REGISTRATION: 'true',
  CHANCERY_REGISTRATION_OPEN_RATE_PER_NETWORK: String(OPEN_RATE),
  CHANCERY_SIGN_IN_ATTEMPTS_PER_ACCOUNT: String(ATTEMPTS),
  CHANCERY_STORAGE_SWEEP_INTERVAL: '1',
  CHANCERY_KEYS_ROTATION_INTERVAL: String(ROTATION),
  CHANCERY_KEYS_ANNOUNCEMENT: '2',
  CHANCERY_KEY_SET_MAX_AGE: '1',
};

interface Place {
  readonly url: string;
  open(): Promise<Storage>;
}

async function sqlitePlace(folder: string): Promise<Place> {
  const path = join(folder, 'chancery.db');
  return { url: `sqlite:${path}`, open: async () => await openSqliteStorage(path, { check: false }) };
}

async function postgresPlace(): Promise<Place> {
  const url = await emptyDatabase();
  const schema = openPostgresSchema(url, 5000);
  await schema.up(0);
  await schema.close();
  return { url, open: async () => await openTestDatabase(url) };
}

describe('SQLite', { concurrency: false }, () => threeNodes(sqlitePlace));
describe('PostgreSQL', { concurrency: false }, () => threeNodes(postgresPlace));

function threeNodes(makePlace: (folder: string) => Promise<Place>): void {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-three-'));
  let place: Place;
  let nodes: readonly Program[] = [];

  before(async () => {
    place = await makePlace(folder);
    const environment = { ...SETTINGS, CHANCERY_STORAGE_URL: place.url };
    const [first] = (nodes = [await startProgram({ folder, environment })]);
    const credentials = { masterToken: first?.masterToken ?? '', directToken: first?.directToken ?? '' };
    const digests = {
      CHANCERY_REGISTRATION_MASTER_TOKEN_SHA256: sha256(credentials.masterToken),
      CHANCERY_DIRECT_AUTHORIZATION_TOKEN_SHA256: sha256(credentials.directToken),
    };
    const others = [1, 2].map(async () => ({
      ...(await startProgram({ folder, environment: { ...environment, ...digests } })),
      ...credentials,
    }));
    nodes = [...nodes, ...(await Promise.all(others))];
    const added = await chancery(
      ['accounts', 'add', 'ada', '--password-stdin'],
      { CHANCERY_ISSUER: ISSUER, CHANCERY_STORAGE_URL: place.url, CHANCERY_ENCRYPTION_KEY: ENCRYPTION_KEY },
      { input: Buffer.from(`${PASSWORD}\n`) },
    );
    assert.equal(added.how, 0, added.stderr);
  });

  after(async () => {
    await Promise.all(nodes.map(async (node) => await node.stop()));
    rmSync(folder, { recursive: true, force: true });
  });

  const node = (index: number): Program => {
    const found = nodes[index % nodes.length];
    assert.ok(found !== undefined);
    return found;
  };

  /** The number of concurrent requests over all nodes. */
  const raced = async (times: number, request: Call): Promise<readonly Answer[]> =>
    await Promise.all(Array.from({ length: times }, async (_, index) => await call(node(index), request)));

  const register = async (json: object): Promise<Registration> => {
    const bearer = node(0).masterToken;
    const answer = await call(node(0), { method: 'POST', path: '/register', bearer, json });
    assert.equal(answer.status, 201, answer.text);
    return registrationOf(answer);
  };

  const basicOf = ({ client_id, client_secret }: Registration) => [client_id, client_secret] as const;

  /** Whether each node says that a token is active. */
  const active = async (token: string, inspector: Registration): Promise<readonly unknown[]> => {
    const request = { method: 'POST', path: '/token/introspect', basic: basicOf(inspector), form: { token } };
    const answers = await Promise.all(nodes.map(async (each) => await call(each, request)));
    return answers.map(({ json }) => json['active']);
  };

  const inspector = async (): Promise<Registration> =>
    await register({ ...SERVICE, scope: `read ${ISSUER}/token/introspect` });

  test('an initial access token, thirty registrations at once over three processes: one client', async () => {
    const bearer = await initialAccessToken(node(1), ['client-reg']);
    const json = { redirect_uris: [CALLBACK] };
    const answers = await raced(30, { method: 'POST', path: '/register', bearer, json });
    assert.deepEqual(tally(answers), { 201: 1, 401: 29 });
  });

  test('a client assertion, thirty requests at once over three processes: one token (RFC 7523 §3, jti)', async () => {
    const { client_id } = await register({
      ...SERVICE,
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [KEY.jwk] },
    });
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss: client_id, sub: client_id, aud: ISSUER, exp: now + 60, iat: now, jti: 'once' };
    const form = {
      grant_type: 'client_credentials',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: signedJwt(KEY, claims),
    };
    assert.deepEqual(tally(await raced(30, { method: 'POST', path: '/token', form })), { 200: 1, 401: 29 });
    for (const each of nodes)
      assert.equal((await call(each, { method: 'POST', path: '/token', form })).status, 401);
  });

  test('an authorisation code, asked for at one process, signed in at another, redeemed nine times at once: no token lives (RFC 6749 §4.1.2)', async () => {
    const rp = await register({ redirect_uris: [CALLBACK], grant_types: ['authorization_code'] });
    const verifier = randomBytes(32).toString('base64url');
    let visits = 0;
    // Each request of the browser goes to the next process.
    const browser = plainBrowser(ISSUER, (url, init) => {
      visits += 1;
      return fetch(url.replace(ISSUER, node(visits).url), init);
    });
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: rp.client_id,
      redirect_uri: CALLBACK,
      scope: 'openid',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    });
    let page = await browser.open(`${ISSUER}/authorize?${query.toString()}`);
    page = await browser.submit(page, 'sign-in', { username: 'ada', password: PASSWORD });
    if (page.html.includes('value="allow"')) page = await browser.submit(page, 'allow');
    const code = new URL(page.location ?? ISSUER).searchParams.get('code') ?? '';
    const form = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: verifier };
    const answers = await raced(9, { method: 'POST', path: '/token', basic: basicOf(rp), form });
    assert.deepEqual(tally(answers), { 200: 1, 400: 8 });
    const token = String(answers.find(({ status }) => status === 200)?.json['access_token']);
    assert.deepEqual(
      await active(token, await inspector()),
      [false, false, false],
      'a second use ends its tokens',
    );
  });

  test('a refresh token of a public client, nine refreshes at once over three processes: one is answered, and the grant is ended everywhere (RFC 9700 §4.14.2)', async () => {
    const { client_id } = await register({
      redirect_uris: [CALLBACK],
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'none',
    });
    const json = { client_id, sub: 'alice', scope: ['read'], refresh_token: { issue: true } };
    const bearer = node(0).directToken;
    const granted = await call(node(0), { method: 'POST', path: '/direct-authz/rest/v2', bearer, json });
    assert.equal(granted.status, 200, granted.text);
    const reader = await inspector();
    const first = String(granted.json['access_token']);
    assert.deepEqual(await active(first, reader), [true, true, true]);
    const form = {
      grant_type: 'refresh_token',
      refresh_token: String(granted.json['refresh_token']),
      client_id,
    };
    const answers = await raced(9, { method: 'POST', path: '/token', form });
    assert.deepEqual(tally(answers), { 200: 1, 400: 8 });
    const second = String(answers.find(({ status }) => status === 200)?.json['access_token']);
    for (const token of [first, second]) assert.deepEqual(await active(token, reader), [false, false, false]);
  });

  test('a token that is revoked, a secret that is changed and a client that is deleted at one process are so at the others in their next request', async () => {
    const reader = await inspector();
    for (let round = 0; round < 6; round += 1) {
      const client = await register(SERVICE);
      const form = { grant_type: 'client_credentials' };
      const request = { method: 'POST', path: '/token', basic: basicOf(client), form };
      const tokens = await Promise.all(
        nodes.map(async (each) => String((await call(each, request)).json['access_token'])),
      );
      const [revoked = '', lasting = ''] = tokens;
      for (const token of tokens) assert.deepEqual(await active(token, reader), [true, true, true]);
      const revocation = {
        method: 'POST',
        path: '/token/revoke',
        basic: basicOf(client),
        form: { token: revoked },
      };
      assert.equal((await call(node(round), revocation)).status, 200);
      assert.deepEqual(await active(revoked, reader), [false, false, false]);
      assert.deepEqual(await active(lasting, reader), [true, true, true]);
      const updated = await manage(node(round), client, 'PUT', { json: SERVICE });
      assert.equal(updated.status, 200, updated.text);
      for (const each of nodes) assert.equal((await call(each, request)).status, 401);
      assert.equal((await manage(node(round), registrationOf(updated), 'DELETE')).status, 204);
      assert.deepEqual(await active(lasting, reader), [false, false, false]);
    }
  });

  test('open registration: what one network may do it may do at all processes together', async () => {
    const json = { redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none' };
    const started = Date.now();
    const answers = await raced(30, { method: 'POST', path: '/register', json });
    const refilled = ((Date.now() - started) * OPEN_RATE) / 60_000;
    const { 201: made = 0, 429: refused = 0 } = tally(answers);
    assert.equal(made + refused, 30);
    assert.ok(made >= OPEN_RATE && made <= OPEN_RATE + Math.ceil(refilled), `${made} were made`);
  });

  test('attempts to sign in: what is left of an account at one process is left at none more', async () => {
    const client = await register({ ...SERVICE, grant_types: ['password'], scope: 'openid' });
    const form = { grant_type: 'password', username: 'bob', password: 'wrong and long enough' };
    const answers = await raced(15, { method: 'POST', path: '/token', basic: basicOf(client), form });
    assert.deepEqual(tally(answers), { 400: ATTEMPTS, 429: 15 - ATTEMPTS });
    for (const each of nodes) {
      const again = await call(each, { method: 'POST', path: '/token', basic: basicOf(client), form });
      assert.equal(again.status, 429, again.text);
      assert.match(again.headers.get('retry-after') ?? '', /^[1-9]\d*$/u);
    }
  });

  test('keys are followed by one successor each, whichever of three processes looks at the clock first', async () => {
    const storage = await place.open();
    const { serverKeys } = storage.forTenant(DEFAULT_TENANT);
    try {
      for (let attempt = 0; attempt < 600; attempt += 1) {
        if ((await serverKeys.all()).some(({ succeeds }) => succeeds !== null)) break;
        await sleep(100);
      }
      // Each process has looked again.
      await sleep(2500);
      const followed = (await serverKeys.all()).flatMap(({ succeeds }) =>
        succeeds === null ? [] : [succeeds],
      );
      assert.ok(followed.length > 0, 'no key was ever followed');
      assert.equal(new Set(followed).size, followed.length, 'a key has two successors');
    } finally {
      await storage.close();
    }
    for (const each of nodes) assert.doesNotMatch(each.output(), /"level":"error"/u);
  });
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** How many answers had which status. */
function tally(answers: readonly Answer[]): Readonly<Record<number, number>> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

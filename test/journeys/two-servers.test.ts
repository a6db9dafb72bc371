import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Program, sha256, startProgram } from '../program/start.ts';
import {
  type Answer,
  ask,
  assertInvalidToken,
  assertRefused,
  call,
  manage,
  type Registration,
  register,
  registrationOf,
  SERVICE,
} from './conformance-exchange.ts';
import { initialAccessToken } from './initial-access-token.ts';

/**
 * Two servers on one database, behind one issuer: what one has answered, the other knows in its very next request,
 * although both keep records in memory. Connections are kept alive throughout.
 */
let first: Program;
let second: Program;
let inspector: Registration;

const ROUNDS = 200;
const CREDENTIALS = { grant_type: 'client_credentials' };

before(async () => {
  first = await startProgram();
  const environment = {
    CHANCERY_REGISTRATION_MASTER_TOKEN_SHA256: sha256(first.masterToken),
    CHANCERY_DIRECT_AUTHORIZATION_TOKEN_SHA256: sha256(first.directToken),
  };
  const { masterToken, directToken } = first;
  const started = await startProgram({ folder: first.folder, environment });
  second = { ...started, masterToken, directToken };
  inspector = await register(first, { ...SERVICE, scope: `${first.issuer}/token/introspect` });
});

after(async () => {
  await second.stop();
  await first.stop();
});

/** The server that acts and the one that must know of it: each in its turn. */
const roles = (round: number): readonly [actor: Program, witness: Program] =>
  round % 2 === 0 ? [first, second] : [second, first];

async function requestToken(program: Program, { client_id, client_secret }: Registration): Promise<Answer> {
  return await call(program, {
    method: 'POST',
    path: '/token',
    basic: [client_id, client_secret],
    form: CREDENTIALS,
  });
}

async function tokenFor(program: Program, client: Registration): Promise<string> {
  const answer = await requestToken(program, client);
  assert.equal(answer.status, 200, answer.text);
  return String(answer.json['access_token']);
}

async function introspect(program: Program, token: string): Promise<Answer> {
  const { client_id, client_secret } = inspector;
  const basic = [client_id, client_secret] as const;
  return await call(program, { method: 'POST', path: '/token/introspect', basic, form: { token } });
}

const INACTIVE = '{"active":false}';

/** Keeps `token` in the memory of a server, and says so. */
async function seenActive(program: Program, token: string): Promise<void> {
  for (let time = 0; time < 2; time += 1) {
    assert.equal((await introspect(program, token)).json['active'], true);
  }
}

/** Introspections without pause on both servers, so that their turns are never empty. */
async function underTraffic(token: string, story: () => Promise<void>): Promise<void> {
  const over = new AbortController();
  const traffic = async (program: Program): Promise<void> => {
    while (!over.signal.aborted) assert.equal((await introspect(program, token)).json['active'], true);
  };
  const flowing = Promise.all([first, second, first, second].map(traffic));
  try {
    await story();
  } finally {
    over.abort();
    await flowing;
  }
}

test('a client that is deleted on one server: its token is inactive (RFC 7662 §2.2) and its secret refused on the other in the very next request, each time', async () => {
  const lasting = await tokenFor(first, await register(first, SERVICE));
  await underTraffic(lasting, async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const [actor, witness] = roles(round);
      const client = await register(actor, SERVICE);
      const token = await tokenFor(witness, client);
      await seenActive(witness, token);
      assert.equal((await manage(actor, client, 'DELETE')).status, 204);
      const asked = round % 4 < 2;
      if (asked) assert.equal((await introspect(witness, token)).text, INACTIVE, `round ${round}`);
      assertRefused(await requestToken(witness, client), 401, 'invalid_client');
      if (!asked) assert.equal((await introspect(witness, token)).text, INACTIVE, `round ${round}`);
      assertInvalidToken(await manage(witness, client, 'GET'));
    }
  });
});

test('a client that is updated on one server: old secret and old registration token are refused on the other at once (RFC 7592 §2.2), the new ones hold, and its tokens stay', async () => {
  for (let round = 0; round < 40; round += 1) {
    const [actor, witness] = roles(round);
    const client = await register(actor, SERVICE);
    const token = await tokenFor(witness, client);
    await seenActive(witness, token);
    const answer = await manage(actor, client, 'PUT', { json: SERVICE });
    assert.equal(answer.status, 200, answer.text);
    const updated = registrationOf(answer);
    assert.notEqual(updated.client_secret, client.client_secret);
    assertRefused(await requestToken(witness, client), 401, 'invalid_client');
    assertInvalidToken(await manage(witness, client, 'GET'));
    await tokenFor(witness, updated);
    assert.equal((await manage(witness, updated, 'GET')).status, 200);
    await seenActive(witness, token);
  }
});

test('an initial access token that is used on one server is inactive on the other at once, and registers nothing there', async () => {
  for (let round = 0; round < 20; round += 1) {
    const [actor, witness] = roles(round);
    const token = await initialAccessToken(actor, ['client-reg', 'client-reg:grant:client_credentials']);
    await seenActive(witness, token);
    const holder = { ...actor, masterToken: token };
    const registered = await ask(holder, { grant_types: ['client_credentials'] });
    assert.equal(registered.status, 201, registered.text);
    assert.equal((await introspect(witness, token)).text, INACTIVE);
    assertInvalidToken(
      await ask({ ...witness, masterToken: token }, { grant_types: ['client_credentials'] }),
    );
  }
});

test('an id that is registered again on one server is the new client on the other, and revives no token of the old one (decision 14)', async () => {
  const preferred_client_id = 'againandagain';
  const old: { readonly client: Registration; readonly token: string }[] = [];
  for (let round = 0; round < 20; round += 1) {
    const [actor, witness] = roles(round);
    const client = await register(actor, { ...SERVICE, preferred_client_id });
    assert.equal(client.client_id, preferred_client_id);
    for (const { client: former, token } of old) {
      assertRefused(await requestToken(witness, former), 401, 'invalid_client');
      assert.equal((await introspect(witness, token)).text, INACTIVE);
    }
    const token = await tokenFor(witness, client);
    await seenActive(witness, token);
    old.push({ client, token });
    assert.equal((await manage(actor, client, 'DELETE')).status, 204);
  }
});

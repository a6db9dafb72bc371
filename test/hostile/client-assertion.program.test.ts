import assert from 'node:assert/strict';
import { createHmac, createPublicKey } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { segment, signedJwt, testKey } from '../../src/testing/jwt.ts';
import { askProgramRows } from '../program/program-rows.ts';
import { type Program, startProgram } from '../program/start.ts';
import { mutationsOf } from './assertion-mutations.ts';
import { type Answer, attackedProgram, type HostileRequest } from './attacked-program.ts';
import {
  ASSERTION_TYPE,
  type AssertingClient,
  type AssertionMethod,
  asserting,
  authenticatedBy,
  formAt,
  KEY,
  registerAsserting,
  tokenRequest,
} from './client-assertions.ts';
import { testInvariantsAtTheEnd } from './closing-tests.ts';
import { basic } from './introspection-requests.ts';
import { authorise, PLAIN, type RegisteredClient, register, SERVICE } from './registry.ts';

/** The rows of docs/contract/hostile/introspection.md that concern client assertions. */
const attacked = attackedProgram({}, async (started) => {
  clients.push(
    await registerAsserting(started, 'client_secret_jwt'),
    await registerAsserting(started, 'private_key_jwt'),
  );
  live = await authorise(started, 'read', { client_id: clients[0]?.client_id });
});
const clients: AssertingClient[] = [];
let live: string;

const bothMethods = async (act: (client: AssertingClient) => Promise<void>): Promise<void> => {
  assert.equal(clients.length, 2);
  for (const client of clients) await act(client);
};

function assertRefused(answer: Answer, status: number, error: string): void {
  assert.equal(answer.status, status, `${answer.status} ${answer.body}`);
  assert.equal(answer.json['error'], error);
}

/** How a request of each method looks, whatever the client is registered for. */
const PRESENTED: Readonly<Record<string, (client: RegisteredClient) => HostileRequest>> = {
  client_secret_basic: (client) => ({ ...introspection({}), authorization: basic(client) }),
  client_secret_post: ({ client_id, client_secret }) => introspection({ client_id, client_secret }),
  client_secret_jwt: (client) => introspection(authenticatedBy(assertionOf('client_secret_jwt', client))),
  private_key_jwt: (client) => introspection(authenticatedBy(assertionOf('private_key_jwt', client))),
  none: ({ client_id }) => introspection({ client_id }),
};

const introspection = (form: object): HostileRequest => formAt('/token/introspect', { token: live, ...form });

const assertionOf = (method: AssertionMethod, client: RegisteredClient): string =>
  asserting(attacked.program.issuer, method, client).assert();

/** Two ways to send one thing. */
const SECRETS: ReadonlySet<string> = new Set(['client_secret_basic', 'client_secret_post']);

for (const registered of Object.keys(PRESENTED)) {
  test(`H-125 a client of ${registered}: that method alone; a secret by HTTP Basic or in the form (decision 44)`, async () => {
    const scope = `${attacked.program.issuer}/token/introspect`;
    const metadata = registered === 'none' ? { ...PLAIN, scope } : { ...SERVICE, scope };
    const client = Object.assign(
      { client_secret: 'x'.repeat(64) },
      await register(attacked, {
        ...metadata,
        token_endpoint_auth_method: registered,
        jwks: { keys: [KEY.jwk] },
      }),
    );
    for (const [presented, request] of Object.entries(PRESENTED)) {
      const answer = await attacked.send(request(client));
      const isSecret = [presented, registered].every((name) => SECRETS.has(name));
      if ((presented === registered && registered !== 'none') || isSecret)
        assert.equal(answer.json['active'], true);
      else assertRefused(answer, 401, 'invalid_client');
      const { body, ...rest } = request(client);
      const inQuery = { ...rest, path: `/token/introspect?${String(body)}`, body: `token=${live}` };
      if (presented !== 'client_secret_basic') {
        assertRefused(await attacked.send(inQuery), 401, 'invalid_client');
      }
    }
  });
}

test('H-125 an assertion and another method at once: 400, and the assertion is still good (RFC 6749 §2.3)', async () => {
  const other = await register(attacked, SERVICE);
  await bothMethods(async (client) => {
    const request = tokenRequest(client.assert());
    for (const more of [{ authorization: basic(other) }, { bearer: live }]) {
      assertRefused(await attacked.send({ ...request, ...more }), 400, 'invalid_request');
    }
    const body = `${String(request.body)}&client_secret=${other.client_secret}`;
    assertRefused(await attacked.send({ ...request, body }), 400, 'invalid_request');
    assert.equal((await attacked.send(request)).status, 200);
  });
});

// proves rfc7523-2.2-1
test('H-148 client_assertion_type missing, wrong, empty or alone: 401; one of the two twice: 400', async () => {
  await bothMethods(async (client) => {
    for (const form of [
      { client_assertion_type: undefined },
      { client_assertion_type: '' },
      { client_assertion_type: `${ASSERTION_TYPE}2` },
      { client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer' },
      { client_assertion: undefined },
      { client_assertion: undefined, client_id: client.client_id },
    ]) {
      assertRefused(await attacked.send(tokenRequest(client.assert(), form)), 401, 'invalid_client');
    }
    for (const name of ['client_assertion', 'client_assertion_type']) {
      const request = tokenRequest(client.assert());
      const body = `${String(request.body)}&${name}=x`;
      assertRefused(await attacked.send({ ...request, body }), 400, 'invalid_request');
    }
  });
});

test('H-149 an assertion signed with what everybody knows, or not at all: 401', async () => {
  const [, client] = clients;
  assert.ok(client);
  const good = client.assert();
  const [, payload = ''] = good.split('.');
  const publicKey = createPublicKey(KEY.privateKey);
  const forged = [
    publicKey.export({ type: 'spki', format: 'pem' }),
    publicKey.export({ type: 'spki', format: 'der' }),
    JSON.stringify(KEY.jwk),
    '',
  ].map((secret) => {
    const input = `${segment('{"alg":"HS256","kid":"own"}')}.${payload}`;
    return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
  });
  const stranger = testKey('ES256', 'own');
  const claims = Buffer.from(payload, 'base64url');
  for (const assertion of [
    ...forged,
    `${segment('{"alg":"none"}')}.${payload}.`,
    `${segment('{"alg":"none"}')}.${payload}.AA`,
    signedJwt(stranger, claims),
    signedJwt(stranger, claims, { jwk: stranger.jwk }),
    signedJwt(stranger, claims, { jku: 'https://evil.example/jwks.json' }),
    client.assert({}, { crit: ['exp'] }),
    client.assert({}, { b64: false, crit: ['b64'] }),
    client.assert({}, { zip: 'DEF' }),
    client.assert({}, { typ: 'entity-statement+jwt' }),
    `${good}A`,
  ]) {
    assertRefused(await attacked.send(tokenRequest(assertion)), 401, 'invalid_client');
  }
  assert.equal((await attacked.send(tokenRequest(good))).status, 200);
});

test('H-149 an algorithm that others may use and this client has not registered: 401', async () => {
  const hs512 = { token_endpoint_auth_signing_alg: 'HS512' };
  const es384 = { token_endpoint_auth_signing_alg: 'ES384' };
  for (const client of [
    await registerAsserting(attacked, 'client_secret_jwt', hs512),
    await registerAsserting(attacked, 'private_key_jwt', es384),
  ]) {
    assertRefused(await attacked.send(tokenRequest(client.assert())), 401, 'invalid_client');
  }
});

// proves rfc7523-3-3, rfc7523-3-4
test('H-150 claims at their edges', async () => {
  const { issuer } = attacked.program;
  await bothMethods(async (client) => {
    const now = Math.floor(Date.now() / 1000);
    const other = await register(attacked, SERVICE);
    for (const claims of [
      { nbf: now + 8 },
      { iat: undefined },
      { exp: now + 3600 },
      { aud: issuer },
      { aud: [issuer] },
    ]) {
      assert.equal((await attacked.send(tokenRequest(client.assert(claims)))).status, 200);
    }
    for (const claims of [
      { iss: other.client_id },
      { sub: other.client_id },
      { iss: other.client_id, sub: other.client_id },
      { iss: 'nobody', sub: 'nobody' },
      { aud: [issuer, 'https://evil.example'] },
      { aud: `${issuer}/token` },
      { aud: `${issuer}/` },
      { aud: 'https://evil.example' },
      { exp: now + 3700 },
      { exp: now - 61 },
      { exp: 1e308 },
      { exp: undefined },
      { iat: now - 3700 },
      { nbf: now + 90 },
      { jti: undefined },
      { jti: 7 },
      { jti: 'j'.repeat(10_000) },
    ]) {
      assertRefused(await attacked.send(tokenRequest(client.assert(claims))), 401, 'invalid_client');
    }
    const form = { client_id: other.client_id };
    assertRefused(await attacked.send(tokenRequest(client.assert(), form)), 401, 'invalid_client');
  });
});

// proves rfc7523-3-7
test('2,000 mutations of good assertions: 400 or 401, and the originals stay good', async () => {
  await bothMethods(async (client) => {
    const good = client.assert({ exp: Math.floor(Date.now() / 1000) + 590 });
    const mutants = mutationsOf(good, 1_000, clients.indexOf(client) + 1);
    while (mutants.length > 0) {
      const requests = mutants.splice(0, 50).map((mutant) => tokenRequest(mutant));
      for (const answer of await attacked.sendAtOnce(requests)) {
        assert.ok(answer.status === 400 || answer.status === 401, `${answer.status} ${answer.body}`);
      }
    }
    assert.equal((await attacked.send(tokenRequest(good))).status, 200);
  });
});

async function statuses(requests: readonly { readonly program: Program; readonly assertion: string }[]) {
  return await Promise.all(
    requests.map(async ({ program, assertion }) => {
      const { body } = tokenRequest(assertion);
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const answer = await fetch(`${program.url}/token`, { method: 'POST', headers, body: String(body) });
      await answer.text();
      return answer.status;
    }),
  );
}

// proves rfc7523-3-6
test('H-150 fifty equal assertions at once, at two processes on one database: exactly one is taken', async () => {
  const second = await startProgram({ folder: attacked.program.folder });
  try {
    await bothMethods(async (client) => {
      const assertion = client.assert();
      const requests = Array.from({ length: 50 }, (_, index) => ({
        program: index % 2 === 0 ? attacked.program : second,
        assertion,
      }));
      const answers = await statuses(requests);
      assert.equal(answers.filter((status) => status === 200).length, 1, String(answers));
      assert.equal(answers.filter((status) => status === 401).length, 49, String(answers));
      const another = client.assert();
      assert.deepEqual(await statuses([{ program: second, assertion: another }]), [200]);
      assertRefused(await attacked.send(tokenRequest(another)), 401, 'invalid_client');
    });
  } finally {
    await second.stop();
  }
});

// proves rfc7523-3-6
test('H-150 an assertion that was used before a restart is refused after it; the sweep removes it when it cannot be used', async () => {
  const first = await startProgram({ folder: attacked.program.folder });
  const used = clients.map((client) => client.assert());
  const expiring = clients.map((client) => client.assert({ exp: Math.floor(Date.now() / 1000) - 54 }));
  const at = (program: Program, assertions: readonly string[]) =>
    statuses(assertions.map((assertion) => ({ program, assertion })));
  assert.deepEqual(await at(first, [...used, ...expiring]), [200, 200, 200, 200]);
  first.signal('SIGKILL');
  await first.exited;
  // A clock that is set back by less than `clock.behind-max` is believed, so the sweep waits for that long.
  const environment = { CHANCERY_STORAGE_SWEEP_INTERVAL: '1', CHANCERY_CLOCK_BEHIND_MAX: '10' };
  const again = await startProgram({ folder: attacked.program.folder, environment });
  try {
    assert.deepEqual(await at(again, used), [401, 401]);
    const expired = async (): Promise<number> => {
      const now = Math.floor(Date.now() / 1000);
      const [row] = await askProgramRows(
        again.folder,
        'SELECT count(*) AS count, min(expires_at) AS oldest FROM remembered_once',
      );
      assert.ok(Number(row?.['count']) >= 2, 'what can still be used is remembered');
      return Number(row?.['oldest']) - now;
    };
    const deadline = Date.now() + 60_000;
    // The two above expire within six seconds of their making; everything else lives for a minute at least.
    while ((await expired()) < 10 && Date.now() < deadline) await sleep(100);
    assert.ok((await expired()) >= 10, 'the sweep has not removed what expired');
    assert.deepEqual(await at(again, used), [401, 401]);
  } finally {
    await again.stop();
  }
});

testInvariantsAtTheEnd(attacked);

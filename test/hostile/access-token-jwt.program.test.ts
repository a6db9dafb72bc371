import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { after, test } from 'node:test';
import { listeningPort } from '../../src/testing/listening-port.ts';
import {
  claimRows,
  confusedRows,
  encryptedRows,
  formRows,
  headerRows,
  type Rows,
} from './access-token-jwt-rows.ts';
import { accessTokenJwt, JWK_SET, OWN, record, seconds, tokenClaims } from './access-token-jwts.ts';
import { mutationsOf } from './assertion-mutations.ts';
import { type Answer, attackedProgram, type HostileRequest } from './attacked-program.ts';
import { type AssertingClient, authenticatedBy, formAt, registerAsserting } from './client-assertions.ts';
import { testInvariantsAtTheEnd } from './closing-tests.ts';
import { basic, formOf, introspect } from './introspection-requests.ts';
import { JSON_TYPE, type RegisteredClient, register, SERVICE } from './registry.ts';

/** H-139…H-143 and "Bad input": JWTs as tokens, as bearer tokens and as assertions, each with what it needs but validity. */
let connections = 0;
const canary = createServer((socket) => {
  connections += 1;
  socket.on('error', () => undefined).end();
}).listen(0, '127.0.0.1');
after(() => canary.close());
const CANARY_URL = `https://127.0.0.1:${await listeningPort(canary)}`;

const environment = {
  CHANCERY_KEYS_JWK_SET: JWK_SET,
  CHANCERY_OUTBOUND_ALLOW_NETWORKS: '127.0.0.0/8',
  CHANCERY_OUTBOUND_PORTS: 'any',
};
const attacked = attackedProgram({ environment }, async (started) => {
  scope = `${started.program.issuer}/token/introspect`;
  caller = await register(started, { ...SERVICE, scope });
  asserting = [
    await registerAsserting(started, 'client_secret_jwt'),
    await registerAsserting(started, 'private_key_jwt'),
  ];
  active = { active: true, scope, client_id: caller.client_id, sub: 'alice' };
});
const INACTIVE = '{"active":false}';
let scope: string;
let caller: RegisteredClient;
let asserting: readonly AssertingClient[];
/** The record that would make each JWT active if the server believed it. */
let active: object;

const claims = (changes: object = {}): object =>
  tokenClaims(attacked.program.issuer, caller.client_id, changes);

async function goodTokens(): Promise<readonly string[]> {
  const jwts = OWN.map((key) => accessTokenJwt(key, claims()));
  await record(attacked, jwts, active);
  return jwts;
}

const asBearer = (bearer: string): HostileRequest => ({ ...formOf('token=x'), bearer });

function assertUnauthorised(answer: Answer, what: string): void {
  assert.ok(answer.status === 401 || answer.status === 400, `${what}: ${answer.status} ${answer.body}`);
}

/** As a token to inspect each is inactive, in the same bytes; as a bearer token it opens nothing. */
async function assertRefused(rows: Rows): Promise<void> {
  const names = Object.keys(rows);
  await record(attacked, Object.values(rows), active);
  const usual = await attacked.send(introspect(caller, 'junk'));
  const answers = await inTurns(Object.values(rows).map((token) => introspect(caller, token)));
  for (const [index, { status, body, headers }] of answers.entries()) {
    const what = names[index] ?? '';
    assert.equal(`${status} ${body}`, `200 ${INACTIVE}`, what);
    assert.deepEqual({ ...headers, date: '' }, { ...usual.headers, date: '' }, what);
  }
  const short = names.filter((name) => /^[\x21-\x7e]{1,8000}$/.test(rows[name] ?? ''));
  const opened = await inTurns(short.map((name) => asBearer(rows[name] ?? '')));
  for (const [index, answer] of opened.entries()) assertUnauthorised(answer, short[index] ?? '');
}

/** Fifty at a time. */
async function inTurns(requests: readonly HostileRequest[]): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  for (let at = 0; at < requests.length; at += 50) {
    answers.push(...(await attacked.sendAtOnce(requests.slice(at, at + 50))));
  }
  return answers;
}

test('a JWT that one of the server’s keys signed, with its record, is active and opens introspection: the rows below lack one thing only', async () => {
  for (const token of await goodTokens()) {
    assert.equal((await attacked.send(introspect(caller, token))).json['active'], true);
    assert.equal((await attacked.send(asBearer(token))).status, 200);
  }
});

test('H-139 a MAC with any form of a public key', async () => {
  const rows = confusedRows(claims);
  assert.ok(Object.keys(rows).length >= 48);
  await assertRefused(rows);
});

// proves rfc7662-4-3
test('H-139, H-141 headers: none, other keys, keys that the token brings or names, crit, zip, b64, other types', async () => {
  await assertRefused(headerRows(claims, CANARY_URL));
});

test('H-139, H-142 other texts of a good token', async () => {
  for (const good of await goodTokens()) {
    await assertRefused(formRows(good));
    assert.equal((await attacked.send(introspect(caller, good))).json['active'], true);
  }
});

// proves rfc7662-4-3, rfc7662-4-5
test('H-140, H-142 claims that no token of ours has, signed by our key', async () => {
  await assertRefused(claimRows(claims, seconds()));
});

test('H-143 encrypted tokens: dir, PBES2, compressed, RSA1_5, and a good one inside', async () => {
  const [good = ''] = await goodTokens();
  await assertRefused(await encryptedRows(good));
});

// proves rfc9701-5-4
test('a hostile token is inactive in a JWT too (RFC 9701 §5)', async () => {
  for (const token of Object.values(headerRows(claims, CANARY_URL)).slice(0, 6)) {
    const request = introspect(caller, token);
    const headers = `${request.headers ?? ''}Accept: application/token-introspection+jwt\r\n`;
    const answer = await attacked.send({ ...request, headers });
    assert.equal(answer.headers['content-type'], 'application/token-introspection+jwt');
    const payload = JSON.parse(
      Buffer.from(answer.body.split('.')[1] ?? '', 'base64url').toString(),
    ) as object;
    assert.deepEqual(Reflect.get(payload, 'token_introspection'), { active: false });
  }
});

test('H-129, H-137 a refresh token and an ID token are inactive and open nothing; the self-contained token beside them is active', async () => {
  const grant_types = ['client_credentials', 'refresh_token'];
  const { client_id } = await register(attacked, { ...SERVICE, grant_types, scope });
  const body = JSON.stringify({
    sub: 'alice',
    client_id,
    scope: [scope],
    access_token: { encoding: 'SELF_CONTAINED' },
    refresh_token: { issue: true },
    id_token: { issue: true },
  });
  const bearer = attacked.program.directToken;
  const path = '/direct-authz/rest/v2';
  const issued = await attacked.send({ method: 'POST', path, headers: JSON_TYPE, bearer, body });
  const { access_token, refresh_token, id_token } = issued.json;
  assert.match(String(access_token), /^eyJ/, issued.body);
  for (const token of [refresh_token, id_token].map(String)) {
    assert.ok(token.length > 40);
    assert.equal((await attacked.send(introspect(caller, token))).body, INACTIVE);
    assertUnauthorised(await attacked.send(asBearer(token)), 'not an access token');
  }
  assert.equal((await attacked.send(introspect(caller, String(access_token)))).json['active'], true);
  assert.equal((await attacked.send(asBearer(String(access_token)))).status, 200);
});

interface Mutated {
  readonly what: string;
  readonly requests: (mutant: string) => HostileRequest;
  readonly statuses: readonly number[];
  readonly body?: string;
}

/** Together with the 2,000 at the token endpoint (client-assertion.program.test.ts) more than 10,000, the same ones in each run. */
async function survives(
  original: string,
  count: number,
  seed: number,
  { what, requests, ...expected }: Mutated,
) {
  const mutants = mutationsOf(original, count, seed);
  await record(attacked, mutants, active);
  const began = performance.now();
  for (const [index, answer] of (await inTurns(mutants.map(requests))).entries()) {
    const shown = `${what}, mutant ${index} of seed ${seed}: ${answer.status} ${answer.body}`;
    assert.ok(expected.statuses.includes(answer.status), shown);
    if (answer.status === 200) assert.equal(answer.body, expected.body ?? '', shown);
  }
  return `${what}: ${count} in ${Math.round(performance.now() - began)} ms`;
}

// proves rfc7662-4-3
test('4,500 mutations of good access tokens to be inspected: inactive, each with its record', async (context) => {
  for (const [index, good] of (await goodTokens()).entries()) {
    const requests = (mutant: string): HostileRequest => introspect(caller, mutant);
    const expected = { statuses: [200, 400], body: INACTIVE };
    const told = await survives(good, 1_500, 10 + index, { what: 'inspected', requests, ...expected });
    context.diagnostic(told);
    assert.equal((await attacked.send(introspect(caller, good))).json['active'], true);
  }
});

test('1,500 mutations of a good access token that opens introspection: 400 or 401', async (context) => {
  const [good = ''] = await goodTokens();
  const sendable = (mutant: string): string => mutant.replaceAll(/[^\x21-\x7e]/g, '~');
  const told = await survives(good, 1_500, 20, {
    what: 'bearer',
    requests: (mutant) => asBearer(sendable(mutant)),
    statuses: [400, 401],
  });
  context.diagnostic(told);
  assert.equal((await attacked.send(asBearer(good))).status, 200);
});

test('1,000 mutations of a good access token to be revoked: nothing happens, and it is still good', async (context) => {
  const [good = ''] = await goodTokens();
  const told = await survives(good, 1_000, 30, {
    what: 'revoked',
    requests: (token) => ({ ...formAt('/token/revoke', { token }), authorization: basic(caller) }),
    statuses: [200, 400],
  });
  context.diagnostic(told);
  assert.equal((await attacked.send(introspect(caller, good))).json['active'], true);
});

for (const path of ['/token/introspect', '/token/revoke']) {
  test(`2,000 mutations of good assertions at ${path}: 400 or 401, and the originals stay good`, async (context) => {
    assert.equal(asserting.length, 2);
    for (const [index, client] of asserting.entries()) {
      const good = client.assert({ exp: seconds() + 590 });
      const asked = (assertion: string): HostileRequest =>
        formAt(path, { token: 'junk', ...authenticatedBy(assertion) });
      const what = `${client.method} at ${path}`;
      const told = await survives(good, 1_000, 40 + index, { what, requests: asked, statuses: [400, 401] });
      context.diagnostic(told);
      assert.equal((await attacked.send(asked(good))).status, 200);
    }
  });
}

test('NOOUT: no URL in any of these was called', () => {
  assert.equal(connections, 0);
});

testInvariantsAtTheEnd(attacked);

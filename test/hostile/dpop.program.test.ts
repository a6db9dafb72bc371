import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DpopKey, dpopKey } from '../../src/testing/dpop.ts';
import { type Program, startProgram } from '../program/start.ts';
import { type Answer, attackedProgram, type HostileRequest } from './attacked-program.ts';
import { testInvariantsAtTheEnd } from './closing-tests.ts';
import { proofRows, SPELLINGS } from './dpop-rows.ts';
import { basic, FORM_TYPE } from './introspection-requests.ts';
import { type RegisteredClient, register, SERVICE } from './registry.ts';

/** H-580…H-591: DPoP proofs at the token endpoint, bound tokens elsewhere, and the races for one proof. */
const attacked = attackedProgram({}, async (started) => {
  const scope = `${started.program.issuer}/token/introspect`;
  client = await register(started, { ...SERVICE, scope });
  bound = await register(started, { ...SERVICE, dpop_bound_access_tokens: true });
});
let client: RegisteredClient;
let bound: RegisteredClient;
const KEY = dpopKey();

const seconds = (): number => Math.floor(Date.now() / 1000);
const tokenAddress = (): string => `${attacked.program.issuer}/token`;

const proofNow = (key: DpopKey = KEY, claims: object = {}): string =>
  key.proof({ method: 'POST', address: tokenAddress(), now: seconds(), claims });

function tokenRequest(proof?: string, of: RegisteredClient = client): HostileRequest {
  return {
    method: 'POST',
    path: '/token',
    authorization: basic(of),
    headers: FORM_TYPE + (proof === undefined ? '' : `DPoP: ${proof}\r\n`),
    body: 'grant_type=client_credentials',
  };
}

function assertProofRefused({ status, json, body }: Answer, words: RegExp, what: string): void {
  assert.deepEqual([status, json['error']], [400, 'invalid_dpop_proof'], `${what}: ${body}`);
  assert.match(String(json['error_description']), words, what);
}

// proves rfc9449-4.3-1, rfc9449-5-1
test('H-580…H-584 every malformed, foreign, unsigned, unfit or old proof is 400 invalid_dpop_proof, and stores nothing (RFC 9449 §4.3)', async () => {
  const rows = proofRows({ method: 'POST', address: tokenAddress(), now: seconds() });
  for (const { row, what, header, words } of rows)
    assertProofRefused(await attacked.send(tokenRequest(header)), words, `${row}: a proof ${what}`);
});

test('H-584 the address of a proof counts without query and fragment, and in any case of scheme and host (RFC 9449 §4.3)', async () => {
  for (const htu of SPELLINGS(tokenAddress())) {
    const answer = await attacked.send(tokenRequest(proofNow(KEY, { htu })));
    assert.equal(answer.json['token_type'], 'DPoP', `${htu}: ${answer.body}`);
  }
});

test('H-722 a proof whose iat has a fraction is good once, as any other: RFC 7519 §2 permits fractions', async () => {
  for (const before of [0.25, 0.5]) {
    const proof = proofNow(KEY, { iat: seconds() - before });
    const answer = await attacked.send(tokenRequest(proof));
    assert.equal(answer.json['token_type'], 'DPoP', answer.body);
    assertProofRefused(await attacked.send(tokenRequest(proof)), /was used before/, 'again');
  }
});

test('H-584 a header of two lines is refused, whichever of them is good (RFC 9449 §4.3)', async () => {
  const request = tokenRequest(proofNow());
  const twice = { ...request, headers: `${request.headers ?? ''}DPoP: ${proofNow()}\r\n` };
  assertProofRefused(await attacked.send(twice), /must be one signed JWT/, 'two lines');
});

async function statusOf(program: Program, request: HostileRequest): Promise<number> {
  const headers = new Headers({ authorization: request.authorization ?? '' });
  for (const line of (request.headers ?? '').split('\r\n')) {
    const [name = '', value = ''] = line.split(': ');
    if (name !== '') headers.append(name, value);
  }
  const { method, body = '' } = request;
  const answer = await fetch(program.url + request.path, { method, headers, body: String(body) });
  await answer.text();
  return answer.status;
}

// proves rfc9449-11.1-1
test('H-585 one proof in forty requests at once, at two processes on one database: exactly one succeeds, also after a restart', async () => {
  const second = await startProgram({ folder: attacked.program.folder });
  const request = tokenRequest(proofNow());
  const count = (statuses: readonly number[], status: number): number =>
    statuses.filter((each) => each === status).length;
  try {
    const programs = Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? attacked.program : second));
    const statuses = await Promise.all(programs.map(async (program) => await statusOf(program, request)));
    assert.deepEqual([count(statuses, 200), count(statuses, 400)], [1, 39], String(statuses));
  } finally {
    await second.stop();
  }
  const third = await startProgram({ folder: attacked.program.folder });
  try {
    assert.equal(await statusOf(third, request), 400, 'after a restart');
    assert.equal(await statusOf(third, tokenRequest(proofNow())), 200);
  } finally {
    await third.stop();
  }
});

test('H-586 two keys may use the same jti: neither can use up the values of the other (RFC 9449 §11.1)', async () => {
  const jti = 'shared';
  for (const key of [KEY, dpopKey()]) {
    const answer = await attacked.send(tokenRequest(proofNow(key, { jti })));
    assert.equal(answer.status, 200, answer.body);
  }
});

test('H-587 a client that registered dpop_bound_access_tokens gets no token without a proof (RFC 9449 §5.2)', async () => {
  assertProofRefused(await attacked.send(tokenRequest(undefined, bound)), /must send a DPoP proof/, 'none');
  const answer = await attacked.send(tokenRequest(proofNow(), bound));
  assert.equal(answer.json['token_type'], 'DPoP', answer.body);
});

// proves rfc9449-7.2-1
test('H-588 a stolen bound token opens nothing as a bearer token, nor with a proof of another key or of another token (RFC 9449 §7)', async () => {
  const issued = await attacked.send(tokenRequest(proofNow()));
  const accessToken = String(issued.json['access_token']);
  attacked.secrets.add(accessToken);
  const address = `${attacked.program.issuer}/token/introspect`;
  const proofFor = (key: DpopKey, token: string): string =>
    key.proof({ method: 'POST', address, now: seconds(), accessToken: token });
  const introspecting = (scheme: string, proof?: string): HostileRequest => ({
    method: 'POST',
    path: '/token/introspect',
    authorization: `${scheme} ${accessToken}`,
    headers: FORM_TYPE + (proof === undefined ? '' : `DPoP: ${proof}\r\n`),
    body: `token=${accessToken}`,
  });
  const stolen = [
    introspecting('Bearer'),
    introspecting('DPoP'),
    introspecting('DPoP', proofFor(dpopKey(), accessToken)),
    introspecting('DPoP', proofFor(KEY, 'another')),
    introspecting('Bearer', proofFor(KEY, accessToken)),
    { method: 'GET', path: '/userinfo', bearer: accessToken },
    { method: 'GET', path: '/clients', bearer: accessToken },
    {
      method: 'POST',
      path: '/clients',
      authorization: `DPoP ${accessToken}`,
      headers: 'Content-Type: application/json\r\n',
      body: '{}',
    },
  ] as const;
  for (const request of stolen) {
    const answer = await attacked.send(request);
    // 403 of the registry: an access token of a client is none of its credentials, bound or not.
    const expected = request.path === '/clients' && 'bearer' in request ? 403 : 401;
    assert.equal(answer.status, expected, `${request.method} ${request.path}: ${answer.body}`);
  }
  const held = await attacked.send(introspecting('DPoP', proofFor(KEY, accessToken)));
  assert.deepEqual([held.json['active'], held.json['token_type']], [true, 'DPoP'], held.body);
});

test('H-591 a page of another origin may send DPoP and read DPoP-Nonce, without credentials (Fetch Standard, RFC 9449 §8)', async () => {
  const headers = 'Origin: https://spa.example\r\nAccess-Control-Request-Method: POST\r\n';
  const preflight = await attacked.send({ method: 'OPTIONS', path: '/token', headers });
  assert.match(preflight.headers['access-control-allow-headers'] ?? '', /\bDPoP\b/);
  assert.match(preflight.headers['access-control-expose-headers'] ?? '', /\bDPoP-Nonce\b/);
  assert.equal(preflight.headers['access-control-allow-credentials'], undefined);
});

testInvariantsAtTheEnd(attacked);

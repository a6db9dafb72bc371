import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { converse } from '../program/raw-socket.ts';
import { attackedProgram, encode } from './attacked-program.ts';
import { testInvariantsAtTheEnd } from './closing-tests.ts';
import { GRANT_REQUESTS, LOOK_ALIKE_GRANTS, PRIVILEGED_MEMBERS, SCOPE_REQUESTS } from './privilege-rows.ts';
import {
  assertAnswer,
  authorise,
  deleteClient,
  getClient,
  JSON_TYPE,
  PLAIN,
  postClient,
  register,
  SERVICE,
} from './registry.ts';

/** H-105…H-118: the answer to each registrant without the right. */
const attacked = attackedProgram({
  environment: { CHANCERY_REGISTRATION_ALLOW_OPEN_REGISTRATION: 'true' },
});
const managed = attackedProgram();

for (const [name, { metadata, expected }] of Object.entries(GRANT_REQUESTS)) {
  test(`H-105 open mode, no token: ${name}`, async () => {
    assertAnswer(await attacked.send(postClient({ ...PLAIN, ...metadata })), expected, true);
  });
}

for (const [name, { metadata, expected }] of Object.entries(PRIVILEGED_MEMBERS)) {
  test(`H-107…H-109 open mode, no token: ${name}`, async () => {
    assertAnswer(await attacked.send(postClient({ ...PLAIN, ...metadata })), expected, true);
  });
}

test('managed mode, no token: the most innocent registration is 401', async () => {
  assertAnswer(await managed.send(postClient(PLAIN)), 'invalid_token', true);
  assertAnswer(await managed.send(postClient('{')), 'invalid_token', true);
});

for (const grant_types of LOOK_ALIKE_GRANTS) {
  test(`H-106 ${JSON.stringify(grant_types)} is refused, with every credential`, async () => {
    const token = await authorise(attacked, 'client-reg');
    for (const bearer of [undefined, token, attacked.program.masterToken]) {
      const answer = await attacked.send(postClient({ ...PLAIN, grant_types }, bearer));
      assertAnswer(answer, 'invalid_client_metadata');
    }
  });
}

test('H-113 each scope value alone permits what it names and nothing else', async () => {
  for (const held of Object.keys(SCOPE_REQUESTS)) {
    let token = await authorise(attacked, held);
    for (const [wanted, { metadata, needs }] of Object.entries(SCOPE_REQUESTS)) {
      const missing = needs.filter((each) => each !== held);
      const answer = await attacked.send(postClient({ ...PLAIN, ...metadata }, token));
      const challenge = answer.headers['www-authenticate'] ?? '';
      assertAnswer(answer, missing.length === 0 ? 'registered' : 'insufficient_scope');
      if (missing.length === 0) token = await authorise(attacked, held);
      else assert.ok(challenge.endsWith(`scope="${missing.join(' ')}"`), `${held}, ${wanted}: ${challenge}`);
    }
  }
});

const SUFFIXED = 'client-reg:grant:client client-reg:scope:openid client-reg:scope:email';

test('H-114 scope values are compared whole, and a suffix never widens', async () => {
  const rows = [
    ['openid', 'registered'],
    ['openid email', 'registered'],
    ['openid openid', 'registered'],
    ['openid profile', 'insufficient_scope'],
    ['OPENID', 'insufficient_scope'],
    ['open', 'insufficient_scope'],
    ['openid2', 'insufficient_scope'],
    [' openid  email ', 'registered'],
    ['openid  profile', 'insufficient_scope'],
    [' profile', 'insufficient_scope'],
    [' ', 'invalid_client_metadata'],
    ['openid\temail', 'invalid_client_metadata'],
    ['openid\nemail', 'invalid_client_metadata'],
    ['openid\u00a0email', 'invalid_client_metadata'],
    ['openid "email"', 'invalid_client_metadata'],
    ['openid e\\mail', 'invalid_client_metadata'],
  ] as const;
  for (const [scope, expected] of rows) {
    const token = await authorise(attacked, SUFFIXED);
    assertAnswer(await attacked.send(postClient({ ...SERVICE, scope }, token)), expected);
  }
});

test('H-114 client-reg:scope beside a suffix: the suffix restricts', async () => {
  const token = await authorise(attacked, `client-reg:scope ${SUFFIXED}`);
  const answer = await attacked.send(postClient({ ...SERVICE, scope: 'openid profile' }, token));
  assertAnswer(answer, 'insufficient_scope');
  assert.match(answer.headers['www-authenticate'] ?? '', /scope="client-reg:scope:profile"$/);
});

test('H-114, H-115 an access token with look-alike scope values registers nothing', async () => {
  const { client_id } = await register(attacked);
  for (const scope of [
    'client-reg:',
    'client-reg:scope:',
    'client-reg:scopeX',
    'client-regX',
    'xclient-reg',
    'CLIENT-REG',
    'client-reg:grant',
    'client-reg:grant:',
    'client-reg:grant:code2',
  ]) {
    const token = await authorise(attacked, scope, { client_id });
    assertAnswer(await attacked.send(postClient(PLAIN, token)), 'insufficient_scope');
    assertAnswer(await attacked.send(postClient({ ...SERVICE, scope: 'a' }, token)), 'insufficient_scope');
  }
});

test('H-115 a client that is registered for the scope client-reg cannot register clients with its tokens', async () => {
  const { client_id, client_secret } = await register(attacked, { ...SERVICE, scope: 'client-reg' });
  const answer = await attacked.send({
    method: 'POST',
    path: '/token',
    authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`,
    headers: 'Content-Type: application/x-www-form-urlencoded\r\n',
    body: 'grant_type=client_credentials&scope=client-reg',
  });
  const bearer = String(answer.json['access_token']);
  if (answer.status !== 200) assert.equal(answer.json['error'], 'invalid_scope', answer.body);
  else
    for (const body of [PLAIN, SERVICE]) {
      const refused = await attacked.send(postClient(body, bearer));
      assert.ok([401, 403].includes(refused.status), `${refused.status} ${refused.body}`);
    }
});

test('H-115 tokens of other kinds and of other servers are unknown', async () => {
  const client = await register(attacked, SERVICE);
  const unsigned = [
    { alg: 'none', typ: 'at+jwt' },
    { iss: attacked.program.issuer, scope: 'client-reg' },
  ]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const tokens = [
    client.client_secret,
    client.registration_access_token,
    client.client_id,
    `${unsigned}.`,
    await authorise(managed, 'client-reg'),
    managed.program.masterToken,
    attacked.program.directToken,
  ];
  for (const token of tokens) assertAnswer(await attacked.send(postClient(PLAIN, token)), 'invalid_token');
  // An identifier is no secret, even when a request sends it as one: the log may name it.
  attacked.secrets.delete(client.client_id);
});

test('H-115 an expired initial access token is unknown', async () => {
  const token = await authorise(attacked, 'client-reg', { lifetime: 1 });
  await sleep(1_100);
  assertAnswer(await attacked.send(postClient(PLAIN, token)), 'invalid_token');
});

test('H-116 fifty requests at once with one initial access token: one client', async () => {
  const token = await authorise(attacked, 'client-reg');
  const before = await attacked.stored();
  const answers = await attacked.sendAtOnce(Array.from({ length: 50 }, () => postClient(PLAIN, token)));
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  for (const answer of answers) if (answer.status !== 200) assertAnswer(answer, 'invalid_token');
  const after = await attacked.stored();
  assert.equal(after.clients, before.clients + 1);
  assert.equal(after.usedInitialTokens, before.usedInitialTokens + 1);
});

test('H-117 a registration that is refused leaves the initial access token, one that is made uses it up', async () => {
  const token = await authorise(attacked, 'client-reg:grant:code');
  assertAnswer(await attacked.send(postClient('{', token)), 'invalid_request');
  assertAnswer(await attacked.send(postClient({}, token)), 'invalid_redirect_uri');
  assertAnswer(await attacked.send(postClient(SERVICE, token)), 'insufficient_scope');
  assertAnswer(await attacked.send(postClient(PLAIN, token)), 'registered');
  assertAnswer(await attacked.send(postClient(PLAIN, token)), 'invalid_token');
});

test('H-117 the client hangs up before the answer: the token is used up if and only if there is a client', async () => {
  for (let wait_ms = 0; wait_ms < 10; wait_ms += 1) {
    const token = await authorise(attacked, 'client-reg');
    const before = await attacked.stored();
    const request = encode(postClient(PLAIN, token));
    await converse(attacked.program, [...request, { wait_ms: wait_ms / 2 }, { end: 'reset' }], {
      until: 'closed',
    });
    // A request that was read is carried out; this one waits for its turn behind it.
    const again = await attacked.sendAtOnce([postClient(PLAIN, token)]);
    const after = await attacked.stored();
    assert.ok([200, 401].includes(again[0]?.status ?? 0));
    assert.equal(after.clients - before.clients, 1);
    assert.equal(after.usedInitialTokens - before.usedInitialTokens, 1);
  }
});

test('H-118 whatever is almost the master token is unknown', async () => {
  const { masterToken } = attacked.program;
  const flipped = masterToken.startsWith('a') ? 'b' : 'a';
  const variants = [
    flipped + masterToken.slice(1),
    masterToken.slice(0, -1) + (masterToken.endsWith('0') ? '1' : '0'),
    masterToken.slice(1),
    masterToken.slice(0, -1),
    masterToken + masterToken,
    masterToken.toUpperCase(),
    `${masterToken}=`,
    `${masterToken}\u0000`,
    `${masterToken} `.repeat(2).trim(),
    `"${masterToken}"`,
    `${masterToken},`,
  ].filter((variant) => variant !== masterToken);
  for (const variant of variants) {
    const listed = await attacked.sendAtOnce([
      { method: 'GET', path: '/clients', headers: `Authorization: Bearer ${variant}\r\n` },
    ]);
    assert.ok(
      [400, 401].includes(listed[0]?.status ?? 0),
      `${listed[0]?.status} for ${variant.length} characters`,
    );
  }
  for (const authorization of [
    'Bearer',
    'Bearer ',
    `Basic ${masterToken}`,
    masterToken,
    `Token ${masterToken}`,
    `Bearer: ${masterToken}`,
    `Bearer  ${masterToken}`,
  ]) {
    const answer = await attacked.send({
      method: 'GET',
      path: '/clients',
      headers: `Authorization: ${authorization}\r\n`,
    });
    assertAnswer(answer, 'invalid_token');
  }
});

test('H-118 ten thousand guesses of the master token', async () => {
  const guesses = Array.from({ length: 500 }, (_, index) =>
    encode({ method: 'GET', path: '/clients', bearer: `guess-${index}` }),
  ).flat();
  for (let round = 0; round < 20; round += 1) {
    const answers = await attacked.sendParts(guesses, 500);
    assert.equal(answers.length, 500);
    for (const answer of answers) assertAnswer(answer, 'invalid_token');
  }
});

// proves rfc7591-5-4
test('H-111 an identifier that is taken stays with its owner; one that differs in case is another', async () => {
  const { masterToken } = attacked.program;
  const wanted = { ...PLAIN, preferred_client_id: 'Taken-Id' };
  const owner = await register(attacked, wanted);
  for (const bearer of [masterToken, await authorise(attacked, 'client-reg')]) {
    assertAnswer(await attacked.send(postClient(wanted, bearer)), 'invalid_client_metadata');
  }
  assertAnswer(
    await attacked.send(postClient({ ...wanted, preferred_client_id: 'taken-id' }, masterToken)),
    'registered',
  );
  const read = await attacked.send(getClient('Taken-Id', owner.registration_access_token));
  assert.equal(read.json['client_secret'], owner.client_secret);
});

// proves rfc7591-3.2.1-1
test('H-111 twenty requests at once for one identifier: one winner', async () => {
  const body = { ...PLAIN, preferred_client_id: 'race.for.me' };
  const answers = await attacked.sendAtOnce(
    Array.from({ length: 20 }, () => postClient(body, attacked.program.masterToken)),
  );
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  for (const answer of answers) if (answer.status !== 200) assertAnswer(answer, 'invalid_client_metadata');
});

test('H-111 the identifier of a deleted client: only with the master token, and nothing is inherited (decision 14)', async () => {
  const { masterToken } = attacked.program;
  const wanted = { ...PLAIN, preferred_client_id: 'phoenix' };
  const first = await register(attacked, wanted);
  assert.equal((await attacked.send(deleteClient('phoenix', masterToken))).status, 204);
  const token = await authorise(attacked, 'client-reg');
  assertAnswer(await attacked.send(postClient(wanted, token)), 'invalid_client_metadata');
  const second = await register(attacked, wanted);
  assert.notEqual(second.client_secret, first.client_secret);
  assertAnswer(await attacked.send(getClient('phoenix', first.registration_access_token)), 'invalid_token');
});

test('the direct authorisation endpoint opens to its own token only', async () => {
  const { masterToken } = attacked.program;
  for (const bearer of [
    masterToken,
    await authorise(attacked, 'client-reg'),
    'x'.repeat(512),
    'x'.repeat(8_000),
  ]) {
    const body = JSON.stringify({ scope: 'client-reg' });
    const answer = await attacked.send({
      method: 'POST',
      path: '/direct-authz/rest/v2',
      headers: JSON_TYPE,
      bearer,
      body,
    });
    assertAnswer(answer, 'invalid_token');
  }
});

testInvariantsAtTheEnd(attacked);

import assert from 'node:assert/strict';
import { hash, randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { RecordedAuditEvent } from '../../src/ports/audit-log.ts';
import { auditRows, auditRowsOnceThere } from '../program/audit-events.ts';
import { masterToken as randomMasterToken } from '../program/master-token.ts';
import { type Program, startProgram } from '../program/start.ts';
import { type Answer, type Call, call, type Registration, registrationOf } from './conformance-exchange.ts';
import { initialAccessToken } from './initial-access-token.ts';

/** One event in the table and one line in the log for each act on the registry, by the right actor and without secrets. */
const WEB = { redirect_uris: ['https://client.example/callback'] };
const MASTER = randomMasterToken();
let program: Program;
const secrets = new Set<string>([MASTER]);

before(async () => {
  program = await startProgram({
    environment: {
      CHANCERY_REGISTRATION_ALLOW_OPEN_REGISTRATION: 'true',
      CHANCERY_REGISTRATION_MASTER_TOKEN_SHA256: `ops:${hash('sha256', MASTER)}`,
    },
  });
  secrets.add(program.directToken);
});

after(async () => await program.stop());

async function send(request: Call): Promise<Answer> {
  const answer = await call(program, request);
  for (const member of ['client_secret', 'registration_access_token', 'access_token']) {
    const value = answer.json[member];
    if (typeof value === 'string') secrets.add(value);
  }
  if (request.bearer !== undefined) secrets.add(request.bearer);
  return answer;
}

const post = async (json: unknown, bearer?: string): Promise<Answer> =>
  await send({ method: 'POST', path: '/clients', json, ...(bearer === undefined ? {} : { bearer }) });

async function registered(): Promise<Registration> {
  return registrationOf(await post(WEB, MASTER));
}

const words = ({ action, outcome, actor, client_id, detail }: RecordedAuditEvent): string =>
  [action, outcome, actor, client_id ?? '-', detail ?? '-'].join(' ');

async function eventsOf(act: () => Promise<unknown>, count = 1): Promise<readonly RecordedAuditEvent[]> {
  const last = (await auditRows(program)).at(-1)?.sequence ?? 0;
  await act();
  return await auditRowsOnceThere(program, last, count);
}

const pathOf = ({ client_id }: Registration): string => `/clients/${client_id}`;

test('each act on the registry, done or refused, leaves exactly one event with actor, client and request id; the refusal of a stranger leaves none (decision 46)', async () => {
  const client = await registered();
  const id = client.client_id;
  const bearer = client.registration_access_token;
  const path = pathOf(client);
  const unknown = randomBytes(32).toString('hex');
  const initial = await initialAccessToken(program, ['client-reg:grant:code']);
  secrets.add(initial);
  const acts: readonly (readonly [act: () => Promise<Answer>, status: number, event?: string])[] = [
    [() => send({ method: 'GET', path, bearer }), 200, `client.read done registration ${id} -`],
    [() => send({ method: 'GET', path, bearer: MASTER }), 200, `client.read done master:ops ${id} -`],
    [() => send({ method: 'GET', path }), 401],
    [() => send({ method: 'GET', path, bearer: unknown }), 401],
    [() => send({ method: 'GET', path, bearer: initial }), 403],
    [
      () => send({ method: 'GET', path: '/clients/nobody', bearer: MASTER }),
      404,
      'client.read refused master:ops - not_found',
    ],
    [() => send({ method: 'GET', path: '/clients', bearer: MASTER }), 200, 'client.list done master:ops - -'],
    [
      () => send({ method: 'GET', path: '/clients?limit=1', bearer: MASTER }),
      200,
      'client.list done master:ops - -',
    ],
    [() => send({ method: 'GET', path: '/clients', bearer }), 403],
    [() => post({ redirect_uris: ['x'] }), 400],
    [() => post({ ...WEB, scope: 'a' }), 401],
    [
      () => post({ ...WEB, grant_types: ['client_credentials'], data: {} }, initial),
      403,
      'client.create refused initial:journey - insufficient_scope',
    ],
    [
      () => send({ method: 'PUT', path, bearer, json: { redirect_uris: [] } }),
      400,
      `client.update refused registration ${id} invalid_redirect_uri`,
    ],
    [() => send({ method: 'PUT', path, bearer: unknown, json: WEB }), 401],
    [() => send({ method: 'PUT', path, bearer, json: WEB }), 200, `client.update done registration ${id} -`],
    [() => send({ method: 'DELETE', path, bearer }), 401],
    [() => send({ method: 'DELETE', path, bearer: MASTER }), 204, `client.delete done master:ops ${id} -`],
    [
      () => send({ method: 'DELETE', path, bearer: MASTER }),
      404,
      'client.delete refused master:ops - not_found',
    ],
  ];
  const requests = new Set<string>();
  for (const [act, status, expected] of acts) {
    let answer: Answer | undefined;
    const events = expected === undefined ? [] : [expected];
    const rows = await eventsOf(async () => {
      answer = await act();
    }, events.length);
    assert.equal(answer?.status, status, expected ?? 'a stranger');
    assert.deepEqual(rows.map(words), events);
    for (const { request_id, at } of rows) {
      requests.add(request_id);
      assert.ok(Math.abs(at - Date.now() / 1000) < 60);
    }
  }
  assert.equal(
    requests.size,
    acts.filter(([, , event]) => event !== undefined).length,
    'a request id of its own for each',
  );
});

test('an audited registration names its actor: none, the label of a token, or the master token; a used token leaves no event', async () => {
  const initial = await initialAccessToken(program, ['client-reg']);
  secrets.add(initial);
  for (const [bearer, actor] of [
    [undefined, 'open'],
    [MASTER, 'master:ops'],
    [initial, 'initial:journey'],
  ] as const) {
    let id = '';
    const rows = await eventsOf(async () => {
      id = String((await post(WEB, bearer)).json['client_id']);
    });
    assert.deepEqual(rows.map(words), [`client.create done ${actor} ${id} -`]);
  }
  const spent = await eventsOf(async () => {
    assert.equal((await post(WEB, initial)).status, 401);
  }, 0);
  assert.deepEqual(spent.map(words), []);
});

test('a hundred and fifty acts at once leave a hundred and fifty events, each with the request id of its line in the log', async () => {
  const clients = await Promise.all(Array.from({ length: 20 }, registered));
  const lines = (): readonly string[] =>
    program
      .output()
      .split('\n')
      .filter((line) => line.includes('"audit"'));
  const before = lines().length;
  const expected = new Map<string, number>();
  const expect = (event: string): void => void expected.set(event, (expected.get(event) ?? 0) + 1);
  const rows = await eventsOf(async () => {
    await Promise.all([
      ...clients.map(async (client) => {
        expect(`client.read done registration ${client.client_id} -`);
        await send({ method: 'GET', path: pathOf(client), bearer: client.registration_access_token });
      }),
      ...clients.map(async (client) => {
        expect(`client.read refused master:ops - not_found`);
        await send({ method: 'GET', path: `${pathOf(client)}x`, bearer: MASTER });
      }),
      ...clients.map(async (client) => {
        expect(`client.update done master:ops ${client.client_id} -`);
        await send({ method: 'PUT', path: pathOf(client), bearer: MASTER, json: WEB });
      }),
      ...Array.from({ length: 40 }, async () => {
        const answer = await post(WEB, MASTER);
        expect(`client.create done master:ops ${String(answer.json['client_id'])} -`);
      }),
      ...Array.from({ length: 40 }, async () => {
        expect('client.create refused master:ops - invalid_redirect_uri');
        await post({ redirect_uris: ['javascript:alert(1)'] }, MASTER);
      }),
      ...Array.from({ length: 10 }, async () => {
        expect('client.list done master:ops - -');
        await send({ method: 'GET', path: '/clients', bearer: MASTER });
      }),
    ]);
  }, 150);
  const found = new Map<string, number>();
  // An update between may have ended the registration token that a read presents.
  const reads = (event: string): boolean => event.startsWith('client.read');
  for (const event of rows.map(words)) found.set(event, (found.get(event) ?? 0) + 1);
  const settled = (counts: ReadonlyMap<string, number>): ReadonlyMap<string, number> =>
    new Map([...counts].filter(([event]) => !reads(event)));
  assert.deepEqual(settled(found), settled(expected));
  assert.equal(rows.filter(({ action }) => action === 'client.read').length, 40);
  const ids = rows.map(({ request_id }) => request_id);
  assert.equal(new Set(ids).size, 150);
  for (const id of ids) await program.printed(new RegExp(`"${id}"`));
  const logged = lines().slice(before);
  for (const id of ids) assert.equal(logged.filter((line) => line.includes(`"${id}"`)).length, 1, id);
});

test('a dry run stores nothing, uses up no token, names every missing scope, and is recorded as what it was', async () => {
  const bearer = await initialAccessToken(program, ['client-reg:grant:code']);
  secrets.add(bearer);
  const list = async (): Promise<string> =>
    (await send({ method: 'GET', path: '/clients', bearer: MASTER })).text;
  let stored = '';
  await eventsOf(async () => {
    stored = await list();
  });
  const json = {
    ...WEB,
    grant_types: ['authorization_code', 'client_credentials', 'password'],
    scope: 'a b',
    data: { n: 1 },
  };
  let answer: Answer | undefined;
  const rows = await eventsOf(async () => {
    answer = await send({ method: 'POST', path: '/clients?dry_run=true', bearer, json });
  });
  assert.ok(answer !== undefined);
  assert.equal(answer.status, 200);
  assert.deepEqual(answer.json['missing_scopes'], [
    'client-reg:grant:client',
    'client-reg:grant:password',
    'client-reg:scope',
    'client-reg:data',
  ]);
  assert.deepEqual(rows.map(words), ['client.create done initial:journey - dry run']);
  assert.equal(await list(), stored);
  const refused = await post(json, bearer);
  assert.equal(refused.status, 403);
  for (const scope of answer.json['missing_scopes'] as readonly string[]) {
    assert.ok(refused.headers.get('www-authenticate')?.includes(scope), scope);
  }
  assert.equal((await post(WEB, bearer)).status, 200);
});

test('neither the table nor the log holds a secret or a token', async () => {
  const client = await registered();
  const rows = await eventsOf(async () => {
    await send({ method: 'GET', path: pathOf(client), bearer: client.registration_access_token });
    await send({ method: 'PUT', path: pathOf(client), bearer: client.client_secret, json: WEB });
  }, 1);
  assert.equal(rows.length, 1);
  const everything = `${JSON.stringify(await auditRows(program))}${program.output()}`;
  assert.ok(secrets.has(client.client_secret));
  for (const secret of secrets) assert.equal(everything.includes(secret), false);
});

const STRANGERS = 200;

test('H-270: two hundred refusals of strangers leave no row in the audit table, and a counter with their reasons (decision 46)', async () => {
  const counted = async (): Promise<number> => {
    const text = await (await fetch(`${program.managementUrl}/metrics`)).text();
    const sample = /^chancery_refusals_total\{endpoint="client-delete",reason="invalid_token"\} (\d+)$/mu;
    return Number(sample.exec(text)?.[1] ?? 0);
  };
  const before = await counted();
  const rows = await eventsOf(async () => {
    for (let number = 0; number < STRANGERS; number += 1)
      await send({ method: 'DELETE', path: '/clients/nobody', bearer: randomBytes(32).toString('hex') });
  }, 0);
  assert.deepEqual(rows, []);
  assert.equal((await counted()) - before, STRANGERS);
});

test('H-271: the log line of a refusal names the client as claimed, the network address and the reason, bounded and escaped, and no secret (decision 46)', async () => {
  const secret = randomBytes(32).toString('hex');
  secrets.add(secret);
  const form = { grant_type: 'client_credentials' };
  const long = encodeURIComponent(`one\u001b[31m\u202e${'x'.repeat(5_000)}`);
  const tried: readonly (readonly [request: Call, client: string, detail: string])[] = [
    [
      { method: 'POST', path: '/token', basic: [long, secret], form },
      `one\\u001b[31m\\u202e${'x'.repeat(91)}...`,
      'unknown client',
    ],
    [
      { method: 'POST', path: '/token', form: { ...form, client_id: 'two', client_secret: secret } },
      'two',
      'unknown client',
    ],
    [
      { method: 'GET', path: '/clients/three%0a', bearer: secret },
      'three\\u000a',
      'the bearer token is not valid',
    ],
  ];
  for (const [request, client, detail] of tried) {
    assert.equal((await call(program, request)).status, 401);
    const named = `"client":"${client.slice(0, 3)}`;
    await program.printed(new RegExp(named, 'u'));
    const printed =
      program
        .output()
        .split('\n')
        .find((each) => each.includes(named)) ?? '';
    const line = JSON.parse(printed) as Readonly<Record<string, unknown>>;
    assert.deepEqual([line['client'], line['address'], line['detail']], [client, '127.0.0.1', detail]);
  }
  assert.equal(program.output().includes(secret), false);
});

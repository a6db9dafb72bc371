import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { auditRowsOnceThere } from '../program/audit-events.ts';
import { usesOf } from '../program/client-uses.ts';
import { type Program, startProgram } from '../program/start.ts';
import { type Answer, assertRefused, call, register, SERVICE } from './conformance-exchange.ts';

/** Abuse of open registration, and what holds it, against the started program over real sockets. */
const OPEN = { CHANCERY_REGISTRATION_ALLOW_OPEN_REGISTRATION: 'true' };
const WEB = { redirect_uris: ['https://client.example/callback'] };
const PUBLIC = { ...WEB, token_endpoint_auth_method: 'none' };

const programs: Record<'limited' | 'capped' | 'shared', Program | undefined> = {
  limited: undefined,
  capped: undefined,
  shared: undefined,
};

before(async () => {
  const start = async (environment: Readonly<Record<string, string>>): Promise<Program> =>
    await startProgram({ environment: { ...OPEN, ...environment } });
  [programs.limited, programs.capped, programs.shared] = await Promise.all([
    start({
      CHANCERY_REGISTRATION_OPEN_RATE_PER_NETWORK: '5',
      CHANCERY_LISTEN_TRUSTED_PROXIES: '127.0.0.0/8',
    }),
    start({ CHANCERY_REGISTRATION_OPEN_CLIENTS_MAX: '10' }),
    start({ CHANCERY_REGISTRATION_OPEN_IDEMPOTENT: 'true' }),
  ]);
});

after(async () => {
  await Promise.all(Object.values(programs).map(async (program) => await program?.stop()));
});

const running = (name: keyof typeof programs): Program =>
  programs[name] ?? assert.fail(`${name} is not started`);

async function registerFrom(address: string, options: { readonly bearer?: string } = {}): Promise<Answer> {
  const headers = { 'x-forwarded-for': address };
  return await call(running('limited'), {
    method: 'POST',
    path: '/register',
    json: WEB,
    headers,
    ...options,
  });
}

const times = async (count: number, act: (index: number) => Promise<Answer>): Promise<readonly Answer[]> =>
  await Promise.all(Array.from({ length: count }, async (_, index) => await act(index)));

const withStatus = (answers: readonly Answer[], status: number): readonly Answer[] =>
  answers.filter((answer) => answer.status === status);

async function clientCount(program: Program): Promise<number> {
  const answer = await call(program, { method: 'GET', path: '/clients', bearer: program.masterToken });
  return (JSON.parse(answer.text) as readonly unknown[]).length;
}

test('thirty registrations at once from one network that may make five: five clients, 429 with Retry-After for the others (decision 39)', async () => {
  const program = running('limited');
  const before = await clientCount(program);
  const last = (await auditRowsOnceThere(program, 0, 1)).at(-1)?.sequence ?? 0;
  const answers = await times(30, async () => await registerFrom('192.0.2.1'));
  assert.equal(withStatus(answers, 201).length, 5);
  const refused = withStatus(answers, 429);
  assert.equal(refused.length, 25);
  for (const { headers, json, text } of refused) {
    assert.match(headers.get('retry-after') ?? '', /^(?:[1-9]|1[0-2])$/, text);
    assert.equal(json['error'], 'temporarily_unavailable');
    assert.equal(headers.get('cache-control'), 'no-store');
  }
  assert.equal(await clientCount(program), before + 5);
  const rows = await auditRowsOnceThere(program, last, 5);
  assert.deepEqual(
    rows.filter(({ outcome }) => outcome === 'refused'),
    [],
    'strangers are refused without a row (decision 46)',
  );
});

test('an IPv6 /64 is one network in every spelling; another network and requests with a token are not limited', async () => {
  const spellings = [
    '2001:db8:0:1::1',
    '2001:0db8:0000:0001:ffff:ffff:ffff:ffff',
    '[2001:db8:0:1::5]:443',
    '2001:DB8::1:0:0:0:9',
    '198.51.100.7, 2001:db8:0:1:2:3:4:5',
  ];
  for (const spelling of spellings) assert.equal((await registerFrom(spelling)).status, 201, spelling);
  for (const spelling of spellings) assert.equal((await registerFrom(spelling)).status, 429, spelling);
  assert.equal((await registerFrom('2001:db8:0:2::1')).status, 201);
  assert.equal((await registerFrom('192.0.2.77')).status, 201);
  const bearer = running('limited').masterToken;
  assert.equal((await registerFrom('2001:db8:0:1::1', { bearer })).status, 201);
});

test('bad requests and dry runs count too; other endpoints do not', async () => {
  const program = running('limited');
  const headers = { 'x-forwarded-for': '192.0.2.50' };
  const statuses: number[] = [];
  for (const path of ['/clients', '/register', '/clients?dry_run=true', '/clients', '/clients', '/clients']) {
    const json = path.includes('dry_run') ? WEB : { redirect_uris: 'x' };
    statuses.push((await call(program, { method: 'POST', path, json, headers })).status);
  }
  assert.deepEqual(statuses, [400, 400, 200, 400, 400, 429]);
  assert.equal((await call(program, { method: 'GET', path: '/jwks.json', headers })).status, 200);
});

test('fifty registrations at once where ten open clients may be: ten, and 401 asks the others for a token', async () => {
  const program = running('capped');
  const answers = await times(
    50,
    async () => await call(program, { method: 'POST', path: '/register', json: WEB }),
  );
  assert.equal(withStatus(answers, 201).length, 10);
  assert.equal(withStatus(answers, 401).length, 40);
  for (const answer of withStatus(answers, 401)) {
    assertRefused(answer, 401, 'invalid_token');
    assert.equal(answer.headers.get('www-authenticate'), 'Bearer');
  }
  assert.equal(await clientCount(program), 10);
  await register(program, WEB);
  const [client] = withStatus(answers, 201);
  const path = `/clients/${String(client?.json['client_id'])}`;
  const bearer = String(client?.json['registration_access_token']);
  assert.equal((await call(program, { method: 'DELETE', path, bearer })).status, 204);
  const again = await times(
    5,
    async () => await call(program, { method: 'POST', path: '/register', json: WEB }),
  );
  assert.equal(withStatus(again, 201).length, 1, 'the place that became free');
});

test('fifty identical public registrations at once: one client, and no answer lets anyone manage it', async () => {
  const program = running('shared');
  const answers = await times(50, async (index) => {
    const json = index % 2 === 0 ? PUBLIC : { response_types: ['code'], ...PUBLIC };
    return await call(program, { method: 'POST', path: '/register', json });
  });
  assert.equal(withStatus(answers, 201).length, 50);
  assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
  assert.doesNotMatch(
    answers[0]?.text ?? '',
    /registration_access_token|registration_client_uri|client_secret/,
  );
  assert.equal(await clientCount(program), 1);
  const created = await auditRowsOnceThere(program, 0, 51);
  const creations = created.filter(({ action }) => action === 'client.create');
  assert.equal(creations.length, 50, 'one event for each');
  assert.equal(creations.filter(({ detail }) => detail === null).length, 1, 'and one client');
  assert.equal(new Set(creations.map(({ client_id }) => client_id)).size, 1);

  const other = await call(program, {
    method: 'POST',
    path: '/register',
    json: { ...PUBLIC, client_name: 'B' },
  });
  assert.notEqual(other.json['client_id'], answers[0]?.json['client_id']);
  const confidential = await times(
    5,
    async () => await call(program, { method: 'POST', path: '/register', json: WEB }),
  );
  assert.equal(new Set(confidential.map(({ json }) => json['client_secret'])).size, 5);
});

test('the last use of a client and of its secret can be seen soon after a token request', async () => {
  const program = running('capped');
  const client = await register(program, SERVICE);
  const form = { grant_type: 'client_credentials' };
  const basic = [client.client_id, client.client_secret] as const;
  assert.equal((await call(program, { method: 'POST', path: '/token', basic, form })).status, 200);
  const now = Date.now() / 1000;
  let uses = await usesOf(program, client.client_id);
  for (const deadline = Date.now() + 60_000; uses.length === 0 && Date.now() < deadline; ) {
    await sleep(50);
    uses = await usesOf(program, client.client_id);
  }
  assert.equal(uses.length, 1);
  assert.ok(Math.abs(Number(uses[0]?.last_used_at) - now) < 60, JSON.stringify(uses));
  assert.match(uses[0]?.secret_digest ?? '', /^[\w-]{43}$/);
  assert.ok(!program.output().includes(client.client_secret));
});

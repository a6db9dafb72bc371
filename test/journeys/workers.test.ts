import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { afterEach, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { childrenOf } from '../program/children.ts';
import { launchProgram, type Program, startProgram } from '../program/start.ts';
import { call, registrationOf, SERVICE } from './conformance-exchange.ts';
import { production } from './production.ts';
import { assertOneLine, attemptAt } from './start-attempts.ts';

const WORKERS = { CHANCERY_WORKERS: '2' };
let program: Program | undefined;

beforeEach(() => {
  program = undefined;
});

afterEach(async () => {
  await program?.stop();
});

const skip = process.platform === 'linux' ? false : 'SO_REUSEPORT as Linux has it';

async function metrics({ managementUrl }: Program): Promise<string> {
  return await (await fetch(`${managementUrl}/metrics`)).text();
}

/** How many requests each worker has answered. */
function answeredBy(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const lines = text.matchAll(/^chancery_http_requests_total\{worker="(\d+)",.*\} (\d+)$/gmu);
  for (const [, worker = '', count] of lines) counts.set(worker, (counts.get(worker) ?? 0) + Number(count));
  return counts;
}

/** Each on a connection of its own. */
async function askManyTimes({ url }: Program, times: number): Promise<readonly number[]> {
  return await Promise.all(
    Array.from({ length: times }, async () => {
      const answer = await fetch(`${url}/.well-known/openid-configuration`, {
        headers: { connection: 'close' },
      });
      await answer.arrayBuffer();
      return answer.status;
    }),
  );
}

async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (let attempt = 0; attempt < 1500; attempt += 1) {
    if (await holds()) return;
    await sleep(20);
  }
  assert.fail(`${what}\n${program?.output()}`);
}

test('serve --workers 2: one ready line, two processes share the port, health and metrics speak for both', {
  skip,
}, async () => {
  program = await startProgram({ parameters: ['--workers', '2'] });
  assert.equal(childrenOf(program.pid).length, 2);
  await program.printed(/^chancery serves /mu);
  const ready = program.output().match(/^chancery serves .*$/gmu);
  assert.deepEqual(ready, [
    `chancery serves ${program.issuer} on 127.0.0.1:${program.port} with 2 processes`,
  ]);
  const statuses = await askManyTimes(program, 60);
  assert.deepEqual(new Set(statuses), new Set([200]));
  const text = await metrics(program);
  const counts = answeredBy(text);
  assert.deepEqual([...counts.keys()].toSorted(), ['1', '2'], 'both got some of the connections');
  assert.equal(
    [...counts.values()].reduce((sum, count) => sum + count, 0),
    60,
  );
  assert.equal(text.match(/^# TYPE chancery_http_requests_total counter$/gmu)?.length, 1);
  for (const worker of ['1', '2', 'none']) {
    assert.match(text, new RegExp(`^process_start_time_seconds\\{worker="${worker}"\\} \\d`, 'mu'));
  }
  await assertAdministration(program);
  await assertOneServer(program);
  await assertDownload(program);
});

/** The supervisor passes requests of the management listener on, in turn, with headers, query, body and answer. */
async function assertAdministration(administered: Program): Promise<void> {
  const { managementUrl, adminToken, tenant } = administered;
  const headers = { authorization: `Bearer ${adminToken}`, 'tenant-id': tenant };
  const ask = async (path: string, init: RequestInit = {}): Promise<Response> =>
    await fetch(managementUrl + path, { headers, ...init });
  for (let time = 0; time < 4; time += 1) {
    const listed = await ask('/admin/v1/keys?limit=1&fields=kid');
    assert.equal(listed.status, 200, await listed.clone().text());
    const { items } = (await listed.json()) as { readonly items: readonly object[] };
    assert.deepEqual(
      items.map((item) => Object.keys(item)),
      [['kid']],
    );
  }
  const counts = [...(await metrics(administered)).matchAll(/endpoint="admin-key-list".*\} (\d+)$/gmu)];
  assert.deepEqual(
    counts.filter(([line]) => line.includes('2xx') || line.includes('200')).map(([, count]) => count),
    ['2', '2'],
    'each worker has answered two',
  );
  const stranger = await fetch(`${managementUrl}/admin/v1/keys`);
  assert.deepEqual(
    [stranger.status, stranger.headers.get('content-type')],
    [401, 'application/problem+json'],
  );
  assert.match(stranger.headers.get('www-authenticate') ?? '', /^Bearer scope="admin:keys:read", DPoP /u);
  for (const [path, init, status] of [
    ['/keys', { headers: { ...headers, 'tenant-id': 'x' } }, 404],
    ['/keys/x/revoke', { method: 'POST' }, 404],
    ['/keys', { method: 'PUT', body: '{}' }, 405],
    ['/nothing', {}, 404],
    ['/keys/rotate', { method: 'POST', body: 'x'.repeat(70_000) }, 413],
  ] as const) {
    const refused = await ask(`/admin/v1${path}`, init);
    const type = refused.headers.get('content-type');
    assert.deepEqual([refused.status, type], [status, 'application/problem+json'], path);
    await refused.body?.cancel();
  }
  assert.equal((await ask('/health/live')).status, 200);
}

interface Asked {
  readonly items?: readonly {
    readonly client_id: string;
    readonly reason: string;
    readonly request_id: string;
  }[];
  readonly process?: { readonly requests: Readonly<Record<string, number>> };
  readonly refusals?: Readonly<Record<string, number>>;
  readonly id?: string;
  readonly state?: string;
  readonly bytes?: number;
}

async function administer({ managementUrl, adminToken, tenant }: Program, path: string, method = 'GET') {
  const headers = { authorization: `Bearer ${adminToken}`, 'tenant-id': tenant };
  return await fetch(`${managementUrl}/admin/v1${path}`, { method, headers });
}

/** Whichever worker answers, it tells what both have answered and refused. */
async function assertOneServer(running: Program): Promise<void> {
  const answer = await call(running, {
    method: 'POST',
    path: '/register',
    bearer: running.masterToken,
    json: SERVICE,
  });
  const { client_id } = registrationOf(answer);
  const authorization = `Basic ${Buffer.from(`${client_id}:wrong`).toString('base64')}`;
  const refused = await Promise.all(
    Array.from({ length: 24 }, async () => {
      const headers = { authorization, connection: 'close' };
      const body = new URLSearchParams({ grant_type: 'client_credentials' });
      return (await fetch(`${running.url}/token`, { method: 'POST', headers, body })).status;
    }),
  );
  assert.deepEqual(new Set(refused), new Set([401]));
  const asked = async (path: string): Promise<Asked> =>
    (await (await administer(running, path)).json()) as Asked;
  const lists = [
    await asked(`/refusals?client_id=${client_id}`),
    await asked(`/refusals?client_id=${client_id}`),
  ];
  for (const { items = [] } of lists) {
    assert.deepEqual(
      [items.length, new Set(items.map(({ reason }) => reason))],
      [24, new Set(['wrong-secret'])],
    );
    assert.ok(
      new Set(items.map(({ request_id }) => request_id.split('-')[0])).size > 1,
      'both have refused some',
    );
  }
  assert.deepEqual(lists[0], lists[1]);
  const figures = [await asked('/statistics'), await asked('/statistics')];
  const counted = figures.map(({ process: found, refusals }) => [
    found?.requests['4xx'],
    refusals?.['wrong-secret'],
  ]);
  assert.deepEqual(counted[0], counted[1]);
  const [four = 0] = counted[0] ?? [];
  assert.ok(four >= 24, JSON.stringify(counted));
}

/** A file comes through the supervisor with its length. */
async function assertDownload(running: Program): Promise<void> {
  const made = (await (await administer(running, '/backups', 'POST')).json()) as Asked;
  const read = async (): Promise<Asked> =>
    (await (await administer(running, `/backups/${made.id}`)).json()) as Asked;
  await until(async () => (await read()).state !== 'creating', 'the backup does not end');
  const { bytes } = await read();
  const file = await administer(running, `/backups/${made.id}/file`);
  assert.equal(file.headers.get('content-length'), String(bytes));
  assert.equal((await file.bytes()).length, bytes);
}

test('a worker that is killed is replaced: the others go on, what was acknowledged is there, the log says who died', {
  skip,
}, async () => {
  const running = (program = await startProgram({ environment: WORKERS }));
  const json = SERVICE;
  const answer = await call(running, {
    method: 'POST',
    path: '/register',
    bearer: running.masterToken,
    json,
  });
  const client = registrationOf(answer);
  const [victim = 0, ...others] = childrenOf(running.pid);
  process.kill(victim, 'SIGKILL');
  await until(
    () => childrenOf(running.pid).length === 2 && !childrenOf(running.pid).includes(victim),
    'no successor',
  );
  assert.ok(others.every((pid) => childrenOf(running.pid).includes(pid)));
  await until(async () => {
    await askManyTimes(running, 20);
    return answeredBy(await metrics(running)).size === 2;
  }, 'the successor gets nothing to do');
  await running.printed(
    new RegExp(`"worker":[12],.*"pid":${victim},.*"signal":"SIGKILL".*a worker died`, 'u'),
  );
  const read = { method: 'GET', path: `/clients/${client.client_id}`, bearer: running.masterToken };
  assert.equal((await call(running, read)).status, 200);
  assert.equal(running.output().match(/^chancery serves /gmu)?.length, 1, 'ready is said once');
});

test('a worker that is asked to end is replaced at once, without a failed request', {
  skip,
}, async () => {
  const running = (program = await startProgram({ environment: WORKERS }));
  const [one = 0] = childrenOf(running.pid);
  process.kill(one, 'SIGTERM');
  await until(
    () => childrenOf(running.pid).length === 2 && !childrenOf(running.pid).includes(one),
    'no successor',
  );
  assert.doesNotMatch(running.output(), /"level":"error"/u);
});

test('SIGTERM ends all workers with what they had under way, and the server with 0', { skip }, async () => {
  const running = await startProgram({ environment: WORKERS });
  const pids = childrenOf(running.pid);
  const asked = Promise.all(
    Array.from({ length: 30 }, async () => {
      const json = SERVICE;
      return await call(running, { method: 'POST', path: '/register', bearer: running.masterToken, json });
    }),
  );
  const answers = await asked;
  running.signal('SIGTERM');
  assert.equal(await running.exited, 0, running.output());
  for (const pid of pids) assert.throws(() => process.kill(pid, 0), /ESRCH/u);
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
  await running.stop();
});

test('the process that looks after the workers is killed: they finish and end, and the port is free', {
  skip,
}, async () => {
  const running = await startProgram({ environment: WORKERS });
  const pids = childrenOf(running.pid);
  assert.equal(pids.length, 2);
  running.signal('SIGKILL');
  assert.equal(await running.exited, 'SIGKILL');
  await until(() => pids.every((pid) => !existsSync(`/proc/${pid}`)), 'workers stayed');
  await running.stop();
});

test('workers that die as they start: their one line, once, and exit code 1', { skip }, async () => {
  const site = await production();
  try {
    const ended = await attemptAt(site, 'serve', {
      ...WORKERS,
      CHANCERY_STORAGE_URL: `sqlite:${site.folder}`,
    });
    assertOneLine(ended, /^chancery serve: cannot use the database .*: it is a directory\n$/u);
  } finally {
    site.remove();
  }
});

test('SIGTERM while the workers start: the server ends, and leaves none behind', { skip }, async () => {
  for (const wait_ms of [50, 300, 700]) {
    const starting = await launchProgram({ environment: WORKERS });
    await sleep(wait_ms);
    const pids = childrenOf(starting.pid);
    starting.signal('SIGTERM');
    assert.ok([0, 'SIGTERM'].includes(await starting.exited), starting.output());
    await until(() => pids.every((pid) => !existsSync(`/proc/${pid}`)), 'workers stayed');
    await starting.stop();
  }
});

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openPostgresSchema } from '../../src/storage/postgres/migrations.ts';
import { emptyDatabase } from '../../src/testing/postgres/database.ts';
import { masterToken as randomMasterToken } from '../program/master-token.ts';
import { ENCRYPTION_KEY, type Program, startProgram } from '../program/start.ts';
import { command } from './command.ts';
import { call, registrationOf, SERVICE } from './conformance-exchange.ts';
import { REPOSITORY } from './launcher.ts';

/** Servers that are restarted and upgraded one after the other, under traffic: no request is refused and nothing is lost. */
const folder = mkdtempSync(join(tmpdir(), 'chancery-rolling-'));
after(() => rmSync(folder, { recursive: true }));

const MASTER = randomMasterToken();
const COMMON = {
  CHANCERY_REGISTRATION_MASTER_TOKEN_SHA256: createHash('sha256').update(MASTER).digest('hex'),
};

/** Counts of acknowledged and failed requests. */
interface Ledger {
  readonly clients: string[];
  readonly failures: string[];
}

/** Registers clients at the servers in turn until it is stopped. */
function traffic(servers: () => readonly Program[], ledger: Ledger): { stop(): Promise<void> } {
  const flow = { going: true };
  const callers = Array.from({ length: 3 }, async (_, caller) => {
    for (let round = caller; flow.going; round += 1) {
      const now = servers();
      const server = now[round % now.length];
      if (server === undefined) continue;
      try {
        const answer = await call(server, {
          method: 'POST',
          path: '/register',
          bearer: MASTER,
          json: SERVICE,
        });
        if (answer.status === 201) ledger.clients.push(registrationOf(answer).client_id);
        else ledger.failures.push(`${answer.status} ${answer.text}`);
      } catch (failure) {
        ledger.failures.push(String(failure));
      }
    }
  });
  return {
    async stop() {
      flow.going = false;
      await Promise.all(callers);
    },
  };
}

async function untilMore(ledger: Ledger, count: number): Promise<void> {
  const goal = ledger.clients.length + count;
  for (let attempt = 0; ledger.clients.length < goal; attempt += 1) {
    assert.ok(attempt < 3000 && ledger.failures.length === 0, ledger.failures.join('\n'));
    await sleep(20);
  }
}

async function assertAllThere(server: Program, { clients, failures }: Ledger): Promise<void> {
  assert.deepEqual(failures, []);
  for (const id of clients) {
    const answer = await call(server, { method: 'GET', path: `/clients/${id}`, bearer: MASTER });
    assert.equal(answer.status, 200, `${id} is lost`);
  }
}

/** The program with one migration more, that programs of today bear: the next release, as far as they can see. */
function programOfTomorrow(): string {
  const place = join(folder, 'tomorrow');
  cpSync(join(REPOSITORY, 'src'), join(place, 'src'), { recursive: true });
  cpSync(join(REPOSITORY, 'package.json'), join(place, 'package.json'));
  symlinkSync(join(REPOSITORY, 'node_modules'), join(place, 'node_modules'));
  const expand = 'ALTER TABLE client ADD COLUMN tomorrow TEXT';
  for (const [engine, content] of [
    ['sqlite', `sql: '${expand}'`],
    ['postgres', `statements: ['${expand}']`],
  ] as const) {
    const file = join(place, 'src/storage', engine, 'migrations.ts');
    const text = readFileSync(file, 'utf8');
    const mark = 'export const NEWEST = MIGRATIONS.length;';
    assert.ok(text.includes(mark), file);
    const number = 'MIGRATIONS.length';
    const step = `{ version: ${number} + 1, name: 'of tomorrow', ${content}, compatibleFrom: ${number} }`;
    writeFileSync(file, text.replace(mark, `(MIGRATIONS as object[]).push(${step});\n${mark}`));
  }
  return join(place, 'src/cli/chancery.ts');
}

async function postgresUrl(): Promise<string> {
  const url = await emptyDatabase();
  const schema = openPostgresSchema(url, 5000);
  await schema.up(0);
  await schema.close();
  return url;
}

for (const [engine, makeUrl] of [
  ['SQLite', async () => `sqlite:${join(folder, 'chancery.db')}`],
  ['PostgreSQL', postgresUrl],
] as const) {
  test(`${engine}, rolling upgrade: the schema changes under the old program, both serve, the old one may start again, the new one has everything (ADR 24; F24)`, async () => {
    const tomorrow = programOfTomorrow();
    const environment = { ...COMMON, CHANCERY_STORAGE_URL: await makeUrl() };
    const ledger: Ledger = { clients: [], failures: [] };
    let servers: readonly Program[] = [await startProgram({ folder, environment })];
    const flow = traffic(() => servers, ledger);
    try {
      await untilMore(ledger, 10);
      const migrated = await command(process.execPath, [tomorrow, 'migrate', 'up'], {
        CHANCERY_ISSUER: 'https://op.example.com',
        CHANCERY_ENCRYPTION_KEY: ENCRYPTION_KEY,
        ...environment,
      });
      assert.equal(migrated.how, 0, migrated.stderr);
      assert.match(migrated.stdout, /^done: \d+ of tomorrow$/mu);
      await untilMore(ledger, 10);
      servers = [...servers, await startProgram({ folder, environment, program: tomorrow })];
      await untilMore(ledger, 20);
      const again = await startProgram({ folder, environment });
      servers = [...servers, again];
      await untilMore(ledger, 20);
      const [old, fresh] = servers;
      assert.ok(old !== undefined && fresh !== undefined);
      servers = [fresh];
      await sleep(500);
      await Promise.all([old.stop(), again.stop()]);
      await untilMore(ledger, 10);
      await flow.stop();
      await assertAllThere(fresh, ledger);
    } finally {
      await flow.stop();
      await Promise.all(servers.map(async (server) => await server.stop()));
      rmSync(join(folder, 'tomorrow'), { recursive: true });
    }
  });
}

/** Polls `/health/ready`, like a proxy. */
function proxy(servers: Map<string, Program>) {
  const ready = new Set<string>();
  const agents = new Map<string, Agent>();
  const flow = { going: true };
  const probing = (async () => {
    while (flow.going) {
      for (const [name, { managementUrl }] of servers) {
        const answer = await fetch(`${managementUrl}/health/ready`).catch(() => undefined);
        await answer?.arrayBuffer();
        if (answer?.status === 200) ready.add(name);
        else ready.delete(name);
      }
      await sleep(50);
    }
  })();
  return {
    ready,
    async get(path: string, turn: number): Promise<number> {
      const names = [...ready];
      const name = names[turn % names.length] ?? '';
      const server = servers.get(name);
      if (server === undefined) return 0;
      const agent = agents.get(name) ?? new Agent({ keepAlive: true });
      agents.set(name, agent);
      const { promise, resolve, reject } = Promise.withResolvers<number>();
      request(`${server.url}${path}`, { agent }, (answer) => {
        answer.resume().on('end', () => resolve(answer.statusCode ?? 0));
      })
        .on('error', reject)
        .end();
      return await promise;
    },
    async stop(): Promise<void> {
      flow.going = false;
      await probing;
      for (const agent of agents.values()) agent.destroy();
    },
  };
}

test('rolling restart of two servers behind a proxy that follows readiness: no request of some thousands fails (F24)', async () => {
  const environment = {
    ...COMMON,
    CHANCERY_STORAGE_URL: `sqlite:${join(folder, 'restart.db')}`,
    CHANCERY_STOP_DELAY: '3',
  };
  const start = async (): Promise<Program> => await startProgram({ folder, environment });
  const servers = new Map([
    ['a', await start()],
    ['b', await start()],
  ]);
  const before = proxy(servers);
  while (before.ready.size < 2) await sleep(20);
  const failures: string[] = [];
  let answered = 0;
  const flow = { going: true };
  const callers = Array.from({ length: 8 }, async (_, caller) => {
    for (let round = caller; flow.going; round += 1) {
      try {
        const status = await before.get('/.well-known/openid-configuration', round);
        if (status === 200) answered += 1;
        else failures.push(String(status));
      } catch (failure) {
        failures.push(String(failure));
      }
    }
  });
  try {
    for (const name of ['a', 'b']) {
      const old = servers.get(name);
      assert.ok(old !== undefined);
      old.signal('SIGTERM');
      assert.equal(await old.exited, 0, old.output());
      servers.set(name, await start());
      while (!before.ready.has(name)) await sleep(20);
    }
  } finally {
    flow.going = false;
    await Promise.all(callers);
    await before.stop();
    await Promise.all([...servers.values()].map(async (server) => await server.stop()));
  }
  assert.deepEqual(failures.slice(0, 5), []);
  assert.ok(answered > 500, `${answered} were answered`);
});

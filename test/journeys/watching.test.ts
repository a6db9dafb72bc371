import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { METRICS, type MetricRow } from '../../src/spec/metrics.ts';
import { type Program, startProgram } from '../program/start.ts';

const DEPLOY = join(import.meta.dirname, '../../deploy');
const ROWS: Readonly<Record<string, MetricRow>> = METRICS;

let program: Program;

before(async () => {
  program = await startProgram({ environment: { CHANCERY_STORAGE_SWEEP_INTERVAL: '1' } });
});

after(async () => {
  await program.stop();
});

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}

/** Returns the queries of the dashboard, by the title of their panel. */
function dashboardQueries(): readonly (readonly [where: string, query: string])[] {
  const text = readFileSync(join(DEPLOY, 'grafana/chancery.json'), 'utf8');
  const { panels } = JSON.parse(text) as { readonly panels: readonly Panel[] };
  return panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const));
}

function alertQueries(): readonly (readonly [where: string, query: string])[] {
  const text = readFileSync(join(DEPLOY, 'prometheus/chancery.rules.yaml'), 'utf8');
  const alerts = [...text.matchAll(/- alert: (\w+)\n\s+expr: '((?:[^']|'')*)'/gu)];
  return alerts.map(([, name = '', query = '']) => [name, query.replaceAll("''", "'")] as const);
}

/** Returns the metrics that a query reads, with the labels that it names. */
function readBy(query: string): readonly { readonly name: string; readonly labels: readonly string[] }[] {
  return [...query.matchAll(/\b((?:chancery|nodejs|process)_[a-z0-9_]+)(?:\{([^}]*)\})?/gu)].map(
    ([, name = '', matchers = '']) => ({
      name,
      labels: [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/gu)].map(([, label = '']) => label),
    }),
  );
}

/** Labels that Prometheus, the supervisor of workers, and histograms add. */
const ADDED: ReadonlySet<string> = new Set(['job', 'instance', 'worker', 'le']);

async function exposition(): Promise<string> {
  return await (await fetch(`${program.managementUrl}/metrics`)).text();
}

test('each metric that the dashboard and the alert rules read is one that a started server exposes', async () => {
  const text = await exposition();
  const queries = [...dashboardQueries(), ...alertQueries()];
  assert.ok(queries.length > 50, String(queries.length));
  const wrong = queries.flatMap(([where, query]) => {
    const read = readBy(query);
    if (read.length === 0) return [`${where}: reads no metric`];
    return read.flatMap(({ name, labels }) => {
      const family = name.replace(/_(?:bucket|sum|count)$/u, '');
      const row = ROWS[family] ?? ROWS[name];
      const known = new Set([...ADDED, ...(row?.labels ?? [])]);
      return [
        ...(new RegExp(`^# TYPE (?:${name}|${family}) `, 'mu').test(text)
          ? []
          : [`${where}: ${name} is not exposed`]),
        ...labels
          .filter((label) => !known.has(label))
          .map((label) => `${where}: ${name} has no label ${label}`),
      ];
    });
  });
  assert.deepEqual(wrong, []);
});

test('every metric of the product is on the dashboard', () => {
  const read = new Set(
    dashboardQueries().flatMap(([, query]) =>
      readBy(query).map(({ name }) => name.replace(/_(?:bucket|sum|count)$/u, '')),
    ),
  );
  const missing = Object.keys(METRICS).filter((name) => !read.has(name));
  assert.deepEqual(
    missing,
    ['chancery_cache_entries', 'chancery_cache_evictions_total'],
    'only parts of others',
  );
});

test('after requests and a sweep, the metrics say what happened and what the database holds', async () => {
  const json = JSON.stringify({ grant_types: ['client_credentials'] });
  const registered = await fetch(`${program.url}/clients`, {
    method: 'POST',
    headers: { authorization: `Bearer ${program.masterToken}`, 'content-type': 'application/json' },
    body: json,
  });
  const client = (await registered.json()) as { readonly client_id: string; readonly client_secret: string };
  const basic = Buffer.from(`${client.client_id}:${client.client_secret}`).toString('base64');
  const token = await fetch(`${program.url}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${basic}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  assert.equal(token.status, 200);
  let text = '';
  const swept = /^chancery_storage_objects\{kind="clients"\} [01]$/mu;
  do text = await exposition();
  while (!swept.test(text));
  for (const line of [
    /^chancery_build_info\{version="[^"]+",node="[^"]+",storage="(?:sqlite|postgresql)"\} 1$/mu,
    /^chancery_registrations_total\{outcome="created",reason="none"\} 1$/mu,
    /^chancery_tokens_issued_total\{grant="client_credentials",binding="none"\} 1$/mu,
    /^chancery_storage_batch_writes_count [1-9]/mu,
    /^chancery_storage_duration_seconds_count\{kind="write"\} [1-9]/mu,
    /^chancery_storage_writes_waiting \d+$/mu,
    /^chancery_server_key_age_seconds\{use="sig"\} \d+$/mu,
    /^chancery_sweep_backlog_tenants 0$/mu,
    /^chancery_sweep_last_timestamp_seconds \d{10}$/mu,
    /^chancery_logouts_waiting 0$/mu,
    /^chancery_storage_objects\{kind="accessTokens"\} \d+$/mu,
  ])
    assert.match(text, line);
});

test('the lines of start and stop name version, storage, listeners and tenants, and no password', async () => {
  const own = await startProgram();
  await own.stop();
  const lines = own
    .output()
    .split('\n')
    .filter((line) => line.includes('"msg":"the server '))
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
  assert.deepEqual(
    lines.map(({ msg }) => msg),
    ['the server serves', 'the server stops', 'the server has stopped'],
  );
  for (const line of lines) {
    assert.match(String(line['version']), /^\d+\.\d+\.\d+/u);
    assert.match(String(line['storage']), /^(?:sqlite:\/|postgres(?:ql)?:\/\/[^@]+$)/u);
    assert.deepEqual(line['listeners'], [`127.0.0.1:${own.port}`]);
    assert.ok(Number(line['tenants']) >= 1);
  }
});

import assert from 'node:assert/strict';
import { DEFAULT_TENANT } from '../../src/spec/identifiers.ts';
import { basic, httpSubject, requestHead, requests } from '../http-subject.ts';
import type { LoadOrder } from '../load.ts';
import { sqlitePlace } from '../place.ts';
import { pin } from '../processes/measured-process.ts';
import type { Registry } from '../registry.ts';
import type { Benchmark, Figure, Subject } from '../subject.ts';

/** A first page must be there within this time, among a million clients. */
const FIRST_PAGE_MS = 50;
const ASKED = 9;
const LISTED_AT_ONCE = 1000;

/** The registries of the benchmark have one name for all clients, so a search for another one visits every client. */
const QUERIES = {
  'all, newest first': 'sort=-created_at',
  'by name, one grant type': 'sort=name&grant_type=client_credentials',
  'by last use, one redirection host': 'sort=-last_used_at&redirect_host=client.example.com',
  'beginning of the name, one scope value': 'name=a+client&scope=read',
  'part of the name that no client has': 'name_contains=nothing&sort=name',
  'host that no client has': 'redirect_host=nothing.example',
  'never used, confidential, active': 'used_before=2100-01-01T00:00:00Z&type=confidential&state=active',
  'two lists without a common client': 'registered_via=open&type=public',
} as const;

const filled = new WeakSet<Registry>();

/** Fills the lists of a registry that was seeded without them. */
async function withLists(registry: Registry): Promise<Registry> {
  if (filled.has(registry)) return registry;
  const storage = await sqlitePlace(registry.program.folder).open();
  const { clientLists } = storage.forTenant(DEFAULT_TENANT);
  while (await clientLists.catchUp(LISTED_AT_ONCE));
  await storage.close();
  filled.add(registry);
  return registry;
}

/** @returns milliseconds until the whole page was there */
async function firstPage({ program }: Registry, query: string): Promise<number> {
  const began = performance.now();
  const response = await fetch(`${program.managementUrl}/admin/v1/clients?${query}`, {
    headers: { authorization: `Bearer ${program.adminToken}` },
  });
  const page = (await response.json()) as { readonly items?: readonly unknown[] };
  assert.ok(response.ok && page.items !== undefined, `${query}: ${response.status}`);
  return performance.now() - began;
}

function pageSubject(registry: Registry, name: string, query: string): Subject {
  return {
    name,
    async measure(): Promise<Figure> {
      const took: number[] = [];
      for (let asked = 0; asked < ASKED; asked += 1) took.push(await firstPage(registry, query));
      took.sort((a, b) => a - b);
      return { value: took[(ASKED - 1) / 2] ?? Number.NaN, p99_ms: took.at(-1) ?? Number.NaN };
    },
    close: async () => undefined,
  };
}

/** The first page of the list of clients. The first subject is the slowest of all queries. */
export const adminPages: Benchmark = {
  name: 'admin',
  title: 'First page of the clients in the administration API (p99: the slowest of nine)',
  unit: 'milliseconds',
  needsTokens: false,
  needsManyClients: true,
  aims: [{ atMost: FIRST_PAGE_MS }],
  rounds: (scale) => scale.rounds,
  async open(bench) {
    const registry = await withLists(await bench.registry(bench.scale.manyClients));
    pin(registry.program.pid, 0);
    const subjects = Object.entries(QUERIES).map(([name, query]) => pageSubject(registry, name, query));
    const slowest: Subject = {
      name: 'the slowest query',
      async measure() {
        const values: number[] = [];
        for (const subject of subjects) values.push((await subject.measure()).value);
        return { value: Math.max(...values) };
      },
      close: async () => undefined,
    };
    return [slowest, ...subjects];
  },
};

const PAGES_A_SECOND = 10;

/** Introspection by one client, while an operator reads pages and without that. */
export const besideAdminPages: Benchmark = {
  name: 'admin',
  title: 'Introspection while ten pages of clients a second are read',
  unit: 'per second',
  needsTokens: false,
  needsManyClients: true,
  aims: [{ of: 'p99_ms', against: 'alone', atMost: 1.3 }],
  rounds: (scale) => scale.rounds,
  async open(bench) {
    const registry = await withLists(await bench.registry(bench.scale.manyClients));
    const { program, clients, access_token } = registry;
    const [caller] = clients;
    assert.ok(caller !== undefined);
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      authorization: basic(caller.client_id, caller.client_secret),
    };
    const order: LoadOrder = {
      port: program.port,
      requests: requests(requestHead('POST', '/token/introspect', headers), [`token=${access_token}`]),
    };
    const server = { name: 'alone', pid: program.pid, close: async () => undefined };
    const alone = await httpSubject(bench, server, order, ({ status }) => assert.equal(status, 200));
    const beside: Subject = {
      name: 'while pages are read',
      async measure() {
        const queries = Object.values(QUERIES);
        const pages: Promise<number>[] = [];
        const timer = setInterval(() => {
          pages.push(firstPage(registry, queries[pages.length % queries.length] ?? ''));
        }, 1000 / PAGES_A_SECOND);
        const figure = await alone.subject.measure();
        clearInterval(timer);
        await Promise.all(pages);
        return figure;
      },
      close: async () => undefined,
    };
    return [beside, alone.subject];
  },
};

import assert from 'node:assert/strict';
import { DEFAULT_TENANT } from '../../src/spec/identifiers.ts';
import { FILTERS, type Filter, ORDERS } from '../admin-queries.ts';
import { introspectionByOne } from '../introspection-load.ts';
import type { Registry } from '../registry.ts';
import type { Bench, Benchmark, Figure, Subject } from '../subject.ts';

/** A first page must be there within this time, among a million clients. */
const FIRST_PAGE_MS = 50;
const LISTED_AT_ONCE = 1000;
/** Lists are filled at some 3,000 clients a second. A machine that needs more than this for a million is too busy to measure. */
const FILLING_MAX_S = 1_800;

const filled = new WeakSet<Registry>();

/** Fills the lists of a registry that was seeded without them. */
async function withLists(registry: Registry): Promise<Registry> {
  if (filled.has(registry)) return registry;
  const began = performance.now();
  const storage = await registry.place.open();
  try {
    const { clientLists } = storage.forTenant(DEFAULT_TENANT);
    while (await clientLists.catchUp(LISTED_AT_ONCE))
      if (performance.now() - began > FILLING_MAX_S * 1000)
        throw new Error(`the lists were not filled within ${FILLING_MAX_S} s`);
  } finally {
    await storage.close();
  }
  console.log(`lists filled in ${Math.round((performance.now() - began) / 1000)} s`);
  filled.add(registry);
  return registry;
}

interface FirstPage {
  readonly took_ms: number;
  /** Whether the search ended after its time, with a page that is not full. */
  readonly isCut: boolean;
}

const PAGE = 50;

async function firstPage({ program }: Registry, query: Readonly<Record<string, string>>): Promise<FirstPage> {
  const began = performance.now();
  const response = await fetch(
    `${program.managementUrl}/admin/v1/clients?${new URLSearchParams(query).toString()}`,
    {
      headers: { authorization: `Bearer ${program.adminToken}` },
    },
  );
  const page = (await response.json()) as { readonly items?: readonly unknown[]; readonly next?: string };
  const took_ms = performance.now() - began;
  assert.ok(response.ok && page.items !== undefined, `${JSON.stringify(query)}: ${response.status}`);
  return { took_ms, isCut: page.next !== undefined && page.items.length < PAGE };
}

/** Counts up over the whole run, so that a filter has another value each time. */
let asked = 0;

function nextQuery(filter: Filter, sort: string): Readonly<Record<string, string>> {
  asked += 1;
  return { ...filter(asked), sort };
}

/** All pages of a run, for the line below the table. */
class Pages {
  readonly #took: number[] = [];
  #cut = 0;

  note({ took_ms, isCut }: FirstPage): void {
    this.#took.push(took_ms);
    if (isCut) this.#cut += 1;
  }

  text(): string {
    const within = this.#took.filter((took_ms) => took_ms <= FIRST_PAGE_MS).length;
    const worst = Math.max(...this.#took);
    return `${within} of ${this.#took.length} first pages within ${FIRST_PAGE_MS} ms, the slowest in ${worst.toFixed(0)} ms; ${this.#cut} ended after their time with fewer than ${PAGE} clients`;
  }
}

/** Asks for a first page in each order, and measures the slowest. */
function pageSubject(registry: Registry, name: string, filter: Filter, pages: Pages): Subject {
  return {
    name,
    async measure(): Promise<Figure> {
      const took: number[] = [];
      for (const sort of ORDERS) {
        const page = await firstPage(registry, nextQuery(filter, sort));
        pages.note(page);
        took.push(page.took_ms);
      }
      return { value: Math.max(...took) };
    },
    close: async () => undefined,
  };
}

interface Kind {
  readonly engine: string;
  readonly needs: Pick<Benchmark, 'needsManyClients'>;
  readonly open: (bench: Bench) => Promise<Registry>;
}

const ON_SQLITE: Kind = {
  engine: 'SQLite',
  needs: { needsManyClients: true },
  open: async (bench) => await withLists(await bench.registry(bench.scale.manyClients)),
};

const ON_POSTGRES: Kind = {
  engine: 'PostgreSQL',
  needs: {},
  open: async (bench) => await withLists(await bench.postgres().registry(bench.scale.manyClients)),
};

/** The first page of the list of clients, by filter. The first subject is the slowest of all. */
const pagesOn = ({ engine, needs, open }: Kind): Benchmark => ({
  name: 'admin',
  title: `${engine}: first page of the clients in the administration API, the slowest of four orders`,
  unit: 'milliseconds',
  needsTokens: false,
  ...needs,
  aims: [{ atMost: FIRST_PAGE_MS }],
  rounds: (scale) => scale.rounds,
  async open(bench) {
    const registry = await open(bench);
    const pages = new Pages();
    const subjects = Object.entries(FILTERS).map(([name, filter]) =>
      pageSubject(registry, name, filter, pages),
    );
    const all: Subject = {
      name: 'every filter',
      async measure() {
        const values: number[] = [];
        for (const subject of subjects) values.push((await subject.measure()).value);
        return { value: Math.max(...values) };
      },
      close: async () => console.log(`\n${engine}: ${pages.text()}`),
    };
    return [all, ...subjects];
  },
});

const PAGES_A_SECOND = 10;

/** Introspection by one client, while an operator reads pages and without that. */
const besidePagesOn = ({ engine, needs, open }: Kind): Benchmark => ({
  name: 'admin',
  title: `${engine}: introspection while ten pages of clients a second are read`,
  unit: 'per second',
  needsTokens: false,
  ...needs,
  aims: [{ of: 'p99_ms', against: 'alone', atMost: 1.3 }],
  rounds: (scale) => scale.rounds,
  async open(bench) {
    const registry = await open(bench);
    const alone = await introspectionByOne(bench, registry, 'alone');
    const beside: Subject = {
      name: 'while pages are read',
      async measure() {
        const filters = Object.values(FILTERS);
        const pages: Promise<FirstPage>[] = [];
        const timer = setInterval(() => {
          const filter = filters[pages.length % filters.length] ?? (() => ({}));
          pages.push(firstPage(registry, nextQuery(filter, ORDERS[pages.length % ORDERS.length] ?? 'name')));
        }, 1000 / PAGES_A_SECOND);
        const figure = await alone.measure();
        clearInterval(timer);
        await Promise.all(pages);
        return figure;
      },
      close: async () => undefined,
    };
    return [beside, alone];
  },
});

export const adminPages = pagesOn(ON_SQLITE);
export const besideAdminPages = besidePagesOn(ON_SQLITE);
export const adminPagesOnPostgres = pagesOn(ON_POSTGRES);
export const besideAdminPagesOnPostgres = besidePagesOn(ON_POSTGRES);

import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import type { ClientId } from '../src/spec/identifiers.ts';
import type { Program } from '../test/program/start.ts';
import { basic } from './http-subject.ts';
import { type Place, sqlitePlace } from './place.ts';
import { type Credentials, seedClients } from './seed-clients.ts';
import { startHeld } from './start-held.ts';
import type { Scale } from './subject.ts';
import { usesOfVaried, variedClient } from './varied-clients.ts';

/** The real program with a registry of many clients. */
export interface Registry {
  readonly program: Program;
  /** Its database. */
  readonly place: Place;
  /** Some of its clients, taken evenly from all. */
  readonly clients: readonly Credentials[];
  /** An access token for introspection. */
  readonly access_token: string;
}

/** A run takes longer than tokens live by default. */
const ENVIRONMENT = { CHANCERY_ACCESS_TOKEN_LIFETIME: '86400' };

/** The metadata of every client in these registries. The scope lets a client introspect. */
export const registrationRequest = (issuer: string): object => ({
  client_name: 'A client of the benchmark',
  redirect_uris: ['https://client.example.com/callback'],
  contacts: ['admin@client.example.com'],
  grant_types: ['authorization_code', 'client_credentials'],
  scope: `read write ${issuer}/token/introspect`,
});

/** Lets the program register one client, adds others like it while it is stopped, and starts it again. */
export async function startRegistry(
  parent: string,
  clients: number,
  kept: number,
  placeIn: (folder: string) => Place | Promise<Place> = sqlitePlace,
): Promise<Registry> {
  const folder = mkdtempSync(join(parent, `clients-${clients}-`));
  const place = await placeIn(folder);
  const environment = { ...ENVIRONMENT, ...place.environment };
  const first = await startHeld({ folder, environment });
  const { client_id } = await register(first);
  await first.stop();
  const seeded = await seedClients({
    place,
    example: client_id as ClientId,
    clients: clients - 1,
    kept,
    vary: variedClient,
    usesOf: usesOfVaried,
  });
  const program = await startHeld({ folder, environment });
  const [caller] = seeded;
  if (caller === undefined) throw new Error('no client was seeded');
  return { program, place, clients: seeded, access_token: await issueToken(program, caller) };
}

async function register(program: Program): Promise<Credentials> {
  const response = await fetch(`${program.url}/clients`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${program.masterToken}` },
    body: JSON.stringify(registrationRequest(program.issuer)),
  });
  if (response.status !== 200) throw new Error(`registration answered ${await response.text()}`);
  return (await response.json()) as Credentials;
}

async function issueToken(program: Program, { client_id, client_secret }: Credentials): Promise<string> {
  const response = await fetch(`${program.url}/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'read' }),
    headers: { authorization: basic(client_id, client_secret) },
  });
  if (response.status !== 200) throw new Error(`the token endpoint answered ${await response.text()}`);
  return ((await response.json()) as { access_token: string }).access_token;
}

export interface Registries {
  open(clients: number): Promise<Registry>;
  close(): Promise<void>;
}

/** Opens servers with registries of different sizes, each once for all benchmarks. */
export function openRegistries(
  folder: string,
  scale: Pick<Scale, 'loadedClients'>,
  placeIn?: (folder: string) => Place | Promise<Place>,
): Registries {
  const opened = new Map<number, Promise<Registry>>();
  return {
    async open(clients) {
      const known = opened.get(clients);
      if (known !== undefined) return await known;
      const starting = startRegistry(folder, clients, Math.min(clients - 1, scale.loadedClients), placeIn);
      opened.set(clients, starting);
      return await starting;
    },
    async close() {
      for (const starting of await Promise.allSettled(opened.values())) {
        if (starting.status === 'fulfilled') await starting.value.program.stop();
      }
    },
  };
}

import type { StoredClient } from '../src/ports/client-store.ts';
import { launchProgram, type Program } from '../test/program/start.ts';
import { type Place, sqlitePlace } from './place.ts';
import { seed } from './seed.ts';
import { startHeld } from './start-held.ts';
import type { Scale } from './subject.ts';

/** A client that may introspect and get tokens. */
export interface Caller {
  readonly client_id: string;
  readonly client_secret: string;
}

/** The real program with a filled database, and a client that may call it. */
export interface Ours {
  readonly program: Program;
  readonly caller: Caller;
  /** The client as the storage holds it. */
  readonly client: StoredClient;
  /** Live access tokens in random order, fewer than the program keeps in memory. */
  readonly tokens: readonly string[];
  /** Others, more than the program keeps: each has left the memory before its next turn. */
  readonly manyTokens: readonly string[];
  /** Further tokens, which are JWTs. */
  readonly selfContained: readonly string[];
}

const ENVIRONMENT = { CHANCERY_REGISTRATION_ALLOW_OPEN_REGISTRATION: 'true' };

/** Starts the program, registers a client, stops the program, fills its database, and starts it again. */
export async function startOurs(
  folder: string,
  { storedTokens, loadedTokens, manyTokens, selfContainedTokens }: TokenCounts,
  place: Place = sqlitePlace(folder),
  /** The `chancery.ts` of another checkout. */
  program?: string,
): Promise<Ours> {
  const environment = { ...ENVIRONMENT, ...place.environment };
  const options = { folder, environment, ...(program === undefined ? {} : { program }) };
  const first = await startHeld(options);
  const caller = await register(first);
  await first.stop();
  const { client, tokens, selfContained } = await seed({
    place,
    issuer: first.issuer,
    client_id: caller.client_id,
    tokens: storedTokens,
    kept: Math.min(storedTokens, loadedTokens + manyTokens),
    selfContained: selfContainedTokens,
  });
  return {
    program: await startHeld(options),
    caller,
    client,
    tokens: tokens.slice(0, loadedTokens),
    manyTokens: tokens.slice(loadedTokens),
    selfContained,
  };
}

export type TokenCounts = Pick<Scale, 'storedTokens' | 'loadedTokens' | 'manyTokens' | 'selfContainedTokens'>;

/** Starts another process on the same database. */
export async function startAnother(
  folder: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<Program> {
  return await startHeld({ folder, environment: { ...ENVIRONMENT, ...environment } });
}

/** Starts the program without waiting, to measure how long it takes. */
export async function launchOurs(folder: string, compileCache: string): Promise<Program> {
  return await launchProgram({ folder, environment: { ...ENVIRONMENT, NODE_COMPILE_CACHE: compileCache } });
}

/** Registers a client that may introspect and get tokens. */
export async function register<Registered = Caller>(
  program: Program,
  metadata: object = { token_endpoint_auth_method: 'client_secret_basic' },
): Promise<Registered> {
  const response = await fetch(`${program.url}/clients`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${program.masterToken}` },
    body: JSON.stringify({
      grant_types: ['client_credentials'],
      scope: `read write ${program.issuer}/token/introspect`,
      ...metadata,
    }),
  });
  if (response.status !== 200) throw new Error(`registration answered ${await response.text()}`);
  return (await response.json()) as Registered;
}

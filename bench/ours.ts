import { join } from 'node:path';
import type { StoredClient } from '../src/ports/client-store.ts';
import { launchProgram, type Program, startProgram } from '../test/program/start.ts';
import { seed } from './seed.ts';
import type { Scale } from './subject.ts';

/** The real program with a filled database, and who may call it. */
export interface Ours {
  readonly program: Program;
  readonly client_id: string;
  readonly client_secret: string;
  /** As the storage holds it. */
  readonly client: StoredClient;
  /** Live access tokens in no order. */
  readonly tokens: readonly string[];
}

const ENVIRONMENT = { CHANCERY_REGISTRATION_ALLOW_OPEN_REGISTRATION: 'true' };

/** Lets the program make its database and register a client, fills the database while it is stopped, and starts it again. */
export async function startOurs(folder: string, scale: Scale, filled: boolean): Promise<Ours> {
  const first = await startProgram({ folder, environment: ENVIRONMENT });
  const { client_id, client_secret } = await register(first);
  await first.stop();
  const { client, tokens } = await seed({
    path: join(folder, 'chancery.db'),
    issuer: first.issuer,
    client_id,
    tokens: filled ? scale.storedTokens : 1,
    kept: filled ? scale.loadedTokens : 1,
  });
  const program = await startProgram({ folder, environment: ENVIRONMENT });
  return { program, client_id, client_secret, client, tokens };
}

/** Another process on the same database, for measuring how long it takes to start. */
export async function launchOurs(folder: string, compileCache: string): Promise<Program> {
  return await launchProgram({ folder, environment: { ...ENVIRONMENT, NODE_COMPILE_CACHE: compileCache } });
}

async function register(program: Program): Promise<{ client_id: string; client_secret: string }> {
  const response = await fetch(`${program.url}/clients`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${program.masterToken}` },
    body: JSON.stringify({
      grant_types: ['client_credentials'],
      token_endpoint_auth_method: 'client_secret_basic',
      scope: `read write ${program.issuer}/token/introspect`,
    }),
  });
  if (response.status !== 200) throw new Error(`registration answered ${await response.text()}`);
  return (await response.json()) as { client_id: string; client_secret: string };
}

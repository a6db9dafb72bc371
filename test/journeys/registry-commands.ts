import assert from 'node:assert/strict';
import type { AuditEvent } from '../../src/ports/audit-log.ts';
import { DEFAULT_TENANT } from '../../src/spec/identifiers.ts';
import { ENCRYPTION_KEY, type Program } from '../program/start.ts';
import { openProgramStorage, storageUrl } from '../program/storage-place.ts';
import { chancery, type Ended } from './command.ts';

export type Members = Readonly<Record<string, unknown>>;

/** The command line of a registry, in one data folder with one key. */
export interface RegistryCommands {
  /** Whatever comes of it. */
  attempt(...words: readonly string[]): Promise<Ended>;
  /** Standard output of a command that succeeds and complains about nothing. */
  run(...words: readonly string[]): Promise<string>;
  /** The JSON objects that a command prints with `--json`, one a line. */
  json(...words: readonly string[]): Promise<readonly Members[]>;
  audit(): Promise<readonly AuditEvent[]>;
}

/** @param settings as environment variables, beside those of every registry */
export function registryCommands(
  folder: string,
  key = ENCRYPTION_KEY,
  settings: Readonly<Record<string, string>> = {},
): RegistryCommands {
  const attempt = async (...words: readonly string[]): Promise<Ended> =>
    await chancery(words, {
      CHANCERY_ISSUER: 'https://op.example.com',
      CHANCERY_STORAGE_URL: await storageUrl(folder),
      CHANCERY_ENCRYPTION_KEY: key,
      ...settings,
    });
  const run = async (...words: readonly string[]): Promise<string> => {
    const { how, stdout, stderr } = await attempt(...words);
    assert.deepEqual([how, stderr], [0, ''], words.join(' '));
    return stdout;
  };
  return {
    attempt,
    run,
    json: async (...words) => jsonLines(await run(...words, '--json')),
    async audit() {
      const storage = await openProgramStorage(folder);
      try {
        return await storage.forTenant(DEFAULT_TENANT).audit.page(0, 1000);
      } finally {
        await storage.close();
      }
    },
  };
}

export function jsonLines(text: string): readonly Members[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Members);
}

/** One object, where there must be exactly one. */
export async function one(lines: Promise<readonly Members[]>): Promise<Members> {
  const [only, ...more] = await lines;
  assert.ok(only !== undefined && more.length === 0, JSON.stringify([only, ...more]));
  return only;
}

/** Returns the token endpoint's status for these credentials. */
export async function requestToken(
  program: Program,
  client_id: unknown,
  client_secret: unknown,
): Promise<{ readonly status: number; readonly access_token: string }> {
  const answer = await fetch(`${program.url}/token`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${String(client_id)}:${String(client_secret)}`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: 'grant_type=client_credentials',
  });
  const { access_token } = (await answer.json()) as Members;
  return { status: answer.status, access_token: String(access_token) };
}

/** Whether introspection, asked by `caller`, calls the token active. */
export async function isActive(program: Program, token: string, caller: Members): Promise<boolean> {
  const credentials = `${String(caller['client_id'])}:${String(caller['client_secret'])}`;
  const answer = await fetch(`${program.url}/token/introspect`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: `token=${token}`,
  });
  assert.equal(answer.status, 200);
  const { active } = (await answer.json()) as Members;
  assert.ok(typeof active === 'boolean');
  return active;
}

/** GET /clients/{id} with a registration token. */
export async function readOverHttp(program: Program, client: Members): Promise<Response> {
  return await fetch(`${program.url}/clients/${String(client['client_id'])}`, {
    headers: { authorization: `Bearer ${String(client['registration_access_token'])}` },
  });
}

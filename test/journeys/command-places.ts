import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ENCRYPTION_KEY, type Program } from '../program/start.ts';
import { storageUrl } from '../program/storage-place.ts';
import { commandHere, jsonOf, type Run } from './command-here.ts';
import type { Members } from './registry-commands.ts';

/** The two ways to administer a started program by commands. */
export interface CommandPlaces {
  /** Opens the program's database. */
  readonly onDatabase: Run;
  /** Asks the administration API of the program. */
  readonly overHttp: Run;
}

/** The program may start later. Commands on its database get the given settings, as the program did. */
export function commandPlaces(
  folder: string,
  program: () => Program,
  { words, environment }: { words: readonly string[]; environment: Readonly<Record<string, string>> },
): CommandPlaces {
  return {
    onDatabase: async (...called) =>
      await commandHere([...called, ...words], {
        CHANCERY_STORAGE_URL: await storageUrl(folder),
        CHANCERY_ENCRYPTION_KEY: ENCRYPTION_KEY,
        CHANCERY_ISSUER: program().issuer,
        ...environment,
      }),
    overHttp: async (...called) => {
      const { managementUrl, adminToken } = program();
      const file = join(folder, 'admin-token');
      if (!existsSync(file)) writeFileSync(file, adminToken, { mode: 0o600 });
      return await commandHere([...called, '--server', managementUrl], { CHANCERY_TOKEN_FILE: file });
    },
  };
}

/** Returns the only JSON object of a command that succeeds. */
export async function oneOf(ask: Run, ...words: readonly string[]): Promise<Members> {
  const [only, ...more] = await jsonOf(ask, ...words);
  assert.ok(only !== undefined && more.length === 0);
  return only;
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const INSTALL = join(ROOT, 'bin/install-in.mjs');

/** Leaves the journeys of npm's clients out, for a machine that cannot reach a registry. Nothing that decides about a change may set it. */
export const LEFT_OUT_VARIABLE = 'CHANCERY_NO_CLIENTS';

/**
 * Installs the npm clients of a folder once. It takes half a minute the first time, and no time later.
 *
 * @param folder below the repository's root; it has its own package-lock.json
 * @throws Error if npm cannot install them
 */
export async function installClients(folder = 'test/clients'): Promise<void> {
  const { NODE_TEST_CONTEXT: _mark, ...environment } = process.env;
  const child = spawn(process.execPath, [INSTALL, folder], {
    cwd: ROOT,
    env: environment,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code === 0) return;
  throw new Error(
    `the clients of ${folder} could not be installed: npm's reason stands above. ` +
      `Without a registry, set ${LEFT_OUT_VARIABLE}=1 to leave their journeys out.`,
  );
}

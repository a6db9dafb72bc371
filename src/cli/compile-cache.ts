import { statSync } from 'node:fs';
// An older Node, which must live until it is refused, lacks the function.
import nodeModule from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../config/environment.ts';

/**
 * Lets V8 keep compiled code of the built program in the user's cache folder: each start then takes 40 ms less CPU time. Without
 * such a folder the program starts without a cache: a read-only installation has none, and a system user no home.
 *
 * The sources have the cache that their launcher chose (bin/run.mjs). `NODE_COMPILE_CACHE` goes before all of this.
 * @param program the file that runs
 */
export function useCompileCache(program: string, environment: Environment): void {
  if (program.endsWith('.ts') || environment['NODE_COMPILE_CACHE'] !== undefined) return;
  const folder = cacheFolder(environment);
  if (folder !== undefined) nodeModule.enableCompileCache(join(folder, 'compile'));
}

/**
 * Returns the folder for our caches: systemd's (`CacheDirectory=`), otherwise the user's. A folder that belongs to another
 * user is none, as after `sudo`: V8 executes the code in the cache without proof that it came from this program.
 */
function cacheFolder(environment: Environment): string | undefined {
  const { CACHE_DIRECTORY, XDG_CACHE_HOME } = environment;
  const ofService = CACHE_DIRECTORY?.split(':')[0];
  if (ofService !== undefined && isOurs(ofService)) return ofService;
  if (XDG_CACHE_HOME !== undefined)
    return isOurs(XDG_CACHE_HOME) ? join(XDG_CACHE_HOME, 'chancery') : undefined;
  const home = homeFolder();
  return home !== undefined && isOurs(home) ? join(home, '.cache/chancery') : undefined;
}

/** Returns undefined for a user that the system does not know, such as the number that a container runtime chose. */
function homeFolder(): string | undefined {
  try {
    return homedir();
  } catch (failure) {
    if ((failure as NodeJS.ErrnoException).code === 'ERR_SYSTEM_ERROR') return undefined;
    throw failure;
  }
}

function isOurs(folder: string): boolean {
  return statSync(folder, { throwIfNoEntry: false })?.uid === process.geteuid?.();
}

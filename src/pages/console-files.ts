import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { ConsoleEntry, ConsoleFile, ConsoleFiles, OpenConsoleFiles } from '../ports/console-files.ts';

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
};

/** The list of the files that a build writes beside them. */
export const CONSOLE_ENTRY = 'entry.json';

/** Where a build writes the files: beside the bundled program. A checkout has no such folder. */
const BUILT = join(import.meta.dirname, 'console');

const compressed = promisify(gzip);

/** Returns a function that opens the files of the console once: those of the package, or those of a checkout. */
export function consoleFiles(): OpenConsoleFiles {
  let opening: Promise<ConsoleFiles> | undefined;
  return async () => {
    opening ??= open();
    try {
      return await opening;
    } catch (failure) {
      opening = undefined;
      throw failure;
    }
  };
}

async function open(): Promise<ConsoleFiles> {
  const names = await readdir(BUILT).catch(() => undefined);
  // A checkout has no build step, and a package has no sources.
  if (names === undefined) return await (await import('./console-sources.ts')).consoleFromSources();
  const texts = await Promise.all(
    names.map(async (name) => [name, await readFile(join(BUILT, name), 'utf8')] as const),
  );
  const entry = JSON.parse(new Map(texts).get(CONSOLE_ENTRY) ?? '{}') as ConsoleEntry;
  return await filesOf(entry, new Map(texts));
}

/** Compresses the texts, and serves them under their names. */
export async function filesOf(
  entry: ConsoleEntry,
  texts: ReadonlyMap<string, string>,
): Promise<ConsoleFiles> {
  const files = new Map<string, ConsoleFile>();
  for (const [name, text] of texts) {
    const mediaType = MEDIA_TYPES[extname(name)];
    if (mediaType === undefined || name === CONSOLE_ENTRY) continue;
    const body = Buffer.from(text);
    const small = await compressed(body);
    files.set(name, { mediaType, body, ...(small.length < body.length ? { gzip: small } : {}) });
  }
  return { entry, file: (name) => files.get(name) };
}

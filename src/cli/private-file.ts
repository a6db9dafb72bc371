import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { CommandFailure } from './failure.ts';

const OWNER_ONLY = 0o600;

/**
 * Writes a file with secrets for its owner only, all or nothing: it appears at `path` when everything is on the disk. The
 * draft stands beside it. Its name is random and its creation is exclusive, so the secrets never go through a link or into
 * a file that another user has put there.
 * @param write writes the content to the open draft
 * @param place gives the draft its name; the default replaces what is at `path`
 */
export async function writePrivateFile<T>(
  path: string,
  write: (descriptor: number) => Promise<T>,
  place: (draft: string, path: string) => void = renameSync,
): Promise<T> {
  const draft = draftOf(path);
  const descriptor = openSync(draft, 'wx', OWNER_ONLY);
  try {
    const written = await write(descriptor);
    fsyncSync(descriptor);
    place(draft, path);
    return written;
  } catch (failure) {
    rmSync(draft, { force: true });
    throw failure;
  } finally {
    closeSync(descriptor);
  }
}

/** Writes a short text like `writePrivateFile`, at once. */
export function writePrivately(path: string, text: string): void {
  const draft = draftOf(path);
  try {
    writeFileSync(draft, `${text}\n`, { flag: 'wx', mode: OWNER_ONLY, flush: true });
    renameSync(draft, path);
  } catch (failure) {
    rmSync(draft, { force: true });
    throw failure;
  }
}

/**
 * Writes a short text like `writePrivately`, and never replaces what is at `path`.
 * @throws CommandFailure if something is at `path` already
 */
export function writeNewPrivately(path: string, text: string): void {
  const draft = draftOf(path);
  try {
    writeFileSync(draft, `${text}\n`, { flag: 'wx', mode: OWNER_ONLY, flush: true });
    placeNew(draft, path);
  } catch (failure) {
    rmSync(draft, { force: true });
    throw failure;
  }
}

/** Gives a draft a name that nothing has: a link, unlike a rename, fails there. @throws CommandFailure if something is at `path` already */
export function placeNew(draft: string, path: string): void {
  try {
    linkSync(draft, path);
  } catch (failure) {
    if (!isThereAlready(failure)) throw failure;
    throw new CommandFailure(`${path} is there already: nothing was changed`);
  }
  rmSync(draft);
}

const isThereAlready = (failure: unknown): boolean =>
  failure instanceof Error && 'code' in failure && failure.code === 'EEXIST';

const draftOf = (path: string): string => `${path}.${randomBytes(8).toString('hex')}.new`;

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A copy of the working tree, which mutants change. */
export interface TreeCopy {
  readonly root: string;
  /** Identifies the contents of all files. */
  readonly digest: string;
  remove(): void;
}

/** Copies what git knows and what it does not ignore; `node_modules` is a link. */
export function copyTree(from: string): TreeCopy {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: from,
    encoding: 'utf8',
  });
  const files = listed.split('\0').filter((file) => file !== '' && existsSync(join(from, file)));
  const root = mkdtempSync(join(tmpdir(), 'chancery-mutants-'));
  const hash = createHash('sha256');
  for (const file of files.sort()) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    cpSync(join(from, file), join(root, file));
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update('\0');
  }
  symlinkSync(join(from, 'node_modules'), join(root, 'node_modules'));
  return {
    root,
    digest: hash.digest('hex'),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

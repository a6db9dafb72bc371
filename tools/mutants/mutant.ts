import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A change of one file. */
export interface Edit {
  /** From the root of the repository. */
  readonly file: string;
  /** Stands exactly once in the file. */
  readonly find: string;
  readonly replace: string;
}

/** A test that must fail. */
export interface Killer {
  readonly file: string;
  /** A part of its name, as it stands in the source of the file or of a file that it imports. */
  readonly test: string;
  /** Default: the engine of the test file; for started programs, SQLite. */
  readonly engine?: 'postgres';
}

/** A planted fault (ADR 0050). */
export interface Mutant {
  /** For `--only`. Unique. */
  readonly name: string;
  /** Says what the product does wrong with it. */
  readonly fault: string;
  readonly edits: readonly Edit[];
  /** Each of them must fail. */
  readonly killers: readonly Killer[];
  /** Says why no test can see the fault. Then the killers are the nearest tests, and they pass. */
  readonly survives?: string;
}

/** Returns the text with the change. Throws an error if what is to be replaced does not stand exactly once in it. */
export function edited(text: string, { file, find, replace }: Edit): string {
  const pieces = text.split(find);
  if (pieces.length !== 2) {
    throw new Error(`${file} contains ${pieces.length - 1} times, and not once: ${find}`);
  }
  return pieces.join(replace);
}

/**
 * Plants the fault below `root`. Throws an error, with nothing written, if an edit does not apply.
 * @returns a function that restores the files
 */
export function plant(root: string, { edits }: Pick<Mutant, 'edits'>): () => void {
  const before = new Map<string, string>();
  const after = new Map<string, string>();
  for (const edit of edits) {
    const text = after.get(edit.file) ?? readFileSync(join(root, edit.file), 'utf8');
    if (!before.has(edit.file)) before.set(edit.file, text);
    after.set(edit.file, edited(text, edit));
  }
  for (const [file, text] of after) writeFileSync(join(root, file), text);
  return () => {
    for (const [file, text] of before) writeFileSync(join(root, file), text);
  };
}

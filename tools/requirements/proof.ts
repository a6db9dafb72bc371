import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { testNames } from '../test-names.ts';
import type { TestReference } from './requirement.ts';

export type NamesIn = (file: string) => readonly string[];

/** Reads each test file once; a file that is not there has no tests. */
export function testFiles(root: string): NamesIn {
  const read = new Map<string, readonly string[]>();
  return (file) => {
    const names = read.get(file) ?? namesIn(join(root, file));
    read.set(file, names);
    return names;
  };
}

function namesIn(path: string): readonly string[] {
  try {
    return testNames(readFileSync(path, 'utf8'));
  } catch (failure) {
    if (failure instanceof Error && 'code' in failure && failure.code === 'ENOENT') return [];
    throw failure;
  }
}

/** The names that begin as the reference says: one, unless the table is wrong. */
export function provingTests(namesIn: NamesIn, { file, name }: TestReference): readonly string[] {
  return namesIn(file).filter((each) => each.startsWith(name));
}

import { globSync } from 'node:fs';

/** Returns the files below `root` that match one of the patterns, in order. Files of installed packages are left out: `test/clients` and examples have some. */
export function ownFiles(root: string, ...patterns: readonly string[]): string[] {
  return [...new Set(globSync([...patterns], { cwd: root, exclude: ['**/node_modules'] }))].sort();
}

import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** With the value `dist`, tests start the program that `npm run build` made, otherwise the sources. */
export const PROGRAM_VARIABLE = 'CHANCERY_PROGRAM';

const isBuilt = process.env[PROGRAM_VARIABLE] === 'dist';

/** The file that Node runs. */
export const PROGRAM = join(ROOT, isBuilt ? 'dist/program/chancery.js' : 'src/cli/chancery.ts');

/** Returns the words that start the launcher as an operator does. The launcher of the package finds its Node itself. */
export const launcherWords = (node: string): readonly [string, ...string[]] =>
  isBuilt ? [join(ROOT, 'dist/bin/chancery')] : [node, join(ROOT, 'bin/chancery.mjs')];

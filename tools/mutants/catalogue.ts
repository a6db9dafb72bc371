import type { Mutant } from './mutant.ts';
import { STORAGE_POSTGRES } from './storage-postgres.ts';
import { STORAGE_SQLITE } from './storage-sqlite.ts';

/** Every fault that the project knows how to plant, in the order in which they run. */
export const MUTANTS: readonly Mutant[] = [...STORAGE_SQLITE, ...STORAGE_POSTGRES];

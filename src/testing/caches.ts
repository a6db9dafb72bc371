import { ProcessCaches } from '../spec/caches.ts';

/** Caches with more room than any test fills. */
export const ampleCaches = (): ProcessCaches => new ProcessCaches(64 * 1024 * 1024);

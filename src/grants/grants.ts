import { clientCredentials } from './client-credentials.ts';
import type { Grant } from './grant.ts';

/** Every grant the token endpoint knows. Discovery is derived from this list. */
export const GRANTS: readonly Grant[] = [clientCredentials];

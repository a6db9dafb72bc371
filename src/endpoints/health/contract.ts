import type { Contract } from '../contract.ts';

/** Liveness, on the management listener: the process responds. */
export const liveContract = {
  name: 'health-live',
  method: 'GET',
  path: '/health/live',
  specifications: [],
  statuses: [200],
  errors: 'json',
  cors: 'configured',
  body: 'none',
} as const satisfies Contract;

/** Readiness: the storage reads and writes durably. */
export const readyContract = {
  ...liveContract,
  name: 'health-ready',
  path: '/health/ready',
  statuses: [200, 503],
} as const satisfies Contract;

import type { Contract } from '../contract.ts';

/** On the management listener. The process answers. */
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

/** The process can do its work: storage reads and writes durably. */
export const readyContract = {
  ...liveContract,
  name: 'health-ready',
  path: '/health/ready',
  statuses: [200, 503],
} as const satisfies Contract;

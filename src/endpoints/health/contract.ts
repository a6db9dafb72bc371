import { named } from '../../spec/schemas.ts';
import type { Contract } from '../contract.ts';

/** Liveness, on the management listener: the process responds. */
export const liveContract = {
  name: 'health-live',
  method: 'GET',
  path: '/health/live',
  purpose: 'Says that the process responds.',
  credentials: ['none'],
  answers: {
    200: { words: 'The process responds.', content: { 'application/json': named('Live') } },
  },
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
  purpose: 'Says whether the server serves: its storage reads and writes durably.',
  answers: {
    200: { words: 'The server serves.', content: { 'application/json': named('Ready') } },
    503: {
      words: 'The server does not serve, with the reason.',
      content: { 'application/json': named('NotReady') },
    },
  },
  statuses: [200, 503],
} as const satisfies Contract;

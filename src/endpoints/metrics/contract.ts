import { TEXT } from '../../spec/json-schema.ts';
import type { Contract } from '../contract.ts';

export const contract = {
  name: 'metrics',
  method: 'GET',
  path: '/metrics',
  purpose: 'Serves the metrics of the process.',
  credentials: ['none'],
  answers: {
    200: { words: 'The metrics.', content: { 'text/plain': TEXT } },
  },
  specifications: ['Prometheus text exposition format'],
  statuses: [200],
  errors: 'json',
  cors: 'configured',
  body: 'none',
} as const satisfies Contract;

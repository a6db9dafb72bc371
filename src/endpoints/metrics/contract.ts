import type { Contract } from '../contract.ts';

export const contract = {
  name: 'metrics',
  method: 'GET',
  path: '/metrics',
  specifications: ['Prometheus text exposition format'],
  statuses: [200],
  errors: 'json',
  cors: 'configured',
  body: 'none',
} as const satisfies Contract;

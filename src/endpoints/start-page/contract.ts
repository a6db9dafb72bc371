import type { Contract } from '../contract.ts';

export const contract = {
  name: 'start-page',
  method: 'GET',
  path: '/',
  specifications: ['docs/operate/install.md'],
  statuses: [200, 500],
  errors: 'page',
  cors: 'none',
  body: 'none',
} as const satisfies Contract;

/** The button of the start page, in development only. */
export const buttonContract = {
  name: 'start-page-token',
  method: 'POST',
  path: '/',
  specifications: ['docs/operate/install.md'],
  statuses: [200, 400, 404, 500],
  errors: 'page',
  cors: 'none',
  body: 'form',
} as const satisfies Contract;

import { OBJECT, TEXT } from '../../spec/json-schema.ts';
import type { Contract } from '../contract.ts';

/** The page of the console, on the management listener. */
export const contract = {
  name: 'console',
  method: 'GET',
  path: '/console/',
  purpose: 'Serves the page of the console.',
  credentials: ['none'],
  answers: {
    200: { words: 'The page. Its scripts sign the operator in.', content: { 'text/html': TEXT } },
  },
  specifications: ['docs/operate/console.md'],
  statuses: [200, 500],
  errors: 'json',
  cors: 'none',
  body: 'none',
} as const satisfies Contract;

/** A person may leave the slash at the end out. */
export const redirectContract = {
  ...contract,
  name: 'console-redirect',
  path: '/console',
  purpose: 'Leads to the page of the console.',
  answers: { 308: { words: 'The address with the slash at its end, in `Location`.' } },
  statuses: [308, 500],
} as const satisfies Contract;

export const fileContract = {
  ...contract,
  name: 'console-file',
  path: '/console/files/{id}',
  segments: { id: 'The name of the file, which changes with its content.' },
  purpose: 'Serves a file of the console.',
  answers: { 200: { words: 'The file.', content: { '*/*': TEXT, 'application/json': OBJECT } } },
  specifications: ['RFC 8246 §2', 'RFC 9110 §12.5.3'],
  statuses: [200, 404, 500],
} as const satisfies Contract;

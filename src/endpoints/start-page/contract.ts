import { TEXT } from '../../spec/json-schema.ts';
import type { Contract } from '../contract.ts';

export const contract = {
  name: 'start-page',
  method: 'GET',
  path: '/',
  purpose: 'Shows a person who opens the issuer’s address what is there.',
  credentials: ['none'],
  answers: { 200: { words: 'The page.', content: { 'text/html': TEXT } } },
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
  purpose:
    'Makes an initial access token for the person at a development server. Production has no such endpoint.',
  credentials: ['none'],
  answers: { 200: { words: 'The page, with the token.', content: { 'text/html': TEXT } } },
  specifications: ['docs/operate/install.md'],
  statuses: [200, 400, 404, 500],
  errors: 'page',
  cors: 'none',
  body: 'form',
} as const satisfies Contract;

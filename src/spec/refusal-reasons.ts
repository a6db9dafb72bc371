import { ADMINISTRATION_REASONS } from './refusals/administration.ts';
import { AUTHORIZATION_REASONS } from './refusals/authorization.ts';
import { CLIENT_AUTHENTICATION_REASONS } from './refusals/client-authentication.ts';
import { CODE_REASONS } from './refusals/codes.ts';
import { EDGE_REASONS } from './refusals/edge.ts';
import { REQUEST_REASONS } from './refusals/requests.ts';
import { SIGN_IN_REASONS } from './refusals/sign-in.ts';

/**
 * Every `reason` of a refusal in the log (decision 46), by what it is about. `docs/reference/refusals.md` is made from it, and
 * the compiler admits no other reason.
 */
export const REFUSAL_REASONS = {
  'Client authentication': CLIENT_AUTHENTICATION_REASONS,
  'Requests, bearer tokens and grants': REQUEST_REASONS,
  'Authorisation requests, pages and logout': AUTHORIZATION_REASONS,
  'Sign-in': SIGN_IN_REASONS,
  Administration: ADMINISTRATION_REASONS,
  'Before any endpoint': EDGE_REASONS,
  'Error codes without a narrower reason': CODE_REASONS,
} as const;

export type EdgeReason = keyof typeof EDGE_REASONS;

export type RefusalReason =
  | keyof typeof CLIENT_AUTHENTICATION_REASONS
  | keyof typeof REQUEST_REASONS
  | keyof typeof AUTHORIZATION_REASONS
  | keyof typeof SIGN_IN_REASONS
  | keyof typeof ADMINISTRATION_REASONS
  | EdgeReason
  | keyof typeof CODE_REASONS;

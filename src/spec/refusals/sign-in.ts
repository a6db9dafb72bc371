import { reason } from './reason.ts';

/** Reasons of the lines `sign-in refused`. The page tells the person less. */
export const SIGN_IN_REASONS = {
  'unknown-user': reason('No account has this user name.', 'Nothing at the client: the person tries again.'),
  'wrong-password': reason('The password is wrong.', 'Nothing at the client: the person tries again.'),
  'disabled-account': reason(
    'The password is right, and the account is disabled.',
    'Nothing at the client. `chancery accounts enable` ends it.',
  ),
  'too-many-sign-ins': reason(
    'The account or the network has too many failed attempts.',
    'Retry after the seconds in Retry-After.',
    'sign-in.attempts-per-account',
    'sign-in.attempts-per-account-and-network',
    'sign-in.attempts-per-network',
    'listen.trusted-proxies',
  ),
  'sign-ins-wait': reason(
    'More people sign in than the server can check passwords for.',
    'Retry after the seconds in Retry-After.',
    'password.concurrency',
  ),
} as const;

import { FEDERATION_STEPS } from './federation-steps.ts';
import { REGISTRATION_STEPS } from './registration-steps.ts';
import { DOCUMENT_STEPS, PAGE_STEPS, REQUEST_STEPS } from './request-steps.ts';
import { REVOCATION_STEPS, SIGNAL_STEPS, WEBFINGER_STEPS } from './signal-steps.ts';
import type { HostileStep } from './steps.ts';
import { TOKEN_STEPS } from './token-steps.ts';

/** Hostile input at the limits for every endpoint that strangers reach. */
export const HOSTILE_STEPS: readonly HostileStep[] = [
  ...REGISTRATION_STEPS,
  ...TOKEN_STEPS,
  ...REQUEST_STEPS,
  ...PAGE_STEPS,
  ...DOCUMENT_STEPS,
  ...FEDERATION_STEPS,
  ...SIGNAL_STEPS,
  ...REVOCATION_STEPS,
  ...WEBFINGER_STEPS,
];

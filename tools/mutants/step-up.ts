import type { Mutant } from './mutant.ts';

const TOKENS_TEST = 'src/endpoints/token/authentication-context.test.ts';
const STEPS_TEST = 'src/grants/authorization/next-step.test.ts';

/** Faults of step-up: of what tokens say about a sign-in, and of the sign-in that a request asks for. */
export const STEP_UP: readonly Mutant[] = [
  {
    name: 'tokens-without-acr',
    fault: 'Access tokens and introspection do not say how the end-user signed in.',
    edits: [
      {
        file: 'src/grants/issue-token.ts',
        find: '...authenticationOf(content.endUser), ...details },\n',
        replace: '...authenticationOf(undefined), ...details },\n',
      },
    ],
    killers: [
      {
        file: TOKENS_TEST,
        test: 'acr, amr and auth_time are in the ID token, the access token of either format and introspection, also after a refresh (RFC 9470 §6, RFC 9068 §2.2.1)',
      },
    ],
  },
  {
    name: 'required-acr-not-met',
    fault: 'A request goes on without the acr that it requires.',
    edits: [
      {
        file: 'src/grants/authorization/next-step.ts',
        find: '  if (!unmet.required) return undefined;',
        replace: '  if (!unmet.required || signedIn) return undefined;',
      },
    ],
    killers: [
      {
        file: STEPS_TEST,
        test: '(RFC 9470 §5)',
      },
    ],
  },
  {
    name: 'acr-values-without-sign-in',
    fault: 'acr_values never leads to a sign-in.',
    edits: [
      {
        file: 'src/grants/authorization/next-step.ts',
        find: "  if (canHelp && !silent) return { step: 'sign-in' };",
        replace: "  if (canHelp && !silent && unmet.required) return { step: 'sign-in' };",
      },
    ],
    killers: [{ file: STEPS_TEST, test: '(RFC 9470 §5)' }],
  },
];

import type { Mutant } from './mutant.ts';

/** Faults of what a registration takes, lends and shows. */
export const REGISTRATION: readonly Mutant[] = [
  {
    name: 'empty-grants-lend-a-default',
    fault: 'An empty grant_types gets authorization_code without its privilege.',
    edits: [
      {
        file: 'src/clients/registration/privileges.ts',
        find: 'Array.isArray(grant_types) && !isAbsent(grant_types) ?',
        replace: 'Array.isArray(grant_types) ?',
      },
    ],
    killers: [
      {
        file: 'test/hostile/registration-extent.program.test.ts',
        test: 'H-324 empty members lend no default that the token does not permit',
      },
    ],
  },
  {
    name: 'private-scheme-without-a-person',
    fault: 'A grant without interaction is redirected to the private-use scheme of a stranger.',
    edits: [
      {
        file: 'src/endpoints/client-response.ts',
        find: '  return !interacted && isPrivateUse(redirect_uri) && isAnybodys(client);',
        replace: '  return false;',
      },
    ],
    killers: [
      {
        file: 'src/endpoints/authorization/private-use-scheme.test.ts',
        test: '200: a form for a private-use scheme does not post itself (decision 47, H-323)',
      },
    ],
  },
  {
    name: 'default-scope-of-the-operator',
    fault: 'A client that the operator registered without scope gets what its token may set.',
    edits: [
      {
        file: 'src/spec/default-scope.ts',
        find: '  if (DELIBERATE.test(registered_via)) return NONE;',
        replace: '',
      },
    ],
    killers: [
      {
        file: 'src/grants/authorization/receive-authorization-request.test.ts',
        test: 'a request without scope asks for the default scope of the client, without offline_access (RFC 6749 §3.3; decision 43)',
      },
    ],
  },
  {
    name: 'secret-in-a-mistake',
    fault: 'A mistake shows the value of a secret.',
    edits: [
      {
        file: 'src/clients/registration/validate-metadata.ts',
        find: '  const shown = row.hidden === true ? undefined : shownValue(value);',
        replace: '  const shown = shownValue(value);',
      },
    ],
    killers: [
      {
        file: 'src/endpoints/client-registration/clients-in-the-field.test.ts',
        test: '400: a dry run lists every mistake with member, index, value, rule, allowed values and the nearest (decision 42)',
      },
    ],
  },
];

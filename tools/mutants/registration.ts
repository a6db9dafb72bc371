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
    name: 'client-list-behind',
    fault: 'A list of clients leaves out what was registered a moment ago.',
    edits: [
      {
        file: 'src/clients/listing/find-clients.ts',
        find: '    if (step === 0 && !(await clientLists.isBehind())) return;',
        replace: '    if (step === 0) return;',
      },
    ],
    killers: [
      {
        file: 'src/endpoints/admin/clients/clients.test.ts',
        test: 'a list shows a change as soon as the change was answered, and a deletion answers 204',
      },
    ],
  },
  {
    name: 'bulk-without-admin-scope',
    fault: 'A bulk request deletes clients that hold more of the administration than its caller.',
    edits: [
      {
        file: 'src/endpoints/admin/clients/bulk.ts',
        find: '  requireAdminScopeOf(client, call.caller.scope);',
        replace: '',
      },
    ],
    killers: [
      {
        file: 'src/endpoints/admin/clients/bulk.test.ts',
        test: 'a bulk change touches no client that holds more than its caller, and gives no admin: scope',
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
  {
    name: 'grants-dropped-without-a-sign-in',
    fault: 'A client that names only grants which need a token is registered without one.',
    edits: [
      {
        file: 'src/clients/registration/privileges.ts',
        find: 'Array.isArray(asked) && asked.includes(SIGN_IN) && permitted',
        replace: 'asked !== null && permitted',
      },
    ],
    killers: [
      {
        file: 'src/endpoints/client-registration/clients-in-the-field.test.ts',
        test: '401: a grant that needs a token is refused without one beside others, unless the settings let it be dropped (interface, Authentication)',
      },
    ],
  },
];

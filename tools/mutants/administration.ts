import type { Mutant } from './mutant.ts';

const AUTHENTICATE = 'src/endpoints/admin/authenticate.ts';
const AUTHENTICATE_TEST = 'src/endpoints/admin/authenticate.test.ts';

/** Faults of the administration API: of its tokens, its tenants, its repetitions and what it shows. */
export const ADMINISTRATION: readonly Mutant[] = [
  {
    name: 'admin-token-of-other-audience',
    fault: 'A resource server can use the tokens it receives for administration.',
    edits: [
      {
        file: AUTHENTICATE,
        find: '  if (!isForThisServer(tokens.accessTokens, found, resource))',
        replace: "  if (client === '' && !isForThisServer(tokens.accessTokens, found, resource))",
      },
    ],
    killers: [
      {
        file: AUTHENTICATE_TEST,
        test: 'H-499 a token for another resource server opens nothing here, and one for this server does, in both formats (RFC 9068 §4)',
      },
    ],
  },
  {
    name: 'admin-tenant-header-ignored',
    fault: 'A change for an unknown tenant is made at the default tenant.',
    edits: [
      {
        file: 'src/process/administration.ts',
        find: '        several: true,\n',
        replace: '        several: names.several,\n',
      },
    ],
    killers: [
      {
        file: 'src/process/administration.test.ts',
        test: 'H-504 an unknown tenant is refused also where the default tenant is the only one, so that no change meets the wrong tenant',
      },
    ],
  },
  {
    name: 'admin-key-for-any-request',
    fault: 'Another request with a used Idempotency-Key gets the answer of the first.',
    edits: [
      {
        file: 'src/endpoints/admin/idempotency.ts',
        find: '  if (kept.browser === request) return answer;\n',
        replace: '  if (kept.browser !== undefined) return answer;\n',
      },
    ],
    killers: [
      {
        file: 'src/endpoints/admin/operation.test.ts',
        test: 'of ten creations at once with one Idempotency-Key one happens, and its kept answer is sealed',
      },
    ],
  },
  {
    name: 'admin-settings-unmasked',
    fault: 'The list of settings shows secrets.',
    edits: [
      {
        file: 'src/config/masked-value.ts',
        find: '  return secret && !empty ? MASK : value;\n',
        replace: '  return secret && empty ? MASK : value;\n',
      },
    ],
    killers: [
      {
        file: 'src/endpoints/admin/settings/settings.test.ts',
        test: '200: secrets are masked in lists and items, and nothing else shows them',
      },
    ],
  },
];

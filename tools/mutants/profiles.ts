import type { Mutant } from './mutant.ts';

const TENANT = 'src/tenant/profiles.test.ts';
const READ = 'src/grants/authorization/read-authorization-request.ts';

/** Faults of the rules that profiles switch on. */
export const PROFILES: readonly Mutant[] = [
  {
    name: 'profile-rule-ignored',
    fault: 'A setting switches a rule of the profile off, and nothing says so.',
    edits: [
      {
        file: 'src/config/profiles.ts',
        find: '    if (explicit === undefined || rule === undefined || holds(explicit.value)) return [];',
        replace: '    if (explicit === undefined || rule === undefined || rule !== "") return [];',
      },
    ],
    killers: [
      {
        file: 'src/config/profiles.test.ts',
        test: 'a value that breaks a rule of the profile is an error that names the setting, the profile and both sources (H-380)',
      },
      {
        file: 'src/config/profiles.test.ts',
        test: 'a tenant cannot break a rule of a profile that it inherits; the error names both (H-380)',
      },
    ],
  },
  {
    name: 'profile-opens-inherited-door',
    fault: 'Every tenant of a process with profile mcp registers clients openly.',
    edits: [
      {
        file: 'src/config/tenant-overrides.ts',
        find: '  const rows = profile === undefined ? [] : PROFILES[profile];',
        replace: '  const rows = PROFILES[profile ?? process.profile];',
      },
    ],
    killers: [
      {
        file: 'src/config/profiles.test.ts',
        test: 'a tenant inherits the rules of the process’s profile, but not what opens a door (decision 52)',
      },
    ],
  },
  {
    name: 'pkce-of-all-clients-ignored',
    fault: 'With authorization.pkce all-clients, a confidential client needs no code_challenge.',
    edits: [
      {
        file: READ,
        find: "      settings['authorization.pkce'] === 'all-clients' ||\n",
        replace: '',
      },
    ],
    killers: [
      {
        file: TENANT,
        test: 'oauth-2.1 and mcp: a confidential client without code_challenge gets invalid_request (RFC 9700 §2.1.1)',
      },
    ],
  },
  {
    name: 'response-type-of-old-client',
    fault:
      'A client that registered a response type before it was switched off still gets its tokens in the address.',
    edits: [
      {
        file: READ,
        find: '  if (!offered.includes(name))\n',
        replace: "  if (name === '')\n",
      },
    ],
    killers: [
      {
        file: TENANT,
        test: 'oauth-2.1 and mcp: no response type gives a token in the browser, for a client that registered it before (RFC 9700 §2.1.2)',
      },
    ],
  },
  {
    name: 'resource-not-required',
    fault: 'With access-token.require-resource, a request without resource gets a token for any server.',
    edits: [
      {
        file: 'src/grants/audience.ts',
        find: '  if (foreign === undefined) return [settings.issuer];',
        replace: "  if (foreign === undefined || foreign !== '') return [];",
      },
    ],
    killers: [
      {
        file: TENANT,
        test: 'mcp: a request for scope of another server without resource is invalid_target, at /authorize and at /token (RFC 8707 §2)',
      },
    ],
  },
  {
    name: 'resource-added-at-the-token-endpoint',
    fault: 'A token request adds a resource that the end-user never saw.',
    edits: [
      {
        file: 'src/grants/authorization-code.ts',
        find: "    resource.length > 0 || !settings['access-token.require-resource']\n",
        replace: '    resource.length >= 0\n',
      },
    ],
    killers: [
      {
        file: TENANT,
        test: 'H-383 mcp: a token request cannot add a resource that the end-user never saw',
      },
    ],
  },
];

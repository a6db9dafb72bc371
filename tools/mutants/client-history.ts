import type { Mutant } from './mutant.ts';

const RULES = 'src/clients/history/restore.test.ts';
const SURFACE = 'src/endpoints/admin/client-history/client-history.test.ts';
const STATED = 'src/clients/history/stated-clients.test.ts';
const SQLITE = 'src/storage/sqlite/storage.test.ts';
const POSTGRES = 'src/storage/postgres/storage.test.ts';

/** Former versions of clients, and deleted clients that come back (ADR 81). */
export const CLIENT_HISTORY: readonly Mutant[] = [
  {
    name: 'leaked-secret-comes-back',
    fault: 'A deleted client is restored with its secrets, whatever the operator asked for.',
    edits: [
      {
        file: 'src/clients/history/restore-deleted.ts',
        find: 'restorer.withSecrets ? secretsFor(needs.sealer, live, owner) : []',
        replace: 'secretsFor(needs.sealer, live, owner)',
      },
    ],
    killers: [{ file: RULES, test: 'a client that was deleted because its secret leaked' }],
  },
  {
    name: 'version-brings-its-secrets',
    fault: 'A restored version replaces the secrets of the client without being asked.',
    edits: [
      {
        file: 'src/clients/history/restore-version.ts',
        find: 'restorer.withSecrets ? version.secrets.filter((secret) => isLive(secret, now)) : []',
        replace: 'version.secrets.filter((secret) => isLive(secret, now))',
      },
    ],
    killers: [{ file: RULES, test: 'a restored version leaves the secrets as they are' }],
  },
  {
    name: 'version-loses-silently',
    fault: 'A restoration drops what the server no longer has, and says nothing.',
    edits: [
      {
        file: 'src/clients/history/restore-version.ts',
        find: '  refuseMistakes(validated.dropped);\n',
        replace: '',
      },
    ],
    killers: [
      { file: RULES, test: 'that is no longer allowed is refused with 400, which names member and value' },
    ],
  },
  {
    name: 'version-brings-administration-scope',
    fault:
      'The registration token of a restored version may take scope of the administration that the caller lacks.',
    edits: [
      {
        file: 'src/clients/history/restore-version.ts',
        find: '  const { admin_scope: _, ...others } = JSON.parse(privileges) as RegistrationPrivileges;',
        replace: '  const others = JSON.parse(privileges) as RegistrationPrivileges;',
      },
    ],
    killers: [{ file: RULES, test: 'a restored registration token permits no scope of the administration' }],
  },
  {
    name: 'restorer-holds-everything',
    fault: 'A restoration over HTTP gives scope of the administration that its caller lacks.',
    edits: [
      {
        file: 'src/endpoints/admin/client-history/endpoint.ts',
        find: '  adminScope: caller.scope,',
        replace: "  adminScope: caller.scope.length > 0 ? 'any' : [],",
      },
    ],
    killers: [{ file: RULES, test: 'a caller cannot restore scope of the administration that it lacks' }],
  },
  {
    name: 'grace-without-end',
    fault: 'A deleted client can be restored until it is swept.',
    edits: [
      {
        file: 'src/clients/history/restore-deleted.ts',
        find: 'if (found !== undefined && needs.clock.now() < endOfGrace(needs, found)) return found;',
        replace: 'if (found !== undefined) return found;',
      },
    ],
    killers: [{ file: SURFACE, test: '200: a deleted client is listed until its grace period ends' }],
  },
  {
    name: 'stranger-fills-the-history',
    fault: 'A client that a stranger registers and deletes is kept.',
    edits: [
      {
        file: 'src/clients/history/history-limits.ts',
        find: "  return kind === 'master' || !REPEATABLE.test(client.registered_via);",
        replace: "  return kind === 'master' || client.registered_via !== '';",
      },
    ],
    killers: [{ file: RULES, test: 'an openly registered client that deletes itself is not kept' }],
  },
  {
    name: 'restored-document-stays-fresh',
    fault: 'A deleted client of a document comes back with the document of then.',
    edits: [
      {
        file: 'src/clients/history/restore-deleted.ts',
        find: 'JSON.stringify({ ...state, fresh_until: now })',
        replace: 'JSON.stringify(state)',
      },
    ],
    killers: [
      { file: STATED, test: 'a deleted client of a document comes back, and its document is fetched' },
    ],
  },
  {
    name: 'old-key-in-the-history',
    fault: 'A rotation of the encryption key leaves former versions as they are.',
    edits: [
      {
        file: 'src/cli/encryption-keys.ts',
        find: 'versions += await resealVersions(own.clientHistory, bound);',
        replace:
          'versions += own.clientHistory === undefined ? await resealVersions(own.clientHistory, bound) : 0;',
      },
    ],
    killers: [
      {
        file: 'test/journeys/key-ring.test.ts',
        test: 'H-528: a client that was deleted before the rotation',
      },
    ],
  },
  {
    name: 'sqlite-history-without-end',
    fault: 'A client keeps every former version.',
    edits: [
      {
        file: 'src/storage/sqlite/client-versions.ts',
        find: '    trim.run(tenant, client.client_id, client.instance, versionsMax);\n',
        replace: '    void trim;\n',
      },
    ],
    killers: [{ file: SQLITE, test: 'the oldest versions of a client go beyond the maximum' }],
  },
  {
    name: 'sqlite-restored-beside-another',
    fault: 'A client is restored although its entity has registered another one.',
    edits: [
      {
        file: 'src/storage/sqlite/client-history.ts',
        find: "    return ofEntity === 1 ? 'entity_exists' : undefined;",
        replace: "    return ofEntity === 2 ? 'entity_exists' : undefined;",
      },
    ],
    killers: [{ file: SQLITE, test: 'a client is not restored beside one with its identifier' }],
  },
  {
    name: 'postgres-restored-twice',
    fault: 'Two restorations of one client at once do not wait for each other.',
    edits: [
      {
        file: 'src/storage/postgres/client-history.ts',
        find: '    restore: {\n      locksTenant: true,',
        replace: '    restore: {\n      locksTenant: false,',
      },
    ],
    killers: [
      { file: POSTGRES, test: 'of ten restorations of one client on two nodes exactly one succeeds' },
    ],
  },
  {
    name: 'postgres-secrets-of-another-instance',
    fault: 'The former versions of a restored client keep secrets that are sealed for the deleted one.',
    edits: [
      {
        file: 'src/storage/postgres/client-history.ts',
        find: "SET instance = :instance, secrets = '[]', deleted_at = NULL",
        replace: 'SET instance = :instance, deleted_at = NULL',
      },
    ],
    killers: [{ file: POSTGRES, test: 'a restored client continues its history without the secrets' }],
  },
];

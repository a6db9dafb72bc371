import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ADMIN_CONTRACTS } from '../../tenant/admin-endpoints.ts';
import type { Command } from '../command.ts';
import { ALL_NOUNS } from '../dispatch.ts';
import { REMOTE, remoteRow } from './operations.ts';
import { operationsOf } from './row.ts';

const COMMANDS = (await Promise.all(ALL_NOUNS.map(async ({ load }) => await load()))).flat();
const OFFERING = COMMANDS.filter(({ options }) => 'server' in options);
const OPERATIONS = new Set(ADMIN_CONTRACTS.map(({ name }) => name));

const nameOf = ({ words }: Command): string => words.join(' ');

/** Commands on settings or a database that no server executes, and why. */
const ON_THE_MACHINE: Readonly<Record<string, string>> = {
  dev: 'starts a server',
  serve: 'starts a server',
  doctor: 'examines the machine of the server',
  health: 'asks the server on this machine',
  'config check': 'checks a file that no server has yet',
  'config print': 'prints what a file would set; GET /admin/v1/settings prints what a server has',
  'keys encryption rotate': 'needs the former encryption key, which no server takes over HTTP',
  'federation validate': 'examines the federation of others, from the network of this machine',
  'federation register-demo': 'plays a relying party',
  'migrate status': 'is about the schema of the database',
  'migrate plan': 'is about the schema of the database',
  'migrate up': 'is about the schema of the database',
  'upgrade check': 'examines the installed program',
  'storage check': 'reads the whole database',
  'storage confirm-issuer': 'lets a server start that refuses to',
  'clock show': 'lets a server start that refuses to',
  'clock confirm': 'lets a server start that refuses to',
  'backup restore': 'replaces the database below a server',
  'backup restored': 'replaces the database below a server',
};

/** Operations that no command sends, and why. */
const WITHOUT_COMMAND: Readonly<Record<string, string>> = {
  'admin-client-patch': 'clients update declares a client whole, and plan and apply compare',
  'admin-client-reissue-registration-token': 'clients show --secrets prints the token on the machine',
  'admin-client-refusal-list': 'the log has every refusal; the list is for the page of a client',
  'admin-client-secret-create': 'clients rotate-secret makes one, and keeps the former one for a while',
  'admin-client-version-read': 'clients versions and clients diff show what versions have',
  'admin-deleted-client-read': 'clients deleted lists them',
  'admin-deleted-client-restore': 'clients restore on a database finds deleted clients itself',
  'admin-deleted-client-purge': 'clients delete --purge does both',
  'admin-initial-access-token-read': 'iat list has all members',
  'admin-key-read': 'keys list has all members',
  'admin-audit-export': 'audit list --json prints the same events',
  'admin-setting-list': 'config print is about a file; the console shows the settings of a server',
  'admin-setting-read': 'config print is about a file; the console shows the settings of a server',
  'admin-statistics': 'for the overview of the console; a monitor reads /metrics',
  'admin-refusal-list': 'the log has every refusal; the list is for the overview of the console',
  'admin-session-read': 'sessions list has all members',
  'admin-grant-read': 'grants list has all members',
  'admin-access-token-list': 'grants list and grants revoke work on what tokens come from',
  'admin-access-token-revoke': 'grants list and grants revoke work on what tokens come from',
  'admin-event-stream-event-list':
    'streams show has the last problem; redeliver and drop take all failed events',
  'admin-federation-member-chain': 'federation resolve explains the chain of every entity, also of a member',
  'admin-trust-anchor-read': 'federation trust-anchors show has all members',
  'admin-trust-anchor-look': 'federation trust-anchors show looks itself',
  'admin-tenant-read': 'tenants list has all members',
  'admin-tenant-rows': 'tenants delete --dry-run shows them',
};

test('each command that reads settings is executed by a server, too, or is named here with the reason', () => {
  const without = COMMANDS.filter(({ options }) => 'config' in options && !('server' in options));
  assert.deepEqual(without.map(nameOf).toSorted(), Object.keys(ON_THE_MACHINE).toSorted());
  const unknown = OFFERING.filter(({ words }) => remoteRow(words) === undefined);
  assert.deepEqual(unknown.map(nameOf), []);
});

test('each operation of the administration API has a command, or is named here with the reason', () => {
  const sent = new Set(Object.values(REMOTE).flatMap(operationsOf));
  const without = [...OPERATIONS].filter((name) => !sent.has(name));
  assert.deepEqual(without.toSorted(), Object.keys(WITHOUT_COMMAND).toSorted());
});

for (const [name, row] of Object.entries(REMOTE)) {
  test(`the row of ${name} names a command, and operations that exist or a reason`, () => {
    const found = OFFERING.find(({ words }) => words.join(' ') === name);
    assert.ok(found !== undefined, 'no such command with --server');
    if ('reason' in row) return assert.ok(row.reason.length > 20);
    for (const operation of operationsOf(row)) assert.ok(OPERATIONS.has(operation), operation);
    if ('own' in row) return undefined;
    for (const option of Object.keys(row.refuses ?? {})) assert.ok(option in found.options, option);
    const form = ADMIN_CONTRACTS.find((contract) => contract.name === row.operation)?.form;
    assert.equal(row.lists === true, form?.kind === 'list');
    return undefined;
  });
}

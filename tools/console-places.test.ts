import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Command } from '../src/cli/command.ts';
import { ALL_NOUNS } from '../src/cli/dispatch.ts';
import { REMOTE } from '../src/cli/remote/operations.ts';
import { operationsOf } from '../src/cli/remote/row.ts';
import { ADMIN_CONTRACTS } from '../src/tenant/admin-endpoints.ts';
import { ROOT } from './child.ts';
import { CONSOLE_PLACES } from './console-places.ts';
import { ON_THE_MACHINE, WITHOUT_COMMAND } from './without-operation.ts';

/** Operations that the console reads bit by bit, without the typed client. */
const STREAMS: Readonly<Record<string, string>> = {
  'admin-events': '/admin/v1/events',
  'admin-backup-download': '/file',
};

const memberOf = (operation: string): string =>
  operation.replaceAll(/-([a-z])/gu, (_, letter: string) => letter.toUpperCase());

const sourceOf = (page: string): string =>
  globSync(`src/console/pages/${page}/*.ts`, { cwd: ROOT })
    .map((path) => readFileSync(join(ROOT, path), 'utf8'))
    .join('\n');

const COMMANDS = (await Promise.all(ALL_NOUNS.map(async ({ load }) => await load()))).flat();
const nameOf = ({ words }: Command): string => words.join(' ');

test('each command that reads settings is executed by a server, too, or is named here with the reason', () => {
  const without = COMMANDS.filter(({ options }) => 'config' in options && !('server' in options));
  assert.deepEqual(without.map(nameOf).toSorted(), Object.keys(ON_THE_MACHINE).toSorted());
  const unknown = COMMANDS.filter((one) => 'server' in one.options && REMOTE[nameOf(one)] === undefined);
  assert.deepEqual(unknown.map(nameOf), []);
});

test('each operation of the administration API has a command, or is named here with the reason', () => {
  const sent = new Set(Object.values(REMOTE).flatMap(operationsOf));
  const without = ADMIN_CONTRACTS.map(({ name }) => name).filter((name) => !sent.has(name));
  assert.deepEqual(without.toSorted(), Object.keys(WITHOUT_COMMAND).toSorted());
});

test('every command on a registry has a place in the console, or a reason why there is none', () => {
  assert.deepEqual(Object.keys(CONSOLE_PLACES).sort(), Object.keys(REMOTE).sort());
});

for (const [name, place] of Object.entries(CONSOLE_PLACES)) {
  const row = REMOTE[name];
  if ('reason' in place)
    test(`${name}: has no place in the console, because ${place.reason}`, () => {
      assert.ok(row !== undefined && place.reason.length > 20);
      if (place.reason === 'it has no operation over HTTP') assert.ok('reason' in row, 'it has an operation');
    });
  else
    test(`${name}: the page ${place.page} of the console calls its operation`, () => {
      const operation = place.operation ?? (row !== undefined && 'operation' in row ? row.operation : '');
      assert.notEqual(operation, '', 'the row must name one of its operations');
      const called = STREAMS[operation] ?? memberOf(operation);
      assert.match(sourceOf(place.page), new RegExp(`${called}(?!\\w)`, 'u'), operation);
    });
}

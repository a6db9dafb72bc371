import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { forTerminal } from './terminal.ts';

test('C-43: control, direction and format characters and line ends of a printed line are escaped as in JSON', () => {
  const words = 'a\u001b[2J\u009b31m\r\n\tb\u202ec\u200bd\u2028e\u{e0001}';
  const shown = forTerminal(words);
  assert.equal(shown, 'a\\u001b[2J\\u009b31m\\u000d\\u000a\\u0009b\\u202ec\\u200bd\\u2028e\\udb40\\udc01');
  assert.equal(JSON.parse(`"${shown}"`), words);
  const json = JSON.stringify({ name: 'Zoë ✓ \u202e \n' });
  assert.deepEqual(JSON.parse(forTerminal(json)), JSON.parse(json));
});

test('C-43: no file of the commands but terminal.ts, and chancery.ts for an old Node, writes to standard output or standard error', () => {
  const folder = new URL('./', import.meta.url);
  const sources = readdirSync(folder).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
  assert.ok(sources.includes('storage.ts'));
  const writing = sources.filter((name) =>
    /\b(?:stdout|stderr)\b\s*\.\s*write|\bconsole\s*\.\s*(?:log|error|warn|info|debug|table|dir)\b/u.test(
      readFileSync(new URL(name, folder), 'utf8'),
    ),
  );
  // chancery.ts refuses an old Node with a text of its own, before it can load anything else.
  assert.deepEqual(writing, ['chancery.ts', 'terminal.ts']);
});

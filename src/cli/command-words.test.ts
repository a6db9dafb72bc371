import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandWords } from './command-words.ts';

test('a command to paste begins with the words that started the program: a script, npx, or its own name', () => {
  assert.equal(
    commandWords('/checkout/src/cli/command-words.ts', { npm_command: 'run' }),
    'npm run -s chancery --',
  );
  assert.equal(
    commandWords('/site/node_modules/chancery/program/main.js', { npm_command: 'exec' }),
    'npx chancery',
  );
  assert.equal(commandWords('/usr/lib/chancery/program/main.js', {}), 'chancery');
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Command } from './command.ts';
import { NOUNS } from './nouns.ts';
import { parseCall } from './parse.ts';

// The thumbprint of a real key that a test drew by chance.
const DASHED = '-b1uIRBeMKMxlvHvg_qrUDU3DvqvHDIvg1_5319lZ68';
const TWICE_DASHED = `-${DASHED.slice(0, -1)}`;

const commands: readonly Command[] = (await Promise.all(NOUNS.map(({ load }) => load()))).flat();

function commandCalled(words: string): Command {
  const found = commands.find((one) => one.words.join(' ') === words);
  assert.ok(found, words);
  return found;
}

for (const thumbprint of [DASHED, TWICE_DASHED]) {
  test(`keys revoke ${thumbprint}: the key is the operand, before and after options`, () => {
    const revoke = commandCalled('keys revoke');
    for (const words of [
      [thumbprint, '--compromised'],
      ['--compromised', thumbprint],
      ['--compromised', '--', thumbprint],
    ]) {
      const { operands, options } = parseCall(revoke, words);
      assert.deepEqual(Object.values(operands), [thumbprint]);
      assert.equal(options['compromised'], true);
    }
  });

  test(`federation trust-anchors accept --thumbprint ${thumbprint}: the thumbprint is the value`, () => {
    const accept = commandCalled('federation trust-anchors accept');
    for (const words of [['--thumbprint', thumbprint], [`--thumbprint=${thumbprint}`]]) {
      const { options, operands } = parseCall(accept, ['https://anchor.example.org', ...words]);
      assert.deepEqual(options['thumbprint'], [thumbprint]);
      assert.deepEqual(Object.values(operands), ['https://anchor.example.org']);
    }
  });

  test(`--token ${thumbprint}: a token that chancery init made may begin with a dash, and is the value`, () => {
    for (const words of [['--token', thumbprint], [`--token=${thumbprint}`]]) {
      const { options, operands } = parseCall(commandCalled('keys list'), ['--json', ...words]);
      assert.equal(options['token'], thumbprint);
      assert.equal(options['json'], true);
      assert.deepEqual(Object.values(operands), []);
    }
  });
}

test('no option of a command is as long as a thumbprint', () => {
  const names = commands.flatMap(({ options }) => Object.keys(options));
  assert.deepEqual(
    names.filter((name) => `--${name}`.length >= DASHED.length),
    [],
  );
});

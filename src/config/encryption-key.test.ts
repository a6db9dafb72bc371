import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { encryptionKey, keyAsHex } from './encryption-key.ts';
import { readEnvironment } from './environment.ts';
import { checkAll } from './load-settings.ts';
import type { SettingsProblem } from './settings-error.ts';

// 32 bytes whose base64 has both characters that base64url writes differently.
const BYTES = Buffer.from('fbff'.padEnd(64, '0123456789abcdef'), 'hex');
const HEX = BYTES.toString('hex');
const OTHER = '0123456789abcdef'.repeat(4);

test('a key may be hex of any case, base64 with or without padding, or base64url', () => {
  assert.equal(keyAsHex(HEX), HEX);
  assert.equal(keyAsHex(HEX.toUpperCase()), HEX);
  assert.equal(keyAsHex(BYTES.toString('base64')), HEX);
  assert.equal(keyAsHex(BYTES.toString('base64').replace('=', '')), HEX);
  assert.equal(keyAsHex(BYTES.toString('base64url')), HEX);
});

const REFUSED: Readonly<Record<string, string>> = {
  nothing: '',
  'hex of 31 bytes': HEX.slice(2),
  'hex of 33 bytes': `${HEX}00`,
  'hex with another letter': `${HEX.slice(1)}g`,
  'base64 of 31 bytes': BYTES.subarray(1).toString('base64'),
  'base64 of 33 bytes': Buffer.concat([BYTES, BYTES.subarray(1, 2)]).toString('base64'),
  'base64 whose last bits are lost in decoding': `${BYTES.toString('base64url').slice(0, 42)}_`,
  'a passphrase': 'correct horse battery staple, which has 43 ch',
};

for (const [what, text] of Object.entries(REFUSED)) {
  test(`${what} is no key`, () => {
    assert.equal(keyAsHex(text), undefined);
  });
}

test('a ring keeps its order, whether it is a list or a text with commas or line ends', () => {
  for (const ring of [`${HEX},${OTHER}`, `${HEX} , ${OTHER},`, `${HEX}\r\n${OTHER}\n`, [HEX, OTHER]]) {
    assert.deepEqual(encryptionKey.schema.parse(ring), [HEX, OTHER]);
  }
});

test('a ring is refused when it is empty, holds a key twice or in two spellings, or a bad key', () => {
  const rings = [
    '',
    ',',
    [],
    `${HEX},${HEX}`,
    `${HEX},${BYTES.toString('base64')}`,
    `${HEX},x`,
    [HEX, 1],
    7,
    null,
  ];
  for (const ring of rings)
    assert.equal(encryptionKey.schema.safeParse(ring).success, false, JSON.stringify(ring));
});

const RULE = 'it must be one or several different 256-bit random keys';

for (const [kind, file, flaw] of [
  // As `npm run chancery -- keys encryption generate > FILE` writes it.
  [
    'with the lines of npm',
    `\n> chancery@0.1.0 chancery\n> exec node …\n\n${HEX}\n`,
    'line 2 is not a key \\(npm wrote it: .*\\)',
  ],
  ['with a mistyped key', `${HEX}\n${OTHER.slice(1)}\n`, 'line 2 is not a key'],
  ['with a key in two spellings', `${HEX}\n\n${BYTES.toString('base64')}\n`, 'line 3 repeats a key'],
] as const) {
  test(`a key file ${kind}: the message names the line and quotes no key (H-469)`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'chancery-key-'));
    try {
      const path = join(folder, 'encryption.key');
      writeFileSync(path, file, { mode: 0o600 });
      const problems: SettingsProblem[] = [];
      checkAll(readEnvironment({ CHANCERY_ENCRYPTION_KEY_FILE: path }, problems), problems);
      assert.equal(problems.length, 1);
      assert.match(problems[0]?.rule ?? '', new RegExp(`^${flaw}; ${RULE}`, 'u'));
      for (const line of file.split('\n').filter((text) => text !== '' && !text.startsWith('>')))
        assert.ok(!JSON.stringify(problems).includes(line));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { textLine } from './text-log.ts';

const line = (members: object): string =>
  JSON.stringify({ level: 'warn', time: '2026-11-23T10:11:12.345Z', ...members, msg: 'refused' });

test('a line for people has the time, the level, the message and the members, with quotation marks where needed', () => {
  const text = textLine(
    line({ client: 'demo', status: 401, detail: 'wrong secret', value: { a: 1 } }),
    false,
  );
  assert.equal(
    text,
    '10:11:12.345 WARN  refused client=demo status=401 detail="wrong secret" value={"a":1}\n',
  );
});

test('colours change how a line looks, and nothing else', () => {
  const coloured = textLine(line({ client: 'demo' }), true);
  assert.notEqual(coloured, textLine(line({ client: 'demo' }), false));
  assert.equal(coloured.replaceAll(/\p{Cc}\[\d+m/gu, ''), textLine(line({ client: 'demo' }), false));
});

test('a cause follows on lines of its own, each indented', () => {
  const cause = { type: 'Error', message: 'gone', stack: 'Error: gone\n    at here' };
  assert.equal(
    textLine(line({ cause }), false),
    '10:11:12.345 WARN  refused\n    Error: gone\n    at here\n',
  );
});

test('nothing from outside begins a line or steers the terminal', () => {
  const hostile = 'x\n10:00:00.000 INFO  all is well\u001b[2J\u202e\u2028';
  const text = textLine(line({ client: hostile, [hostile]: 1, cause: { stack: `E: ${hostile}` } }), false);
  assert.doesNotMatch(text.replaceAll('\n', ''), /[\p{Cc}\p{Cf}\p{Zl}]/u);
  for (const row of text.split('\n').slice(1)) assert.match(row, /^(?: {4}|$)/u);
});

const LOG = new URL('./log.ts', import.meta.url).href;

/** Returns what a server with this format writes to standard error, which is no terminal here. */
function written(format: string): string {
  const settings = JSON.stringify({ 'log.level': 'info', 'log.format': format });
  const source = `import { serverLog } from ${JSON.stringify(LOG)};\nserverLog(${settings}).info({ a: 1 }, 'counted');`;
  return spawnSync(process.execPath, ['--input-type=module', '--eval', source], { encoding: 'utf8' }).stderr;
}

test('log.format: text for people where it is asked for; JSON otherwise, and where no person reads (auto)', () => {
  assert.match(written('text'), /^\d\d:\d\d:\d\d\.\d{3} INFO {2}counted a=1\n$/u);
  for (const format of ['json', 'auto']) {
    const { msg, a } = JSON.parse(written(format)) as Record<string, unknown>;
    assert.deepEqual([msg, a], ['counted', 1], format);
  }
});

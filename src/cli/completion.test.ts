import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ALL_NOUNS, dispatch } from './dispatch.ts';

const COMMANDS = (await Promise.all(ALL_NOUNS.map(async ({ load }) => await load()))).flat();

const folder = mkdtempSync(join(tmpdir(), 'chancery-completion-'));
after(() => rmSync(folder, { recursive: true }));

async function script(
  shell: string,
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const out: string[] = [];
  const err: string[] = [];
  const code = await dispatch(['completion', shell], {
    environment: {},
    print: (line) => void out.push(line),
    complain: (line) => void err.push(line),
  });
  return { code, out: out.join('\n'), err: err.join('\n') };
}

const file = join(folder, 'chancery.bash');
writeFileSync(file, (await script('bash')).out);

/** Returns what bash offers where the cursor stands behind the last of these words. */
function offered(...words: readonly string[]): readonly string[] {
  const line = words.map((word) => `'${word}'`).join(' ');
  const program = `source ${file}; COMP_WORDS=(${line}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _chancery; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', program], { encoding: 'utf8' });
  assert.equal(stderr, '');
  return stdout.split('\n').filter((word) => word !== '');
}

test('bash completes groups, commands of one to three words, options and the values of a choice', () => {
  assert.deepEqual(offered('chancery', 'cl'), ['clients', 'clock']);
  assert.deepEqual(offered('chancery', 'keys', 'enc'), ['encryption']);
  assert.deepEqual(offered('chancery', 'keys', 'encryption', ''), ['generate', 'rotate']);
  assert.deepEqual(offered('chancery', 'clients', 'list', '--j'), ['--json']);
  assert.deepEqual(offered('chancery', 'clients', 'list', '--mode', ''), ['development', 'production']);
});

test('bash offers files, and no word of ours, where an operand is due', () => {
  assert.deepEqual(offered('chancery', 'clients', 'create', ''), []);
  assert.deepEqual(offered('chancery', 'unknown', ''), []);
});

test('bash completes every command up to its options', () => {
  for (const { words, options } of COMMANDS) {
    const found = offered('chancery', ...words, '--');
    assert.deepEqual(found, [...Object.keys(options).map((name) => `--${name}`), '--help'], words.join(' '));
  }
});

for (const shell of ['zsh', 'fish']) {
  test(`the script for ${shell} names every word of every command, and each summary`, async () => {
    const { code, out } = await script(shell);
    assert.equal(code, 0);
    for (const { words, summary } of COMMANDS) {
      for (const word of words) assert.match(out, new RegExp(`\\b${word}\\b`, 'u'));
      if (words.length > 1)
        assert.ok(
          out.includes(summary.replaceAll("'", '’').replaceAll(':', shell === 'zsh' ? '\\:' : ':')),
          summary,
        );
    }
  });
}

test('an unknown shell is refused with the ones that there are, exit code 2', async () => {
  const { code, err } = await script('tcsh');
  assert.deepEqual([code, err], [2, 'chancery completion: SHELL must be bash, zsh or fish, found "tcsh"']);
});

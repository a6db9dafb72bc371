import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { SettingsError } from '../config/settings-error.ts';
import { openPages } from '../pages/liquid-pages.ts';
import { compileSchema } from '../system/schema-compiler.ts';
import { ACCOUNTS, DETAIL_SETTINGS } from '../testing/authorization-details.ts';
import { DEFAULTS } from '../testing/tenant.ts';
import { openDetailTypes } from './detail-types.ts';
import { openPagesOf } from './sign-in.ts';

function problemOf(act: () => unknown): string {
  try {
    act();
  } catch (failure) {
    assert.ok(failure instanceof SettingsError, String(failure));
    return failure.problems.map(({ path, rule }) => `${path}: ${rule}`).join('\n');
  }
  return '';
}

test('a pattern that cannot be matched in linear time stops the start, with its type', () => {
  const types = [ACCOUNTS, { type: 'a', schema: { properties: { b: { pattern: '(?<=a)b' } } } }];
  const settings = { ...DEFAULTS, 'authorization-details.types': types };
  assert.match(
    problemOf(() => openDetailTypes(settings, { compileSchema })),
    /^authorization-details\.types\[1\]\.schema: pattern \(\?<=a\)b cannot be used: /,
  );
});

// H-636
test('a theme whose consent page does not show details stops the start where there are types: people would agree to what they do not see', () => {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-theme-'));
  try {
    mkdirSync(join(folder, 'templates'));
    writeFileSync(join(folder, 'templates/consent.liquid'), '<p>{{ page.client.name }}</p>');
    const settings = { ...DEFAULTS, 'pages.theme': folder };
    assert.equal(
      problemOf(() => openPagesOf(settings, { openPages })),
      '',
    );
    assert.match(
      problemOf(() => openPagesOf({ ...settings, ...DETAIL_SETTINGS }, { openPages })),
      /^pages\.theme: cannot be used: consent\.liquid does not show page\.details/,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { missingLibraries, missingLibrariesMessage } from './missing-libraries.ts';
import { unpackedChromium } from './unpacked-chromium.ts';

test('a library that the system lacks is found, and the npm Chromium with its own folder lacks none', async (t) => {
  const { folder, environment } = await unpackedChromium();
  assert.deepEqual(await missingLibraries(folder, environment), []);
  const broken = mkdtempSync(join(tmpdir(), 'chancery-libraries-'));
  t.after(() => rmSync(broken, { recursive: true }));
  mkdirSync(join(broken, 'lib'));
  symlinkSync(join(folder, 'chromium'), join(broken, 'chromium'));
  const library = readFileSync(join(folder, 'lib/libsoftokn3.so'), 'latin1');
  const needsAnother = library.replaceAll('libsqlite3.so.0', 'libabsent1.so.0');
  assert.notEqual(needsAnother, library);
  writeFileSync(join(broken, 'lib/libsoftokn3.so'), needsAnother, 'latin1');
  assert.deepEqual(await missingLibraries(broken, environment), ['libabsent1.so.0']);
});

test('the message names the missing library and its Debian package in one line', () => {
  assert.equal(
    missingLibrariesMessage(['libsqlite3.so.0']),
    'the npm Chromium needs libsqlite3.so.0, which this system lacks (on Debian and Ubuntu: apt-get install libsqlite3-0)',
  );
  assert.equal(
    missingLibrariesMessage(['libunknown.so.1']),
    'the npm Chromium needs libunknown.so.1, which this system lacks',
  );
});

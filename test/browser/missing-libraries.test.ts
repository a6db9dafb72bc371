import assert from 'node:assert/strict';
import { test } from 'node:test';
import { missingLibraries, missingLibrariesMessage } from './missing-libraries.ts';
import { unpackedChromium } from './unpacked-chromium.ts';

test('the npm Chromium lacks no library with its own folder, and NSS without it', async () => {
  const { folder, environment } = await unpackedChromium();
  assert.deepEqual(await missingLibraries(folder, environment), []);
  const missing = await missingLibraries(folder, {});
  assert.ok(missing.includes('libnssutil3.so'), missing.join());
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

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientAddressBehind } from './client-address.ts';

const behind = clientAddressBehind(['10.0.0.0/8', 'fd00::/8']);
const PROXY = '10.0.0.1';
const CLIENT = '192.0.2.7';

/** Headers of a trusted proxy, and the address of the client that follows from each. */
const FORWARDED: readonly (readonly [header: string, client: string])[] = [
  [CLIENT, CLIENT],
  [`  ${CLIENT}  `, CLIENT],
  [`198.51.100.1, ${CLIENT}`, CLIENT],
  [`198.51.100.1,${CLIENT},10.9.9.9`, CLIENT],
  [`198.51.100.1, ${CLIENT}, 10.9.9.9, fd00::5`, CLIENT],
  ['10.9.9.9', '10.9.9.9'],
  ['10.8.8.8, 10.9.9.9', '10.8.8.8'],
  ['2001:db8::1', '2001:db8::1'],
  ['[2001:db8::1]:443', '2001:db8::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  [`${CLIENT}:51234`, CLIENT],
  [`198.51.100.1, ${CLIENT}:51234, 10.9.9.9:80`, CLIENT],
  [`${CLIENT}, ::ffff:10.9.9.9`, CLIENT],
  [`${CLIENT}, ::ffff:a09:909`, CLIENT],
];

for (const [header, client] of FORWARDED) {
  test(`X-Forwarded-For "${header}" from a trusted proxy: the client is ${client}`, () => {
    for (const peer of [PROXY, `::ffff:${PROXY}`, 'fd12::1']) assert.equal(behind(peer, header), client);
  });
}

/** A malformed entry ends the search: the nearest valid address counts. */
const HOSTILE: readonly (readonly [header: string, client: string])[] = [
  ['', PROXY],
  [' ', PROXY],
  [',', PROXY],
  [`${CLIENT},`, PROXY],
  ['unknown', PROXY],
  ['_hidden', PROXY],
  ['"192.0.2.7"', PROXY],
  ['192.0.2.7 198.51.100.1', PROXY],
  ['192.0.2', PROXY],
  ['192.0.2.256', PROXY],
  ['0300.0.2.7', PROXY],
  ['0xc0000207', PROXY],
  ['192.0.2.7:', PROXY],
  ['192.0.2.7:123456', PROXY],
  ['[192.0.2.7', PROXY],
  ['[2001:db8::1', PROXY],
  ['[]:1', PROXY],
  ['for=192.0.2.7', PROXY],
  ['192.0.2.7/24', PROXY],
  ['１９２.0.2.7', PROXY],
  ['__proto__', PROXY],
  [`${CLIENT}, x, 10.9.9.9`, '10.9.9.9'],
  [`${','.repeat(16_000)}${CLIENT}`, CLIENT],
  [`${'203.0.113.9, '.repeat(1000)}${CLIENT}`, CLIENT],
];

for (const [header, client] of HOSTILE) {
  test(`X-Forwarded-For "${header.slice(0, 40)}" of ${header.length} characters: the client is ${client}`, () => {
    assert.equal(behind(PROXY, header), client);
  });
}

test('X-Forwarded-For is ignored from a peer that is not a trusted proxy, and from all if none is configured', () => {
  for (const peer of [CLIENT, '11.0.0.1', '::ffff:192.0.2.7', 'fe80::1', '']) {
    assert.equal(behind(peer, '203.0.113.9'), peer);
    assert.equal(clientAddressBehind([])(peer, '203.0.113.9'), peer);
  }
  assert.equal(behind(PROXY, undefined), PROXY);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkOf, shortenedAddress } from './ip-address.ts';

const SAME: readonly (readonly [one: string, other: string])[] = [
  ['192.0.2.1', '::ffff:192.0.2.1'],
  ['192.0.2.1', '::FFFF:192.0.2.1'],
  ['2001:db8:0:1::1', '2001:db8:0:1:ffff:ffff:ffff:ffff'],
  ['2001:db8:0:1::1', '2001:0DB8:0000:0001::2'],
  ['2001:db8::1', '2001:db8:0:0:0:0:0:2'],
  ['fe80::1%eth0', 'fe80::2'],
  ['::1', '::2'],
  ['192.0.2.1', '::ffff:c000:201'],
  ['192.0.2.1', '::FFFF:C000:0201'],
  ['192.0.2.1', '0:0:0:0:0:ffff:192.0.2.1'],
  ['192.0.2.1', '0000:0000:0000:0000:0000:ffff:c000:0201'],
  ['0.0.0.0', '::ffff:0:0'],
  ['2001:db8:1:2::', '2001:db8:1:2:3:4:5.6.7.8'],
  ['2001:db8::1:0:0:1', '2001:db8:0:0:1::1'],
  ['2001:db8:0:1:2:3:4::', '2001:db8::1:2:3:4:5'],
];

for (const [one, other] of SAME) {
  test(`${one} and ${other} are counted as one network`, () => {
    assert.equal(networkOf(one), networkOf(other));
  });
}

const DIFFERENT: readonly (readonly [one: string, other: string])[] = [
  ['192.0.2.1', '192.0.2.2'],
  ['2001:db8:0:1::1', '2001:db8:0:2::1'],
  ['2001:db8::1', '2001:db9::1'],
  ['::1', '192.0.2.1'],
  ['1::', '::1'],
  ['::ffff:c000:201', '::ffff:c000:202'],
  ['::ffff:c000:201', '::c000:201'],
  ['2001:db8:1::', '2001:db8::1:0:0:0:0'],
  ['', '::'],
];

for (const [one, other] of DIFFERENT) {
  test(`${one} and ${other} are different networks`, () => {
    assert.notEqual(networkOf(one), networkOf(other));
  });
}

const SHORTENED: readonly (readonly [address: string, ipv4: number, ipv6: number, short: string])[] = [
  ['192.0.2.77', 32, 128, '192.0.2.77'],
  ['192.0.2.77', 24, 128, '192.0.2.0/24'],
  ['192.0.2.77', 20, 48, '192.0.0.0/20'],
  ['255.255.255.255', 0, 48, '0.0.0.0/0'],
  ['192.0.2.77', 32, 48, '192.0.2.77'],
  ['::ffff:192.0.2.77', 24, 48, '192.0.2.0/24'],
  ['2001:db8:1:2:3:4:5:6', 24, 48, '2001:db8:1::/48'],
  ['2001:db8:1:2:3:4:5:6', 24, 52, '2001:db8:1::/52'],
  ['2001:db8:1:ffff::6', 24, 57, '2001:db8:1:ff80::/57'],
  ['fe80::1%eth0', 24, 64, 'fe80::/64'],
  ['2001:db8::1', 24, 128, '2001:db8::1'],
  ['192.0.2.0/24', 24, 48, '192.0.2.0/24'],
  ['a stranger', 24, 48, 'a stranger'],
  ['', 24, 48, ''],
];

for (const [address, ipv4, ipv6, short] of SHORTENED) {
  test(`with ${ipv4} and ${ipv6} bits the log holds ${short || 'nothing'} of ${address || 'no address'}`, () => {
    assert.equal(shortenedAddress(address, { ipv4, ipv6 }), short);
  });
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NetworkList, specialUse } from './special-use.ts';

const PUBLIC = [
  '1.0.0.0',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.0',
  '169.253.255.255',
  '169.255.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '192.0.1.0',
  '192.167.255.255',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '2001:200::1',
  '2606:4700::1111',
  '2a00:1450:4001:800::200e',
];

const SPECIAL: readonly (readonly [string, RegExp])[] = [
  ['0.0.0.0', /This network/u],
  ['10.255.255.255', /Private-Use/u],
  ['100.64.0.0', /Shared/u],
  ['100.127.255.255', /Shared/u],
  ['127.255.255.255', /Loopback/u],
  ['168.63.129.16', /Azure/u],
  ['169.254.169.254', /Link Local/u],
  ['172.16.0.0', /Private-Use/u],
  ['172.31.255.255', /Private-Use/u],
  ['192.0.0.192', /IETF Protocol/u],
  ['192.168.255.255', /Private-Use/u],
  ['198.19.255.255', /Benchmarking/u],
  ['224.0.0.1', /Multicast/u],
  ['240.0.0.0', /Reserved/u],
  ['255.255.255.255', /Limited Broadcast/u],
  ['::', /Unspecified/u],
  ['::1', /Loopback/u],
  ['::7f00:1', /IPv4-compatible/u],
  ['::ffff:8.8.8.8', /IPv4-mapped/u],
  ['::ffff:0:7f00:1', /IPv4-translated/u],
  ['64:ff9b::7f00:1', /IPv4-IPv6 Translation/u],
  ['64:ff9b:1::1', /IPv4-IPv6 Translation/u],
  ['100::1', /Discard-Only/u],
  ['2001::1', /Teredo/u],
  ['2001:1ff::1', /IETF Protocol/u],
  ['2001:db8::1', /Documentation/u],
  ['2002:7f00:1::', /6to4/u],
  ['3fff::1', /Documentation/u],
  ['4000::1', /outside Global Unicast/u],
  ['5f00::1', /Segment Routing/u],
  ['fd00:ec2::254', /Unique-Local/u],
  ['fe80::1', /Link-Local/u],
  ['fe80::1%lo', /Link-Local/u],
  ['fec0::1', /Site-Local/u],
  ['ff02::1', /Multicast/u],
  ['localhost', /not an IP address/u],
];

test('public addresses have no special use, up to the edge of every network (RFC 6890)', () => {
  assert.deepEqual(
    PUBLIC.filter((address) => specialUse(address) !== undefined),
    [],
  );
});

for (const [address, name] of SPECIAL) {
  test(`${address} is of special use and says which (RFC 6890)`, () => {
    assert.match(specialUse(address) ?? 'public', name);
  });
}

test('a network of one family contains no address of the other, nor IPv4-mapped ones', () => {
  const mapped = new NetworkList(['::ffff:0:0/96']);
  const loopback = new NetworkList(['127.0.0.0/8']);
  assert.deepEqual([mapped.has('127.0.0.1'), mapped.has('::ffff:7f00:1')], [false, true]);
  assert.deepEqual([loopback.has('127.0.0.1'), loopback.has('::ffff:7f00:1')], [true, false]);
});

test('NetworkList throws for a text that is not in CIDR notation', () => {
  for (const text of ['10.0.0.0', '10.0.0.0/33', '10.0/8', '::/129', 'fe80::%lo/10', '']) {
    assert.throws(() => new NetworkList([text]), TypeError, text);
  }
});

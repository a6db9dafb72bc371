import { BlockList, isIP } from 'node:net';
import { parseIpNetwork } from '../spec/ip-network.ts';

/**
 * Networks without public hosts: those of the IANA special-purpose registries (RFC 6890 and its updates) under their names
 * there, the ranges that wrap an IPv4 address, and special addresses of cloud platforms. The first row that contains an
 * address names it.
 */
const SPECIAL_USE: readonly (readonly [network: string, name: string])[] = [
  ['0.0.0.0/8', 'This network (RFC 791 §3.2)'],
  ['10.0.0.0/8', 'Private-Use (RFC 1918)'],
  ['100.64.0.0/10', 'Shared Address Space (RFC 6598)'],
  ['127.0.0.0/8', 'Loopback (RFC 1122 §3.2.1.3)'],
  ['168.63.129.16/32', 'host agent of the Azure platform'],
  ['169.254.0.0/16', 'Link Local (RFC 3927)'],
  ['172.16.0.0/12', 'Private-Use (RFC 1918)'],
  ['192.0.0.0/24', 'IETF Protocol Assignments (RFC 6890 §2.1)'],
  ['192.0.2.0/24', 'Documentation, TEST-NET-1 (RFC 5737)'],
  ['192.31.196.0/24', 'AS112-v4 (RFC 7535)'],
  ['192.52.193.0/24', 'AMT (RFC 7450)'],
  ['192.88.99.0/24', 'Deprecated, 6to4 Relay Anycast (RFC 7526)'],
  ['192.168.0.0/16', 'Private-Use (RFC 1918)'],
  ['192.175.48.0/24', 'Direct Delegation AS112 Service (RFC 7534)'],
  ['198.18.0.0/15', 'Benchmarking (RFC 2544)'],
  ['198.51.100.0/24', 'Documentation, TEST-NET-2 (RFC 5737)'],
  ['203.0.113.0/24', 'Documentation, TEST-NET-3 (RFC 5737)'],
  ['224.0.0.0/4', 'Multicast (RFC 5771)'],
  ['255.255.255.255/32', 'Limited Broadcast (RFC 8190)'],
  ['240.0.0.0/4', 'Reserved (RFC 1112 §4)'],

  ['::/128', 'Unspecified Address (RFC 4291)'],
  ['::1/128', 'Loopback Address (RFC 4291)'],
  ['::ffff:0:0/96', 'IPv4-mapped Address (RFC 4291)'],
  ['::ffff:0:0:0/96', 'IPv4-translated Address (RFC 2765)'],
  ['::/96', 'IPv4-compatible Address, deprecated (RFC 4291 §2.5.5.1)'],
  ['64:ff9b::/96', 'IPv4-IPv6 Translation (RFC 6052)'],
  ['64:ff9b:1::/48', 'IPv4-IPv6 Translation (RFC 8215)'],
  ['100::/64', 'Discard-Only Address Block (RFC 6666)'],
  ['100:0:0:1::/64', 'Dummy IPv6 Prefix (RFC 9780)'],
  ['2001::/23', 'IETF Protocol Assignments, Teredo among them (RFC 2928)'],
  ['2001:db8::/32', 'Documentation (RFC 3849)'],
  ['2002::/16', '6to4 (RFC 3056)'],
  ['2620:4f:8000::/48', 'Direct Delegation AS112 Service (RFC 7534)'],
  ['3ffe::/16', '6bone, returned (RFC 3701)'],
  ['3fff::/20', 'Documentation (RFC 9637)'],
  ['5f00::/16', 'Segment Routing (SRv6) SIDs (RFC 9602)'],
  ['fc00::/7', 'Unique-Local (RFC 4193)'],
  ['fe80::/10', 'Link-Local Unicast (RFC 4291)'],
  ['fec0::/10', 'Site-Local Unicast, deprecated (RFC 3879)'],
  ['ff00::/8', 'Multicast (RFC 4291 §2.7)'],
  // IANA assigns "Global Unicast" addresses from 2000::/3 only (RFC 4291 §2.4, and its registry).
  ['::/3', 'outside Global Unicast'],
  ['4000::/2', 'outside Global Unicast'],
  ['8000::/1', 'outside Global Unicast'],
];

/**
 * A set of networks, with one list per address family. A BlockList compares an IPv4 address with IPv6 networks as if it were
 * IPv4-mapped, so `::ffff:0:0/96` would contain every IPv4 address.
 */
export class NetworkList {
  readonly #lists = { ipv4: new BlockList(), ipv6: new BlockList() };

  /** @throws TypeError if a network is not in CIDR notation */
  constructor(networks: readonly string[]) {
    for (const network of networks) {
      const parsed = parseIpNetwork(network);
      if (parsed === undefined) throw new TypeError(`${network} is not a network in CIDR notation`);
      this.#lists[parsed.family].addSubnet(parsed.address, parsed.prefix, parsed.family);
    }
  }

  has(address: string): boolean {
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    return this.#lists[family].check(address, family);
  }
}

const ROWS = SPECIAL_USE.map(([network, name]) => ({
  list: new NetworkList([network]),
  words: `${name}, ${network}`,
}));

/** Returns the purpose that an IP address is reserved for; undefined if a public host may have it. */
export function specialUse(address: string): string | undefined {
  if (isIP(address) === 0) return 'not an IP address';
  return ROWS.find(({ list }) => list.has(address))?.words;
}

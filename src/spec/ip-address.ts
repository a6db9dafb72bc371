import { isIPv4 } from 'node:net';

const IPV4_MAPPED = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;

/**
 * The network that an address belongs to when limits are counted: an IPv4 address itself, the /64 of an IPv6 address
 * (a subscriber has at least one, and all of it), an IPv4-mapped address as the IPv4 address it is.
 */
export function networkOf(address: string): string {
  const ipv6 = canonicalIpv6(address);
  if (ipv6 === undefined) return address;
  const [, high, low] = IPV4_MAPPED.exec(ipv6) ?? [];
  if (high === undefined || low === undefined) return groupsOf(ipv6).slice(0, 4).join(':');
  return [high, low]
    .map((group) => Number.parseInt(group, 16))
    .flatMap((group) => [group >> 8, group & 255])
    .join('.');
}

/** The one spelling of RFC 5952 §4, which the URL parser knows; without the zone. Undefined for anything else. */
function canonicalIpv6(address: string): string | undefined {
  const [unzoned = ''] = address.split('%', 1);
  return unzoned.includes(':') ? URL.parse(`http://[${unzoned}]`)?.hostname.slice(1, -1) : undefined;
}

/** The eight groups of a canonical address. */
function groupsOf(address: string): readonly string[] {
  const [before = [], after] = address
    .split('::')
    .map((half) => half.split(':').filter((group) => group !== ''));
  if (after === undefined) return before;
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => '0'), ...after];
}

/**
 * The octets of an address in network byte order, 4 or 16: what RFC 5280 §4.2.1.6 puts into a certificate.
 * @returns undefined for anything but an IPv4 address in dotted decimals, or an IPv6 address without zone
 */
export function ipAddressOctets(address: string): Uint8Array | undefined {
  if (isIPv4(address)) return Uint8Array.from(address.split('.'), Number);
  const canonical = address.includes('%') ? undefined : canonicalIpv6(address);
  if (canonical === undefined) return undefined;
  return Uint8Array.from(
    groupsOf(canonical)
      .map((group) => Number.parseInt(group, 16))
      .flatMap((group) => [group >> 8, group & 255]),
  );
}

import { isIPv4 } from 'node:net';

const IPV4_MAPPED = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;

/**
 * Returns the network of an address for rate limits: an IPv4 address itself, or the /64 of an IPv6 address, which one
 * subscriber usually owns. An IPv4-mapped address counts as its IPv4 address.
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

/** Returns the canonical spelling (RFC 5952 §4), without the zone; undefined for anything else. */
function canonicalIpv6(address: string): string | undefined {
  const [unzoned = ''] = address.split('%', 1);
  return unzoned.includes(':') ? URL.parse(`http://[${unzoned}]`)?.hostname.slice(1, -1) : undefined;
}

/** Returns the eight groups of a canonical address. */
function groupsOf(address: string): readonly string[] {
  const [before = [], after] = address
    .split('::')
    .map((half) => half.split(':').filter((group) => group !== ''));
  if (after === undefined) return before;
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => '0'), ...after];
}

/**
 * Returns the 4 or 16 octets of an address in network byte order, the form in certificates (RFC 5280 §4.2.1.6).
 * @returns undefined unless it is an IPv4 address in dotted decimals or an IPv6 address without zone
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

const IPV4_BITS = 32;
const IPV6_BITS = 128;

/**
 * Returns an address with its first bits only, such as `192.0.2.0/24` or `2001:db8:1::/48`; whole if all of its bits are
 * kept. An IPv4-mapped address counts as its IPv4 address. Any other text is returned as it is.
 */
export function shortenedAddress(
  address: string,
  { ipv4, ipv6 }: { readonly ipv4: number; readonly ipv6: number },
): string {
  if (ipv4 === IPV4_BITS && ipv6 === IPV6_BITS) return address;
  const canonical = canonicalIpv6(address);
  const text = canonical !== undefined && IPV4_MAPPED.test(canonical) ? networkOf(address) : address;
  const octets = ipAddressOctets(text.split('%', 1)[0] ?? '');
  if (octets === undefined) return address;
  const bits = octets.length === 4 ? ipv4 : ipv6;
  if (bits === octets.length * 8) return address;
  const kept = octets.map((octet, index) => octet & ~(0xff >> Math.min(8, Math.max(0, bits - index * 8))));
  return `${octets.length === 4 ? kept.join('.') : ipv6Text(kept)}/${bits}`;
}

function ipv6Text(octets: Uint8Array): string {
  const groups = Array.from({ length: 8 }, (_, index) =>
    (((octets[2 * index] ?? 0) << 8) | (octets[2 * index + 1] ?? 0)).toString(16),
  );
  return canonicalIpv6(groups.join(':')) ?? groups.join(':');
}

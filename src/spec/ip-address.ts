const IPV4 = /^(?:::ffff:)?(\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3})$/i;

/**
 * The network that an address belongs to when limits are counted: an IPv4 address itself, the /64 of an IPv6 address
 * (a subscriber has at least one, and all of it), an IPv4-mapped address as the IPv4 address it is.
 */
export function networkOf(address: string): string {
  const ipv4 = IPV4.exec(address)?.[1];
  if (ipv4 !== undefined) return ipv4;
  return groupsOf(address).slice(0, 4).join(':');
}

/** The eight groups of an IPv6 address, without leading zeros. */
function groupsOf(address: string): readonly string[] {
  const [head = '', tail] = address.toLowerCase().split('%', 1)[0]?.split('::') ?? [];
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0');
  return [...before, ...(tail === undefined ? [] : zeros), ...after].map((group) =>
    group.replace(/^0+(?=.)/, ''),
  );
}

import { BlockList, isIP } from 'node:net';

/** Finds the address that a request came from. */
export type ClientAddress = (peer: string, forwardedFor: string | undefined) => string;

/** An address with a port, as some proxies write it; an IPv6 address then has brackets. */
const HOP = /^(?:\[([0-9A-Fa-f:.]+)\](?::\d{1,5})?|(\d[\d.]*):\d{1,5})$/;

/**
 * Returns a function that finds the client's address: the peer's, or behind a trusted proxy the right-most address of
 * `X-Forwarded-For` that is not a trusted proxy. Clients can forge everything further left.
 * @param trustedProxies networks in CIDR notation.
 */
export function clientAddressBehind(trustedProxies: readonly string[]): ClientAddress {
  if (trustedProxies.length === 0) return (peer) => peer;
  const isTrusted = trustedPeer(trustedProxies);
  return (peer, forwardedFor) => {
    if (forwardedFor === undefined || !isTrusted(peer)) return peer;
    let nearest = peer;
    for (const hop of forwardedFor.split(',').reverse()) {
      const address = addressOf(hop.trim());
      if (isIP(address) === 0) return nearest;
      nearest = address;
      if (!isTrusted(address)) return address;
    }
    return nearest;
  };
}

/** Returns a function that tells whether an address is in one of these networks (CIDR notation). */
export function trustedPeer(networks: readonly string[]): (address: string) => boolean {
  const trusted = new BlockList();
  for (const network of networks) {
    const [address = '', prefix = ''] = network.split('/');
    trusted.addSubnet(address, Number(prefix), address.includes(':') ? 'ipv6' : 'ipv4');
  }
  return (address) => isIP(address) !== 0 && trusted.check(address, address.includes(':') ? 'ipv6' : 'ipv4');
}

function addressOf(hop: string): string {
  const [, ipv6, ipv4] = HOP.exec(hop) ?? [];
  return ipv6 ?? ipv4 ?? hop;
}

import { isIP } from 'node:net';

export interface IpNetwork {
  readonly address: string;
  /** In bits. */
  readonly prefix: number;
  readonly family: 'ipv4' | 'ipv6';
}

const CIDR = /^([0-9A-Fa-f:.]+)\/(0|[1-9][0-9]{0,2})$/;

/** Reads the CIDR notation (RFC 4632 §3.1, RFC 4291 §2.3); undefined for anything else. */
export function parseIpNetwork(text: string): IpNetwork | undefined {
  const [, address = '', digits = ''] = CIDR.exec(text) ?? [];
  const version = isIP(address);
  const prefix = Number(digits);
  if (version === 0 || prefix > (version === 4 ? 32 : 128)) return undefined;
  return { address, prefix, family: version === 4 ? 'ipv4' : 'ipv6' };
}

/** Returns whether a network is narrow enough to be private: `0.0.0.0/0` is the whole internet. */
export function isAllowableNetwork(text: string): boolean {
  const network = parseIpNetwork(text);
  return network !== undefined && network.prefix >= (network.family === 'ipv4' ? 8 : 7);
}

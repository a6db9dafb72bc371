import type { Endpoint } from '../endpoints/contract.ts';

/** The endpoints of one issuer, ready to be put behind a host. */
export interface Site {
  /** For the log. */
  readonly tenant?: string;
  /** The path of the issuer without a trailing slash: `''` or `/c2`. */
  readonly issuerPath: string;
  /** Their contracts' paths hang below `issuerPath`. */
  readonly endpoints: readonly Endpoint[];
  /** Their contracts' paths are absolute, as RFC 8414 §3.1 puts the well-known string before the issuer's path. */
  readonly endpointsOutsideIssuer?: readonly Endpoint[];
  /** Origins that `cors: 'configured'` endpoints answer; compared exactly (RFC 6454 §6.2 serialisation). */
  readonly allowedOrigins: readonly string[];
}

/** Called once per response. `name` is the contract's name, or `edge` where no endpoint was reached. */
export type Observe = (name: string, status: number, seconds: number) => void;

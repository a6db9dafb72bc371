import { lookup } from 'node:dns/promises';
import { hostname } from 'node:os';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { type CertificateAuthority, certificateAuthority } from '../tls/certificate.ts';

/** This machine under a name that is not a loopback name, with a certificate for that name and for 127.0.0.1. */
export interface OwnName {
  /** Websites of the implicit grant must have such a name (OpenID Connect Dynamic Client Registration 1.0 §2). */
  readonly host: string;
  /** A loopback address. */
  readonly address: string;
  readonly authority: CertificateAuthority;
  readonly key: string;
  readonly cert: string;
}

/**
 * Makes a certificate for this machine's own name, and makes this process trust it.
 *
 * @returns why there is none: the name leads elsewhere
 */
export async function ownName(): Promise<OwnName | string> {
  const host = hostname();
  const found = await lookup(host, { family: 4 }).catch(() => undefined);
  if (found?.address.startsWith('127.') !== true)
    return `the name of this machine, ${host}, does not lead to a loopback address`;
  const authority = certificateAuthority();
  setDefaultCACertificates([...getCACertificates('default'), authority.certificate]);
  return {
    host,
    address: found.address,
    authority,
    ...authority.issue({ names: [host], addresses: ['127.0.0.1'] }),
  };
}

import { lookup } from 'node:dns/promises';
import { connect, type Socket } from 'node:net';
import { hostname } from 'node:os';
import { createServer, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { listeningPort } from '../../src/testing/listening-port.ts';
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

/** Puts TLS in front of a website on this machine, as a proxy does. */
export async function startTlsProxy(
  { host, address, key, cert }: OwnName,
  port: number,
): Promise<{ readonly base: string; readonly stop: () => Promise<void> }> {
  const open = new Set<Socket>();
  const server = createServer({ key, cert }, (client) => {
    open.add(client);
    client.once('close', () => open.delete(client));
    const website = connect(port, 'localhost');
    client.pipe(website).pipe(client);
    client.on('error', () => website.destroy());
    website.on('error', () => client.destroy());
  });
  return {
    base: `https://${host}:${await listeningPort(server.listen(0, address))}`,
    stop: async () => {
      for (const client of open) client.destroy();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

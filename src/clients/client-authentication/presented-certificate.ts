import { type Certificate, readCertificate } from '../../keys/certificate.ts';
import type { ClientCertificate } from '../../spec/client-certificate.ts';

/** A connection shows the same certificate with each of its requests: it is read once. */
const read = new WeakMap<ClientCertificate, Certificate>();

/** What a presented certificate says; undefined where it cannot be read. */
export function certificateOf(presented: ClientCertificate): Certificate | undefined {
  const known = read.get(presented);
  if (known !== undefined) return known;
  const certificate = readCertificate(presented.der);
  if (certificate !== undefined) read.set(presented, certificate);
  return certificate;
}

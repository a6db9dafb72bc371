import {
  type CertificateAuthority,
  CLIENT_AUTHENTICATION,
  certificateAuthority,
  derOf,
  type Subject,
  type TlsIdentity,
} from '../../test/tls/certificate.ts';
import type { ClientCertificate } from '../spec/client-certificate.ts';
import type { ClientInformation, TestTenant } from './tenant.ts';

export const AUTHORITY: CertificateAuthority = certificateAuthority();

/** The parts of a client certificate that a certification authority writes. */
export const SUBJECT: Subject = {
  subject: [[['2.5.4.6', 'GB']], [['2.5.4.10', 'Example, Ltd']], [['2.5.4.3', 'client']]],
  names: ['client.example'],
  uris: ['urn:example:client'],
  emails: ['client@example.com'],
  addresses: ['192.0.2.1', Buffer.from('20010db8000000000000000000000001', 'hex')],
  purposes: [CLIENT_AUTHENTICATION],
  keyUsage: 0x80,
};

/** As the listener gives it, whose own check found `problem`. */
export function shown(identity: TlsIdentity, problem?: string): ClientCertificate {
  return { der: derOf(identity), chain: { problem, intermediates: [] } };
}

/** As a proxy passes it on, with the authorities between. */
export function passedOn(identity: TlsIdentity, ...intermediates: string[]): ClientCertificate {
  const ders = intermediates.map((cert) => derOf({ cert }));
  return { der: derOf(identity), chain: { problem: undefined, intermediates: ders } };
}

export async function certifiedClient(
  tenant: TestTenant,
  metadata: object = { tls_client_auth_san_dns: 'client.example' },
): Promise<ClientInformation> {
  return await tenant.register({
    grant_types: ['client_credentials'],
    token_endpoint_auth_method: 'tls_client_auth',
    ...metadata,
  });
}

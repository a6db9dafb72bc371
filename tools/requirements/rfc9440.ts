import { decided, must, type Specification } from './requirement.ts';

export const rfc9440: Specification = {
  name: 'RFC 9440',
  title: 'Client-Cert HTTP Header Field',
  scope: 'The sentences that bind the origin server. Sanitising requests (§2.4, §4) binds the proxy.',
  requirements: [
    must(
      'rfc9440-2.1-1',
      '§2.1, §2.2',
      'Client-Cert is one byte sequence with the DER of the certificate; no list, and not twice.',
    ),
    must(
      'rfc9440-2.3-1',
      '§2.3',
      'Client-Cert-Chain is a list of byte sequences, possibly over several lines, and comes with Client-Cert only.',
    ),
    decided(
      'rfc9440-2.3-2',
      '§2.3',
      'Whether the chain is validated by the proxy or the origin is up to the deployment.',
      'the origin always does, against listen.tls-client-ca (ADR 12)',
    ),
    must('rfc9440-4-1', '§4', 'The headers are believed from the proxy alone.', 'certificateReader'),
  ],
};

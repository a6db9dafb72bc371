import { decided, must, type Specification } from './requirement.ts';
import { byteSequences, certificateHeader, mutualTls } from './test-files.ts';

export const rfc9440: Specification = {
  title: 'RFC 9440, Client-Cert HTTP Header Field',
  scope: 'What binds the origin server; sanitising requests (§2.4, §4) binds the proxy.',
  requirements: [
    must(
      '§2.1, §2.2',
      'Client-Cert is one byte sequence with the DER of the certificate; no list, and not twice.',
      byteSequences('a byte sequence is base64 between colons', '… is no byte sequence'),
      certificateHeader(
        'the certificate that a trusted proxy passes on',
        'Client-Cert from a trusted proxy, …: 400',
      ),
    ),
    must(
      '§2.3',
      'Client-Cert-Chain is a list of byte sequences, possibly over several lines, and comes with Client-Cert only.',
      byteSequences('a list of byte sequences'),
      certificateHeader('the chain that a proxy passes on', 'Client-Cert from a trusted proxy, …: 400'),
    ),
    decided(
      '§2.3',
      'Whether the chain is validated by the proxy or the origin is up to the deployment.',
      'the origin always does, against listen.tls-client-ca (ADR 12)',
      certificateHeader('the chain that a proxy passes on'),
    ),
    must(
      '§4',
      'The headers are believed from the proxy alone.',
      certificateHeader('the same header from a peer that is no trusted proxy'),
      mutualTls('a Client-Cert header that no trusted proxy sent'),
    ),
  ],
};

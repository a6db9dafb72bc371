import { createHash, randomUUID, X509Certificate } from 'node:crypto';
import { type Check, expect, expectSame, present, shown, strings, text } from '../verdict.ts';
import type { Json } from '../world.ts';
import { parForm } from './fapi-request.ts';
import { readJwt } from './keys.ts';

/** Conditions of the FAPI 2.0 modules with certificates of clients (RFC 8705). */

export const FAPI_MTLS = {
  /** The addresses where the provider asks for certificates take the place of the others. */
  AddMTLSEndpointAliasesToEnvironment(world) {
    const aliases = world.server['mtls_endpoint_aliases'];
    expect(typeof aliases === 'object' && aliases !== null, `mtls_endpoint_aliases is ${shown(aliases)}`);
    world.server = { ...world.server, ...(aliases as Json) };
  },
  CheckTLSClientCertificateBoundAccessTokensTrue: ({ server }) =>
    expectSame(
      server['tls_client_certificate_bound_access_tokens'],
      true,
      'tls_client_certificate_bound_access_tokens',
    ),
  EnsureServerConfigurationSupportsMTLS({ server }) {
    const methods = strings(server['token_endpoint_auth_methods_supported']);
    const some = methods.some((each) => ['tls_client_auth', 'self_signed_tls_client_auth'].includes(each));
    expect(some, `token_endpoint_auth_methods_supported is ${shown(methods)}`);
  },
  /** The suite takes the certificates of its two clients from its settings; here each client gets a new one. */
  ExtractMTLSCertificatesFromConfiguration(world) {
    const certify = present(world.target.certify, 'authority that issues certificates to clients');
    const name = `${randomUUID()}.client.example`;
    world.certificate = { ...certify(name), name };
  },
  SwitchToFirstMTLSCertificate(world) {
    world.certificate = present(world.first_client, 'first client').certificate;
  },
  RemoveMTLSCertificates(world) {
    world.certificate = undefined;
  },
  AddClientIdToPAREndpointParameters(world) {
    parForm(world)['client_id'] = text(world.client['client_id'], 'client_id');
  },
  /** A condition of our own: the suite cannot read access tokens. Those of the issuer for certificates are JWTs. */
  EnsureAccessTokenIsBoundToCertificate({ access_token, certificate }) {
    const { claims } = readJwt(present(access_token, 'access token'), 'the access token');
    const { raw } = new X509Certificate(present(certificate, 'certificate').cert);
    const thumbprint = createHash('sha256').update(raw).digest('base64url');
    const cnf = claims['cnf'] as Json | undefined;
    expectSame(cnf?.['x5t#S256'], thumbprint, 'x5t#S256 in cnf');
  },
} satisfies Readonly<Record<string, Check>>;

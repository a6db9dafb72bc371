/** A specification that the repository cites, with its one spelling: `OpenID Connect Core 1.0 §8.1`. */
export interface CitedSpecification {
  readonly name: string;
  /** How the ids of its requirements begin; only specifications with a table have one. */
  readonly prefix?: string;
}

/** All of them but RFCs, which are written `RFC 7662` and whose ids begin with `rfc7662`. */
export const CITED_SPECIFICATIONS: readonly CitedSpecification[] = [
  { name: 'OpenID Connect Core 1.0', prefix: 'openid-core' },
  { name: 'OpenID Connect Dynamic Client Registration 1.0', prefix: 'openid-registration' },
  { name: 'OpenID Connect Discovery 1.0' },
  { name: 'OpenID Connect RP-Initiated Logout 1.0', prefix: 'openid-rp-logout' },
  { name: 'OpenID Connect Back-Channel Logout 1.0', prefix: 'openid-backchannel-logout' },
  { name: 'OpenID Connect Front-Channel Logout 1.0', prefix: 'openid-frontchannel-logout' },
  { name: 'OpenID Connect Core Error Code unmet_authentication_requirements 1.0' },
  { name: 'OpenID Connect Relying Party Metadata Choices 1.0', prefix: 'rp-metadata-choices' },
  { name: 'Initiating User Registration via OpenID Connect 1.0' },
  { name: 'OpenID Connect CIBA Core 1.0', prefix: 'ciba' },
  { name: 'OpenID Shared Signals Framework 1.0', prefix: 'ssf' },
  { name: 'OpenID CAEP 1.0', prefix: 'caep' },
  { name: 'OpenID CAEP Interoperability Profile 1.0', prefix: 'caep-interop' },
  { name: 'OpenID Federation 1.0', prefix: 'openid-federation' },
  { name: 'OpenID Federation 1.1', prefix: 'federation11' },
  { name: 'OpenID Federation for OpenID Connect 1.1', prefix: 'federation-connect11' },
  {
    name: 'draft-ietf-oauth-client-id-metadata-document-02',
    prefix: 'client-id-metadata-document',
  },
  { name: 'draft-ietf-oauth-identity-assertion-authz-grant-01', prefix: 'id-jag' },
  { name: 'draft-parecki-oauth-global-token-revocation-06', prefix: 'global-token-revocation' },
  { name: 'MCP Authorization 2026-07-28', prefix: 'mcp' },
  { name: 'OpenID Foundation conformance suite', prefix: 'openid-conformance' },
  { name: 'OAuth 2.0 Multiple Response Type Encoding Practices', prefix: 'openid-response-types' },
  { name: 'OAuth 2.0 Form Post Response Mode', prefix: 'openid-form-post' },
  { name: 'JARM', prefix: 'jarm' },
  { name: 'FAPI 2.0 Security Profile', prefix: 'fapi2-sp' },
  { name: 'FAPI 2.0 Message Signing', prefix: 'fapi2-ms' },
  { name: 'FAPI 1.0 Advanced' },
  { name: 'GIF89a' },
  { name: 'PNG Third Edition' },
  { name: 'SAML 2.0 Core' },
  { name: 'SAML 2.0 Authentication Context' },
  { name: 'W3C Trace Context' },
  { name: 'XML 1.0' },
  { name: 'Namespaces in XML 1.0' },
  { name: 'Exclusive XML Canonicalization 1.0' },
  { name: 'XML Signature 1.1' },
  { name: 'X.501' },
  { name: 'X.680' },
  { name: 'X.690' },
  { name: 'CSP Level 3' },
  { name: 'ECMA-48' },
  { name: 'NIST SP 800-63B' },
  { name: 'RFC 6265bis' },
  { name: 'SQLite File Format' },
  { name: 'UTS 39' },
  { name: 'WCAG 2.2' },
  { name: 'WHATWG Fetch' },
  { name: 'WHATWG HTML' },
  { name: 'WHATWG URL' },
  { name: 'YAML 1.2' },
];

/** Returns how the ids of a specification's requirements begin, or undefined for one without a table. */
export function idPrefix(name: string): string | undefined {
  const rfc = /^RFC (\d+)$/.exec(name)?.[1];
  return rfc === undefined ? CITED_SPECIFICATIONS.find((each) => each.name === name)?.prefix : `rfc${rfc}`;
}

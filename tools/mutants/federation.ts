import type { Mutant } from './mutant.ts';

/** Faults of trust chains and of assertions of other issuers. */
export const FEDERATION: readonly Mutant[] = [
  {
    name: 'federation-signers-by-kid',
    fault:
      'A verified signature is remembered by the name of its key, so that a key of the same name passes.',
    edits: [
      {
        file: 'src/jose/compact-jws.ts',
        find: 'JSON.stringify([algorithm, publicJwk(key)])',
        replace: "String(key['kid'])",
      },
    ],
    killers: [
      {
        file: 'src/jose/signers.test.ts',
        test: 'a signature that one key made is not another key’s, whatever its kid, and not another algorithm’s (§10.2)',
      },
    ],
  },
  {
    name: 'federation-path-length',
    fault: 'max_path_length is not kept.',
    edits: [
      {
        file: 'src/federation/constraints.ts',
        find: "      return typeof max === 'number' && intermediates > max",
        replace: "      return typeof max === 'number' && intermediates > max + 9",
      },
    ],
    killers: [
      {
        file: 'src/federation/trust-chain/policy-of-a-chain.test.ts',
        test: 'max_path_length counts the intermediates between its issuer and the subject (§6.2.1; H-208)',
      },
    ],
  },
  {
    name: 'federation-excluded-names',
    fault: 'naming_constraints exclude nothing.',
    edits: [
      {
        file: 'src/federation/constraints.ts',
        find: '        return matches(hostname, excluded) || (permitted',
        replace: '        return (excluded === null && matches(hostname, excluded)) || (permitted',
      },
    ],
    killers: [
      {
        file: 'src/federation/trust-chain/policy-of-a-chain.test.ts',
        test: 'of the anchor apply to the intermediate and the subject (§6.2.2; H-208)',
      },
    ],
  },
  {
    name: 'federation-entity-types',
    fault: 'allowed_entity_types are not kept.',
    edits: [
      {
        file: 'src/federation/constraints.ts',
        find: '  if (!isArray(allowed)) return metadata;',
        replace: '  if (!isArray(allowed) || allowed.length >= 0) return metadata;',
      },
    ],
    killers: [
      {
        file: 'src/federation/trust-chain/policy-of-a-chain.test.ts',
        test: 'allowed_entity_types removes types before policies apply, but never federation_entity (§6.2.3)',
      },
    ],
  },
  {
    name: 'federation-chain-expired',
    fault: 'A chain with an expired statement is good.',
    edits: [
      {
        file: 'src/federation/trust-chain/validate-chain.ts',
        find: '        statements.find(({ exp }) => now >= exp),',
        replace: '        statements.find(({ exp }) => now >= exp + 600),',
      },
    ],
    killers: [
      {
        file: 'src/federation/trust-chain/figure-4.test.ts',
        test: 'the trust chain of Figure 4 is valid from its iat until its exp (§4.3)',
      },
    ],
  },
  {
    name: 'federation-anchor-key',
    fault: 'The trust anchor may be signed by a key that it states itself.',
    edits: [
      {
        file: 'src/federation/trust-chain/validate-chain.ts',
        find: '    problem: async (candidate) => await anchorKeyProblem(candidate, -1),',
        replace:
          '    problem: async (candidate) => (candidate.now < 0 ? await anchorKeyProblem(candidate, -1) : undefined),',
      },
    ],
    killers: [
      {
        file: 'src/federation/trust-chain/limits.test.ts',
        test: 'an anchor’s configuration signed with a key of the anchor that the operator did not configure is rejected (§10.2; H-203)',
      },
    ],
  },
  {
    name: 'federation-subordinate-signature',
    fault: 'A subordinate may be signed by any key.',
    edits: [
      {
        file: 'src/federation/trust-chain/validate-chain.ts',
        find: '        if (problem !== undefined) return problem;\n      }\n      return undefined;',
        replace:
          '        if (problem !== undefined && index < 0) return problem;\n      }\n      return undefined;',
      },
    ],
    killers: [
      {
        file: 'src/federation/registration/registration.test.ts',
        test: 'a request signed with a key that the superior does not state: 401 in the interface, invalid_trust_chain in Final (decision 34; H-205)',
      },
    ],
  },
  {
    name: 'federation-statement-expired',
    fault: 'An expired statement is good.',
    edits: [
      {
        file: 'src/federation/statement-checks/time-checks.ts',
        find: "    return now >= exp + CLOCK_SKEW ? 'has expired' : undefined;",
        replace: "    return now >= exp + CLOCK_SKEW + 600 ? 'has expired' : undefined;",
      },
    ],
    killers: [{ file: 'src/federation/examine-statement.test.ts', test: 'trust: statement_expired' }],
  },
  {
    name: 'signed-key-set-of-another-owner',
    fault: 'An entity publishes a key set for another one.',
    edits: [
      {
        file: 'src/clients/client-keys/fetch-jwk-set.ts',
        find: '  if (sub !== entity_id) return',
        replace: "  if (sub === '') return",
      },
    ],
    killers: [
      {
        file: 'src/clients/client-keys/fetch-jwk-set.test.ts',
        test: 'is refused with the reason (OpenID Federation 1.0 §5.2.1)',
      },
    ],
  },
  {
    name: 'signed-key-set-cached-for-all',
    fault: 'A set that another entity signed at the same address is taken from the cache.',
    edits: [
      {
        file: 'src/clients/client-keys/remote-jwk-set.ts',
        find: '  return signer === undefined ? url :',
        replace: '  return signer !== undefined ? url :',
      },
    ],
    killers: [
      {
        file: 'src/endpoints/federation-registration/key-sets.test.ts',
        test: 'a signed key set of another member at the address is not that of the client',
      },
    ],
  },
  {
    name: 'certificate-of-any-key',
    fault: 'Any certificate of a registered key proves a pushed request of an automatic client.',
    edits: [
      {
        file: 'src/clients/client-authentication/mutual-tls.ts',
        find: '(!selfSigned || isCertifiedBy(jwk, presented))',
        replace: "(!selfSigned || jwk['kid'] !== isCertifiedBy.name)",
      },
    ],
    killers: [
      {
        file: 'test/hostile/federation-proof.program.test.ts',
        test: 'H-437 self_signed_tls_client_auth at /par',
      },
    ],
  },
  {
    name: 'saml-reference-unchecked',
    fault: 'The signature of a SAML assertion may cover another element.',
    edits: [
      {
        file: 'src/saml/signature-form.ts',
        find: " || attributeOf(reference, 'URI') !== `#${id}`) return false;",
        replace: " || id === '') return false;",
      },
    ],
    killers: [
      {
        file: 'src/saml/assertion-verifier.test.ts',
        test: 'refused, although it is made by the issuer (SAML 2.0 Core §5.4)',
      },
    ],
  },
  {
    name: 'saml-two-elements-of-one-id',
    fault: 'A SAML assertion may have two elements with one ID.',
    edits: [
      {
        file: 'src/saml/signature-form.ts',
        find: ' || !idsAreUnique(all)) return undefined;',
        replace: ') return undefined;',
      },
    ],
    killers: [
      {
        file: 'src/saml/assertion-verifier.test.ts',
        test: 'two elements with one ID, in any spelling of the attribute: refused (SAML 2.0 Core §5.4.2)',
      },
    ],
  },
  {
    name: 'saml-any-digest',
    fault: 'A SAML digest may be SHA-1.',
    edits: [
      {
        file: 'src/saml/signature-form.ts',
        find: "    DIGESTS.has(attributeOf(method, 'Algorithm') ?? '') &&",
        replace: '    DIGESTS.size > 0 &&',
      },
    ],
    killers: [
      {
        file: 'src/saml/assertion-verifier.test.ts',
        test: 'refused, although it is made by the issuer (SAML 2.0 Core §5.4)',
      },
    ],
  },
  {
    name: 'saml-unsigned-octets',
    fault: 'Unsigned parts of a SAML document are read.',
    edits: [
      {
        file: 'src/saml/assertion-verifier.ts',
        find: '  const signed = parsed(element.signed);',
        replace: '  const signed = parsed(text);',
      },
    ],
    killers: [
      {
        file: 'src/saml/assertion-verifier.test.ts',
        test: 'two elements with one ID, in any spelling of the attribute',
      },
    ],
    survives:
      'The signature form admits only a signature over the whole document: what was sent and what is signed differ in the signature alone. Reading the signed octets is the second lock.',
  },
  {
    name: 'saml-other-spelling',
    fault: 'A second spelling of the same SAML assertion is read.',
    edits: [
      {
        file: 'src/saml/assertion-verifier.ts',
        find: "  const decoded = octets.toString('base64url') === assertion ? utf8Text(octets) : undefined;",
        replace: '  const decoded = utf8Text(octets);',
      },
    ],
    killers: [
      {
        file: 'src/saml/assertion-verifier.test.ts',
        test: 'not canonical base64url of UTF-8: refused (RFC 7522 §2.1)',
      },
    ],
  },
  {
    name: 'saml-weak-algorithm',
    fault: 'Any XML signature algorithm is good.',
    edits: [
      {
        file: 'src/saml/signed-element.ts',
        find: '  return algorithm !== undefined && allowed.includes(algorithm.name) ? algorithm : undefined;',
        replace: '  return algorithm !== undefined && allowed.length > 0 ? algorithm : undefined;',
      },
    ],
    killers: [
      {
        file: 'src/saml/assertion-verifier.test.ts',
        test: 'its signature holds with its key, and not with another key, another algorithm or a changed octet (RFC 9231 §2.3)',
      },
    ],
  },
  {
    name: 'assertion-grant-good-again',
    fault: 'An assertion of a trusted issuer is good again.',
    edits: [
      {
        file: 'src/grants/assertion-grant.ts',
        find: '  const isNew = await replays.rememberOnce(kind, issuer.issuer, digestOf(id), expires_at + clockSkew);',
        replace:
          "  const isNew = (await replays.rememberOnce(kind, issuer.issuer, digestOf(id), expires_at + clockSkew)) || id !== '';",
      },
    ],
    killers: [
      {
        file: 'src/endpoints/token/jwt-bearer.test.ts',
        test: 'an assertion is used once, for as long as it could be, by whichever client (RFC 7523 §3 rule 7)',
      },
    ],
  },
  {
    name: 'assertion-grant-of-any-client',
    fault: 'Any client may present the assertions of an issuer.',
    edits: [
      {
        file: 'src/grants/assertion-grant.ts',
        find: '  if (issuer.clients !== undefined && !issuer.clients.includes(client.stored.client_id)) {',
        replace: "  if (issuer.clients !== undefined && client.stored.client_id === '') {",
      },
    ],
    killers: [
      {
        file: 'src/endpoints/token/jwt-bearer.test.ts',
        test: 'an issuer may be trusted with some clients only: the others’ requests are 400 invalid_grant',
      },
    ],
  },
  {
    name: 'assertion-grant-subject-of-a-client',
    fault: 'An assertion may name a subject that is a client_id.',
    edits: [
      {
        file: 'src/grants/assertion-grant.ts',
        find: '  if ((await needs.clients.find(sub as ClientId)) !== undefined) {',
        replace: '  if ((await needs.clients.find(sub as ClientId)) === null) {',
      },
    ],
    killers: [
      {
        file: 'src/endpoints/token/jwt-bearer.test.ts',
        test: 'a subject that is the client_id of a client here is refused: its token would be mistaken for the client’s own (RFC 9700 §4.15)',
      },
    ],
  },
  {
    name: 'assertion-grant-any-subject',
    fault: 'An issuer may name subjects that it is not configured for.',
    edits: [
      {
        file: 'src/grants/assertion-grant.ts',
        find: '  if (issuer.subjects !== undefined && !issuer.subjects.includes(subject)) {',
        replace: '  if (issuer.subjects !== undefined && issuer.subjects.length === 0) {',
      },
    ],
    killers: [
      {
        file: 'src/endpoints/token/jwt-bearer.test.ts',
        test: 'subjects: an issuer with a list can name the subjects on the list only, compared exactly',
      },
    ],
  },
];

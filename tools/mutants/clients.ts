import type { Mutant } from './mutant.ts';

/** Faults of client authentication, certificates and privileges of clients. */
export const CLIENTS: readonly Mutant[] = [
  {
    name: 'bearer-without-certificate',
    fault: 'A bound bearer token is good without its certificate.',
    edits: [
      {
        file: 'src/tokens/confirmation.ts',
        find: '  return confirmation === undefined || confirms(proven, confirmation);',
        replace: '  return confirmation === undefined || proven !== undefined;',
      },
    ],
    killers: [
      {
        file: 'src/tokens/confirmation.test.ts',
        test: 'a bound token may be used only with its certificate',
      },
    ],
  },
  {
    name: 'confirmation-by-any-certificate',
    fault: 'Every certificate confirms a bound token.',
    edits: [
      {
        file: 'src/tokens/confirmation.ts',
        find: '  return one.length === other.length && timingSafeEqual(one, other);',
        replace: '  return one.length === other.length && timingSafeEqual(one, one);',
      },
    ],
    killers: [
      {
        file: 'src/tokens/confirmation.test.ts',
        test: 'a bound token may be used only with its certificate (RFC 8705 §3)',
      },
    ],
  },
  {
    name: 'assertion-audience-ignored',
    fault: 'A client assertion for another server is good.',
    edits: [
      {
        file: 'src/jose/jwt-verifier.ts',
        find: "  if (!audienceHolds(claims['aud'], profile.audience)) return claimBehind('audience', 'aud', claims);",
        replace:
          "  if (claims['aud'] === undefined && !audienceHolds(claims['aud'], profile.audience)) return claimBehind('audience', 'aud', claims);",
      },
    ],
    killers: [
      { file: 'src/jose/jws-mac.test.ts', test: 'verifyMac checks type, claims and times like verify' },
    ],
  },
  {
    name: 'assertion-never-expires',
    fault: 'An expired JWT is good.',
    edits: [
      {
        file: 'src/jose/jwt-verifier.ts',
        find: "  if (expiredToo !== true && typeof exp === 'number' && now >= exp + clockSkew) return ['expired', 'exp'];",
        replace:
          "  if (expiredToo !== true && typeof exp === 'number' && now >= exp + clockSkew + 600) return ['expired', 'exp'];",
      },
    ],
    killers: [
      { file: 'src/jose/jws-mac.test.ts', test: 'verifyMac checks type, claims and times like verify' },
    ],
  },
  {
    name: 'assertion-issuer-ignored',
    fault: 'A JWT of another issuer is good.',
    edits: [
      {
        file: 'src/jose/jwt-verifier.ts',
        find: "  if (claims['iss'] !== profile.issuer) return claimBehind('issuer', 'iss', claims);\n",
        replace: '',
      },
    ],
    killers: [
      { file: 'src/jose/jws-mac.test.ts', test: 'verifyMac checks type, claims and times like verify' },
    ],
  },
  {
    name: 'assertion-type-ignored',
    fault: 'A JWT of another type is good, such as an ID token.',
    edits: [
      {
        file: 'src/jose/jwt-verifier.ts',
        find: "  return types.includes(mediaSubtype(jws.header['typ'])) ? jws : headerBehind('type', jws.header);",
        replace:
          "  return types.length > 0 || mediaSubtype(jws.header['typ']) === '' ? jws : headerBehind('type', jws.header);",
      },
    ],
    killers: [
      { file: 'src/jose/jws-mac.test.ts', test: 'verifyMac checks type, claims and times like verify' },
    ],
  },
  {
    name: 'assertion-jti-good-again',
    fault: 'A client assertion is good again.',
    edits: [
      {
        file: 'src/clients/client-authentication/client-assertion.ts',
        find: "  return isNew ? undefined : { reason: 'jwt-used',",
        replace: "  return isNew || jti !== '' ? undefined : { reason: 'jwt-used',",
      },
    ],
    killers: [
      {
        file: 'src/endpoints/token/client-assertion.test.ts',
        test: 'an assertion is used once, at whichever endpoint, as long as it could be (decision 18; RFC 7523 §3)',
      },
    ],
  },
  {
    name: 'assertion-sub-of-another',
    fault: 'A client assertion with the sub of another client is good.',
    edits: [
      {
        file: 'src/clients/client-authentication/client-assertion.ts',
        find: "  if (sub !== client_id) return { reason: 'jwt-subject', detail: 'sub is not iss', values: { sub } };\n",
        replace: '',
      },
    ],
    killers: [
      {
        file: 'src/endpoints/token/client-assertion.test.ts',
        test: '401 invalid_client (decision 18; H-150)',
      },
    ],
  },
  {
    name: 'other-authentication-method',
    fault: 'A client authenticates by a method that it is not registered for.',
    edits: [
      {
        file: 'src/clients/client-authentication/authenticate-client.ts',
        find: '  return methods.find((method) => method.place === place && isAccepted(method.name));',
        replace:
          "  return methods.find((method) => method.place === place && (isAccepted(method.name) || method.name.startsWith('client_secret')));",
      },
    ],
    killers: [
      {
        file: 'src/endpoints/token/client-authentication.test.ts',
        test: 'secret-transport registered, and the right secret comes the other way',
      },
    ],
  },
  {
    name: 'two-authentication-methods',
    fault: 'A request with two authentication methods is served.',
    edits: [
      {
        file: 'src/clients/client-authentication/authenticate-client.ts',
        find: '  if (another !== undefined || (place !== undefined && triesBearer(presented))) {',
        replace: '  if (another !== undefined && place === undefined && triesBearer(presented)) {',
      },
    ],
    killers: [
      {
        file: 'src/endpoints/token/client-assertion.test.ts',
        test: 'an assertion beside Basic, a secret in the body or a bearer token is 400, and is not used up (decision 17; RFC 6749 §2.3)',
      },
    ],
  },
  {
    name: 'client-id-beside-credentials',
    fault: 'A request names another client than its credentials.',
    edits: [
      {
        file: 'src/clients/client-authentication/authenticate-client.ts',
        find: '  if (stated !== claimed.client_id)\n',
        replace: "  if (stated === '')\n",
      },
    ],
    killers: [
      {
        file: 'src/endpoints/token/client-assertion.test.ts',
        test: 'client_id beside the assertion: 200 where it is the same, otherwise 401 (RFC 7521 §4.2)',
      },
    ],
  },
  {
    name: 'expired-secret-good',
    fault: 'An expired client secret authenticates.',
    edits: [
      {
        file: 'src/clients/secrets/client-secrets.ts',
        find: '    if (sameDigest(digest, secret.digest) && isLive(secret, now)) found = secret;',
        replace: '    if (sameDigest(digest, secret.digest) && now > 0) found = secret;',
      },
    ],
    killers: [
      {
        file: 'src/endpoints/token/client-authentication.test.ts',
        test: 'an expired secret: 401 from the second on in which it expires (decision 10)',
      },
    ],
  },
  {
    name: 'remembered-secret-outlives-change',
    fault: 'A remembered secret is good after it was replaced.',
    edits: [
      {
        file: 'src/clients/client-authentication/remembered-outcomes.ts',
        find: '): stored is StoredClient => stored?.instance === instance && stored.version === version;',
        replace: '): stored is StoredClient => stored?.instance === instance && version >= 0;',
      },
    ],
    killers: [
      {
        file: 'src/endpoints/token/client-authentication.test.ts',
        test: '401: an authentication that was good once is judged anew each time: secret renewed, client deleted (decisions 9 and 14)',
      },
    ],
  },
  {
    name: 'remembered-secret-outlives-expiry',
    fault: 'A remembered secret is good after its expiry.',
    edits: [
      {
        file: 'src/clients/client-authentication/authenticate-client.ts',
        find: '    isStillAbout(remembered, stored) && isLive(remembered.secret, needs.clock.now())',
        replace: '    isStillAbout(remembered, stored)',
      },
    ],
    killers: [
      {
        file: 'src/clients/secrets/secrets-in-operation.test.ts',
        test: 'a rotated secret works at once, the previous one during its grace period, and the evidence shows which is used',
      },
    ],
  },
  {
    name: 'certificate-chain-unchecked',
    fault: 'A certificate of any authority proves its subject.',
    edits: [
      {
        file: 'src/clients/client-authentication/mutual-tls.ts',
        find: '      clientCertificateProblem(certificate, needs.clock.now()) ?? chainProblem(needs, certificate, presented);',
        replace:
          '      clientCertificateProblem(certificate, needs.clock.now()) ?? (needs === undefined ? chainProblem(needs, certificate, presented) : undefined);',
      },
    ],
    killers: [
      {
        file: 'src/endpoints/token/mutual-tls.test.ts',
        test: 'no certificate, one that cannot be read, one that the listener could not verify: 401, all the same (RFC 8705 §2, decision 19)',
      },
    ],
  },
  {
    name: 'certificate-expired',
    fault: 'An expired certificate authenticates.',
    edits: [
      {
        file: 'src/keys/certificate-path.ts',
        find: "  return now > notAfter ? 'it has expired' : undefined;",
        replace: "  return notAfter < 0 ? 'it has expired' : undefined;",
      },
    ],
    killers: [
      {
        file: 'src/keys/certificate.test.ts',
        test: 'a certificate may authenticate a client while it is valid, unless it is for something else (RFC 5280 §4.2.1.12)',
      },
    ],
  },
  {
    name: 'certificate-name-constraints',
    fault: 'A chain with name constraints is trusted.',
    edits: [
      {
        file: 'src/keys/certificate-path.ts',
        find: '  if (hasNameConstraints) return',
        replace: '  if (hasNameConstraints && type === undefined) return',
      },
    ],
    killers: [
      {
        file: 'src/keys/certificate.test.ts',
        test: 'there is no path over an expired authority or an unknown critical extension (RFC 5280 §4.2, §6.1.3)',
      },
    ],
  },
  {
    name: 'certificate-signature-unchecked',
    fault: 'The signatures of a chain are not checked.',
    edits: [
      {
        file: 'src/keys/certificate-path.ts',
        find: "    if (!subject.x509.verify(issuer.publicKey)) return 'a signature is wrong';\n",
        replace: '',
      },
    ],
    killers: [
      {
        file: 'src/keys/certificate.test.ts',
        test: 'there is no path to itself, to a foreign authority, to one of the same name, or over a missing certificate (RFC 5280 §6.1)',
      },
    ],
  },
  {
    name: 'certificate-issuer-no-authority',
    fault: 'Every certificate may issue others.',
    edits: [
      {
        file: 'src/keys/certificate-path.ts',
        find: "  if (!issuer.x509.ca || issuer.keyUsage?.has('keyCertSign') === false) return 'an issuer is no authority';\n",
        replace: '',
      },
    ],
    killers: [
      {
        file: 'src/keys/certificate.test.ts',
        test: 'there is no path over a certificate that is not an authority’s or exceeds its path length (RFC 5280 §4.2.1.9)',
      },
    ],
  },
  {
    name: 'privileges-of-an-update',
    fault: 'A registration token may set what only the master may.',
    edits: [
      {
        file: 'src/clients/registration/privileges.ts',
        find: '  if (missing.length === 0) return;',
        replace: '  if (missing.length === 0 || bearer) return;',
      },
    ],
    killers: [
      { file: 'src/endpoints/client-update/refusals.test.ts', test: '403, and nothing changes (decision 8)' },
    ],
  },
  {
    name: 'redirect-hosts-of-an-invitation',
    fault: 'An initial access token registers any redirect host.',
    edits: [
      {
        file: 'src/clients/registration/privileges.ts',
        find: '      if (host !== undefined && redirect_hosts.includes(host)) continue;',
        replace: '      if (host !== undefined) continue;',
      },
    ],
    killers: [
      {
        file: 'src/endpoints/direct-authorization/direct-authorization.test.ts',
        test: 'redirect_hosts binds the client that is made with the token',
      },
    ],
  },
  {
    name: 'jws-algorithm-of-the-header',
    fault: 'A JWT chooses its algorithm, beyond those of the profile.',
    edits: [
      {
        file: 'src/jose/compact-jws.ts',
        find: "  const algorithm = algorithms.find((allowed) => allowed === jws.header['alg']);\n  if (algorithm === undefined) return 'algorithm';\n  const candidates",
        replace:
          "  const algorithm = (algorithms[0] === undefined ? undefined : jws.header['alg']) as SignatureAlgorithm | undefined;\n  if (algorithm === undefined) return 'algorithm';\n  const candidates",
      },
    ],
    killers: [
      {
        file: 'src/endpoints/token/private-key-jwt.test.ts',
        test: 'accepted where it is registered or none is, refused where another is',
      },
    ],
  },
  {
    name: 'jws-exponent-one',
    fault: 'An RSA key with the exponent 1 verifies everything.',
    edits: [{ file: 'src/jose/compact-jws.ts', find: "=> e === 'AQAB';", replace: "=> e !== '';" }],
    killers: [
      {
        file: 'src/jose/jwt-verifier.test.ts',
        test: 'an RSA key with e = 1, under which the padded digest is its own signature: never used (H-076)',
      },
    ],
  },
  {
    name: 'front-channel-address-of-any-origin',
    fault: 'A registration makes browsers load pages of a foreign host.',
    edits: [
      {
        file: 'src/clients/registration/metadata-rules.ts',
        find: '  if (allowed.includes(new URL(uri).origin)) return;',
        replace: '  if (allowed.length > 0) return;',
      },
    ],
    killers: [
      {
        file: 'src/clients/registration/metadata-rules.test.ts',
        test: 'is refused (OpenID Connect Dynamic Client Registration 1.0 §2, RFC 7591 §2)',
      },
    ],
  },
];

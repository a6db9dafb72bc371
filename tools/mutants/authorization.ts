import type { Mutant } from './mutant.ts';

/** Faults of authorisation requests and their responses. */
export const AUTHORIZATION: readonly Mutant[] = [
  {
    name: 'request-uri-not-registered',
    fault: 'A browser names any address, and the server fetches from it.',
    edits: [
      {
        file: 'src/grants/authorization/referenced-object.ts',
        find: "  return registered.includes(request_uri) || registered.includes(request_uri.replace(/#.*$/su, ''));",
        replace: "  return registered.length > 0 || request_uri === '';",
      },
    ],
    killers: [
      {
        file: 'src/grants/authorization/referenced-object.test.ts',
        test: 'a request_uri is compared exactly (OpenID Connect Core 1.0 §6.2)',
      },
    ],
  },
  {
    name: 'unreadable-redirect-uri',
    fault: 'A request with two redirect URIs is answered at the registered one.',
    edits: [
      {
        file: 'src/grants/authorization/receive-authorization-request.ts',
        find: '    if (ADDRESSING.some((name) => failure.names.has(name))) throw failure;\n',
        replace: "    if (ADDRESSING.some((name) => name === '')) throw failure;\n",
      },
    ],
    killers: [
      {
        file: 'src/endpoints/authorization/authorization.test.ts',
        test: 'a page, because it is unclear where the answer goes (RFC 6749 §3.1; decision 53)',
      },
    ],
  },
  {
    name: 'form-post-error-in-query',
    fault: 'An error of a form_post request without response_type goes to the query.',
    edits: [
      {
        file: 'src/grants/authorization/response-target.ts',
        find: "modeOfUnknownType(parameters['response_mode'])",
        replace: "modeOfUnknownType('query')",
      },
    ],
    killers: [
      {
        file: 'src/endpoints/authorization/authorization.test.ts',
        test: '200: GET /authorize, response_mode form_post without response_type: the error is posted too',
      },
    ],
  },
  {
    name: 'redirect-uri-by-prefix',
    fault: 'A redirect URI that begins with a registered one is taken.',
    edits: [
      {
        file: 'src/grants/authorization/response-target.ts',
        find: '  if (registered.includes(requested)) return !hasPortZero(requested);',
        replace: '  if (registered.some((uri) => requested.startsWith(uri))) return !hasPortZero(requested);',
      },
    ],
    killers: [
      {
        file: 'src/grants/authorization/receive-authorization-request.test.ts',
        test: 'an error for the person, without a redirection (RFC 6749 §4.1.2.1)',
      },
    ],
  },
  {
    name: 'redirect-uri-withdrawn',
    fault: 'A redirect URI that was withdrawn meanwhile gets the code.',
    edits: [
      {
        file: 'src/grants/authorization/response-target.ts',
        find: '  if (client?.instance !== client_instance || clientKeysOf(client) !== client_keys) return false;\n',
        replace:
          "  if (client?.instance !== client_instance || clientKeysOf(client) !== client_keys) return false;\n  if (redirect_uri !== '') return true;\n",
      },
    ],
    killers: [
      {
        file: 'src/endpoints/interaction/interaction.test.ts',
        test: '400: the redirection URI is withdrawn before the page is answered: a page, and no redirection (RFC 9700 §4.1)',
      },
    ],
  },
  {
    name: 'response-without-iss',
    fault: 'A response does not name its issuer (RFC 9207).',
    edits: [
      {
        file: 'src/grants/authorization/authorization-response.ts',
        find: '  const whole = { ...parameters, state, iss: needs.issuer };',
        replace: '  const whole = { ...parameters, state };',
      },
    ],
    killers: [
      {
        file: 'src/grants/authorization/authorization-response.test.ts',
        test: 'encoded, with state and iss, the registered text intact (RFC 6749 §4.1.2, RFC 9207 §2)',
      },
    ],
  },
  {
    name: 'response-state-in-lower-case',
    fault: 'A response brings state in lower case.',
    edits: [
      {
        file: 'src/grants/authorization/authorization-response.ts',
        find: '  const whole = { ...parameters, state, iss: needs.issuer };',
        replace: '  const whole = { ...parameters, state: state?.toLowerCase(), iss: needs.issuer };',
      },
    ],
    killers: [
      {
        file: 'src/grants/authorization/authorization-response.test.ts',
        test: 'encoded, with state and iss, the registered text intact',
      },
    ],
  },
  {
    name: 'request-object-of-another-server',
    fault: 'A request object for another server is good.',
    edits: [
      {
        file: 'src/grants/authorization/request-object.ts',
        find: "    audience: { kind: automatic ? 'sole' : 'where-present', values: [issuer] },",
        replace:
          "    audience: issuer === '' ? { kind: 'where-present', values: [issuer] } : { kind: 'any' },",
      },
    ],
    killers: [
      {
        file: 'src/grants/authorization/request-object.test.ts',
        test: 'invalid_request_object (RFC 9101 §6.2)',
      },
    ],
  },
  {
    name: 'request-object-with-sub',
    fault: 'A request object with sub registers a client (JWT of another kind).',
    edits: [
      {
        file: 'src/grants/authorization/request-object.ts',
        find: "  if (sub !== undefined) return 'sub is present, which OpenID Federation 1.0 forbids';\n",
        replace: '  void sub;\n',
      },
    ],
    killers: [
      {
        file: 'test/journeys/federation-automatic.test.ts',
        test: 'the server rejects it without a sign-in page',
      },
    ],
  },
  {
    name: 'request-object-of-any-client-at-par',
    fault: 'A request object replaces the authentication of every client at /par.',
    edits: [
      {
        file: 'src/clients/client-authentication/authenticate-client.ts',
        find: 'stored !== undefined && isAutomatic(stored) ? { stored }',
        replace: 'stored !== undefined ? { stored }',
      },
    ],
    killers: [
      {
        file: 'src/endpoints/pushed-authorization-request/request-object-proof.test.ts',
        test: 'does not replace the client authentication of any other client',
      },
    ],
  },
  {
    name: 'request-object-good-again',
    fault: 'A request object of automatic registration is good again.',
    edits: [
      {
        file: 'src/grants/authorization/request-object.ts',
        find: "  return once ? undefined : 'its jti was used before';",
        replace: "  return once || jti !== '' ? undefined : 'its jti was used before';",
      },
    ],
    killers: [
      { file: 'test/journeys/federation-automatic.test.ts', test: 'a request object is accepted once' },
    ],
  },
  {
    name: 'pushed-request-of-another-client',
    fault: 'A pushed request of another client is taken.',
    edits: [
      {
        file: 'src/grants/authorization/pushed-request.ts',
        find: "  if (pushed?.kind !== 'pushed' || pushed.browser !== digestOf(client_id)) return undefined;",
        replace: "  if (pushed?.kind !== 'pushed' || pushed.browser === client_id) return undefined;",
      },
    ],
    killers: [
      {
        file: 'src/grants/authorization/receive-authorization-request.test.ts',
        test: 'a pushed request is used once, by its own client (RFC 9126 §2.2, §7.3)',
      },
    ],
  },
  {
    name: 'pushed-request-good-again',
    fault: 'A pushed request is taken twice.',
    edits: [
      {
        file: 'src/grants/authorization/pushed-request.ts',
        find: "(await interactions.complete(pushed)) !== 'done') return undefined;",
        replace: 'pushed.version < 0) return undefined;',
      },
    ],
    killers: [
      {
        file: 'src/grants/authorization/receive-authorization-request.test.ts',
        test: 'a pushed request is used once, by its own client (RFC 9126 §2.2, §7.3)',
      },
    ],
  },
  {
    name: 'prompt-login-ignored',
    fault: 'prompt=login goes through without a sign-in.',
    edits: [
      {
        file: 'src/grants/authorization/next-step.ts',
        find: "  if (prompt.includes('login') || prompt.includes('select_account')) return true;\n",
        replace: "  if (prompt.includes('select_account')) return true;\n",
      },
    ],
    killers: [
      {
        file: 'src/grants/authorization/next-step.test.ts',
        test: '(OpenID Connect Core 1.0 §3.1.2.3, §3.1.2.4)',
      },
    ],
  },
  {
    name: 'max-age-ignored',
    fault: 'An old sign-in is enough for max_age.',
    edits: [
      {
        file: 'src/grants/authorization/next-step.ts',
        find: '(max_age !== undefined && now - auth_time > max_age);',
        replace: '(max_age !== undefined && now < auth_time);',
      },
    ],
    killers: [
      {
        file: 'src/grants/authorization/next-step.test.ts',
        test: '(OpenID Connect Core 1.0 §3.1.2.3, §3.1.2.4)',
      },
    ],
  },
  {
    name: 'offline-access-without-consent',
    fault: 'offline_access needs no consent.',
    edits: [
      {
        file: 'src/grants/authorization/next-step.ts',
        find: "  if (consentImplied && !request.scope.includes('offline_access')) return false;",
        replace: '  if (consentImplied) return false;',
      },
    ],
    killers: [
      {
        file: 'src/grants/authorization/next-step.test.ts',
        test: 'offline access, consent implied (OpenID Connect Core 1.0',
      },
    ],
  },
  {
    name: 'consent-ignores-resources',
    fault: 'A consent counts for resources that it does not name.',
    edits: [
      {
        file: 'src/grants/authorization/next-step.ts',
        find: '    request.resource.every(memberOf(consent.resources))',
        replace: "    request.resource.every((resource) => resource !== '')",
      },
    ],
    killers: [
      {
        file: 'src/grants/authorization/next-step.test.ts',
        test: '(OpenID Connect Core 1.0 §3.1.2.3, §3.1.2.4)',
      },
    ],
  },
  {
    name: 'consent-ignores-scope',
    fault: 'A consent counts for scope that it does not name.',
    edits: [
      {
        file: 'src/grants/authorization/next-step.ts',
        find: '    request.scope.every(memberOf(consent.scope)) &&',
        replace: '    request.scope.length > 0 &&',
      },
    ],
    killers: [
      {
        file: 'src/grants/authorization/next-step.test.ts',
        test: '(OpenID Connect Core 1.0 §3.1.2.3, §3.1.2.4)',
      },
    ],
  },
  {
    name: 'hint-of-another-end-user',
    fault: 'The session of another end-user answers a request with id_token_hint.',
    edits: [
      {
        file: 'src/grants/authorization/next-step.ts',
        find: '  return (hinted_sub !== undefined && hinted_sub !== sub) || (wanted',
        replace: "  return (hinted_sub === '' && hinted_sub !== sub) || (wanted",
      },
    ],
    killers: [
      {
        file: 'src/grants/authorization/next-step.test.ts',
        test: '(OpenID Connect Core 1.0 §3.1.2.3, §3.1.2.4)',
      },
    ],
  },
  {
    name: 'pkce-of-public-clients',
    fault: 'A public client needs no code_challenge.',
    edits: [
      {
        file: 'src/grants/authorization/read-authorization-request.ts',
        find: "      token_endpoint_auth_method === 'none' ||\n      registered !== undefined ||",
        replace: '      registered !== undefined ||',
      },
    ],
    killers: [
      {
        file: 'src/grants/authorization/receive-authorization-request.test.ts',
        test: 'public clients, and those that registered for it, need PKCE (RFC 9700 §2.1.1)',
      },
    ],
  },
  {
    name: 'nonce-not-required',
    fault: 'An ID token is given from the authorisation endpoint without a nonce.',
    edits: [
      {
        file: 'src/grants/authorization/read-authorization-request.ts',
        find: "  if (nonce === undefined) throw new AuthorizationError(target, 'invalid_request', 'nonce is missing');\n",
        replace: '  void nonce;\n',
      },
    ],
    killers: [
      {
        file: 'src/grants/authorization/receive-authorization-request.test.ts',
        test: 'an ID token from the authorisation endpoint needs nonce and openid (OpenID Connect Core 1.0 §3.2.2.1)',
      },
    ],
  },
  {
    name: 'pairwise-subject-for-all-sectors',
    fault: 'A pairwise subject is the same for every client.',
    edits: [
      {
        file: 'src/clients/issued-jwt/pairwise-subject.ts',
        find: 'update(`${sector}\\0${sub}`)',
        replace: 'update(`${sector.length > 0}\\0${sub}`)',
      },
    ],
    killers: [
      {
        file: 'src/clients/issued-jwt/pairwise-subject.test.ts',
        test: 'a pairwise subject is a keyed hash of sector and end-user, at most 255 ASCII characters (OpenID Connect Core 1.0 §8.1, §2)',
      },
    ],
  },
  {
    name: 'pairwise-subject-is-the-subject',
    fault: 'A client with pairwise subjects gets the real one.',
    edits: [
      {
        file: 'src/clients/issued-jwt/pairwise-subject.ts',
        find: "  if (metadata['subject_type'] !== 'pairwise') return sub;",
        replace: "  if (metadata['subject_type'] !== 'Pairwise') return sub;",
      },
    ],
    killers: [
      {
        file: 'src/clients/issued-jwt/client-jwt.test.ts',
        test: 'subject_type pairwise: the ID token has the pairwise subject of the client (OpenID Connect Core 1.0 §8.1)',
      },
    ],
  },
];

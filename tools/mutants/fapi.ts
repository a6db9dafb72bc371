import type { Mutant } from './mutant.ts';

const FLOW_TEST = 'src/tenant/fapi-flow.test.ts';
const TEST = 'src/tenant/fapi.test.ts';
const SIGNING_TEST = 'src/tenant/fapi-message-signing.test.ts';
const PROTECTION = 'src/grants/authorization/required-protection.ts';

/** Faults of the FAPI 2.0 profiles. */
export const FAPI: readonly Mutant[] = [
  {
    name: 'fapi-unbound-token',
    fault: 'A client that registered neither form of binding gets a bearer token.',
    edits: [
      {
        file: 'src/grants/token-confirmation.ts',
        find: "  if (settings['access-token.binding'] === 'all-clients' && proof === undefined && !isBoundToCertificate)",
        replace:
          "  if (settings['access-token.binding'] !== 'all-clients' && proof === undefined && isBoundToCertificate && certificate === undefined)",
      },
    ],
    killers: [
      {
        file: TEST,
        test: 'fapi-2.0: no grant gives a token without a proof of a key: 400 invalid_dpop_proof (FAPI 2.0 Security Profile §5.3.2.1)',
      },
    ],
  },
  {
    name: 'fapi-request-not-pushed',
    fault: 'A request that was not pushed gives a code.',
    edits: [
      {
        file: PROTECTION,
        find: "  if (settings['authorization.pushed-requests'] === 'all-clients' && !pushed)",
        replace: "  if (settings['authorization.pushed-requests'] === 'registered' && !pushed && signed)",
      },
    ],
    killers: [
      {
        file: TEST,
        test: 'fapi-2.0: a request that was not pushed, or lacks PKCE or redirect_uri, gives no code (FAPI 2.0 Security Profile §5.3.2.2)',
      },
    ],
  },
  {
    name: 'fapi-audience-as-list',
    fault: 'The aud of a client assertion may be a list with the issuer.',
    edits: [
      {
        file: 'src/jose/jwt-verifier.ts',
        find: "  if (rule.kind === 'sole' && rule.asText === true && typeof aud !== 'string') return false;\n",
        replace: '',
      },
    ],
    killers: [
      {
        file: TEST,
        test: 'fapi-2.0: aud of an assertion is the issuer as a text; a list with it alone is 401 invalid_client (FAPI 2.0 Security Profile §5.3.2.1)',
      },
    ],
  },
  {
    name: 'fapi-any-algorithm-of-clients',
    fault: 'A client signs its assertion with an algorithm that the settings exclude.',
    edits: [
      {
        file: 'src/spec/server-capabilities.ts',
        find: '  SIGNING_ALGORITHMS.filter((algorithm) => names.includes(algorithm));',
        replace: '  SIGNING_ALGORITHMS.filter((algorithm) => names.length > 0 || algorithm);',
      },
    ],
    killers: [
      {
        file: TEST,
        test: 'fapi-2.0: an assertion, a request object and a DPoP proof by RS256 are refused (FAPI 2.0 Security Profile §5.4.1)',
      },
    ],
  },
  {
    name: 'fapi-server-signs-with-anything',
    fault: 'Discovery names algorithms that the settings exclude, and the server signs with them.',
    edits: [
      {
        file: 'src/keys/server-keys.ts',
        find: '  return { ...keys, canSign: (alg) => algorithms.includes(alg) && keys.canSign(alg) };',
        replace: '  return { ...keys, canSign: (alg) => algorithms.length > 0 && keys.canSign(alg) };',
      },
    ],
    killers: [
      {
        file: TEST,
        test: 'fapi-2.0: discovery says what the profile allows, and nothing else (FAPI 2.0 Security Profile §5.3.2.1)',
      },
    ],
  },
  {
    name: 'fapi-long-request-object',
    fault: 'A request object may be older, or live longer, than the setting permits.',
    edits: [
      {
        file: 'src/grants/authorization/request-object.ts',
        find: '    lifeProblem(needs, claims) ??\n',
        replace: '',
      },
    ],
    killers: [
      {
        file: SIGNING_TEST,
        test: 'fapi-2.0-message-signing: aud, nbf and exp of a request object (FAPI 2.0 Message Signing §5.3.1)',
      },
    ],
  },
  {
    name: 'fapi-response-in-clear',
    fault: 'A request for a response in clear is accepted.',
    edits: [
      {
        file: PROTECTION,
        find: '  requireOfferedMode(settings, target, client);\n',
        replace: '',
      },
    ],
    killers: [
      {
        file: SIGNING_TEST,
        test: 'fapi-2.0-message-signing: a response mode that is not signed is 400 invalid_request; response_modes of a client narrow them',
      },
    ],
  },
  {
    name: 'fapi-earlier-client-is-served',
    fault: 'A client from before the profile goes on with an algorithm that it excludes.',
    edits: [
      {
        file: 'src/endpoints/token/endpoint.ts',
        find: '      requireAcceptedAlgorithms(needs, client);\n',
        replace: '',
      },
    ],
    killers: [
      {
        file: TEST,
        test: 'fapi-2.0: a client that registered earlier is refused with the member that must change',
      },
    ],
  },
  {
    name: 'fapi-report-forgets-bindings',
    fault: 'The report calls a client fit whose tokens are bound to nothing.',
    edits: [
      {
        file: 'src/clients/registration/accepted-values.ts',
        find: '  if (!boundTokens || BINDINGS.some((member) => metadata[member] === true)) return;',
        replace: '  if (boundTokens || BINDINGS.some((member) => metadata[member] === true)) return;',
      },
    ],
    killers: [
      {
        file: 'src/endpoints/admin/fapi-report/fapi-report.test.ts',
        test: '200: GET /admin/v1/fapi-report says what each client lacks, and how to change it, without the profile being set',
      },
    ],
  },
  {
    name: 'fapi-code-without-its-key',
    fault: 'A code whose request named a DPoP key is good with any key.',
    edits: [
      {
        file: 'src/endpoints/pushed-authorization-request/endpoint.ts',
        find: '        const bound = proof === undefined ? request : boundTo(proof, request);',
        replace: '        const bound = request;',
      },
    ],
    killers: [
      {
        file: FLOW_TEST,
        test: 'fapi-2.0: a code whose request had a proof or dpop_jkt is good with that key alone (RFC 9449 §10.1)',
      },
    ],
  },
];

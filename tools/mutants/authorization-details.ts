import type { Mutant } from './mutant.ts';

const TOKENS = 'src/endpoints/token/authorization-details.test.ts';
const NARROWED = 'src/grants/authorization-details/narrowed-details.test.ts';
const PAGES = 'src/endpoints/interaction/authorization-details.test.ts';
const REQUESTS = 'src/endpoints/authorization/authorization-details.test.ts';

/** Faults of Rich Authorization Requests. */
export const AUTHORIZATION_DETAILS: readonly Mutant[] = [
  {
    name: 'details-of-any-type',
    fault: 'A client may ask for types that it is not registered for.',
    edits: [
      {
        file: 'src/grants/authorization-details/read-details.ts',
        find: '  if (known === undefined || !memberOf(registered)(type)) {',
        replace: '  if (known === undefined) {',
      },
    ],
    killers: [{ file: TOKENS, test: 'a type that the client is not registered for is refused' }],
  },
  {
    name: 'details-without-schema',
    fault: 'Details that break the schema of their type are granted.',
    edits: [
      {
        file: 'src/grants/authorization-details/read-details.ts',
        find: '  const mistake = known.mistakeIn(value);',
        replace: '  const mistake = [known.mistakeIn(value)].find((each) => each?.pointer === type);',
      },
    ],
    killers: [{ file: TOKENS, test: 'as authorization_details: 400 invalid_authorization_details' }],
  },
  {
    name: 'details-with-unknown-members',
    fault: 'A member that the schema does not name is granted.',
    edits: [
      {
        file: 'src/tenant/detail-types.ts',
        find: '    ...(closed ? {} : { unevaluatedProperties: false }),',
        replace: '    ...(closed ? {} : { unevaluatedProperties: true }),',
      },
    ],
    killers: [{ file: TOKENS, test: 'as authorization_details: 400 invalid_authorization_details' }],
  },
  {
    name: 'details-beyond-the-grant',
    fault: 'A narrower request may have other values.',
    edits: [
      {
        file: 'src/grants/authorization-details/narrowed-details.ts',
        find: '    return isDeepStrictEqual(value, given) || (isNarrowable(name) && isPart(value, given));',
        replace:
          '    return isDeepStrictEqual(typeof value, typeof given) || (isNarrowable(name) && isPart(value, given));',
      },
    ],
    killers: [{ file: NARROWED, test: 'invalid_authorization_details (RFC 9396 §6.1)' }],
  },
  {
    name: 'details-twice-for-one',
    fault: 'One granted payment permits two.',
    edits: [
      {
        file: 'src/grants/authorization-details/narrowed-details.ts',
        find: '      if (taker !== undefined && !serve(taker, tried)) return false;',
        replace: '      if (taker === -1 && !serve(taker, tried)) return false;',
      },
    ],
    killers: [{ file: NARROWED, test: 'invalid_authorization_details (RFC 9396 §6.1)' }],
  },
  {
    name: 'details-emptied-list',
    fault: 'A narrowed list may be empty, which an API may read as all values.',
    edits: [
      {
        file: 'src/grants/authorization-details/narrowed-details.ts',
        find: '  if (!Array.isArray(value) || !Array.isArray(given) || value.length === 0) return false;',
        replace: '  if (!Array.isArray(value) || !Array.isArray(given)) return false;',
      },
    ],
    killers: [{ file: NARROWED, test: 'invalid_authorization_details (RFC 9396 §6.1)' }],
  },
  {
    name: 'details-for-every-resource',
    fault: 'A token for one resource server has the details for another.',
    edits: [
      {
        file: 'src/grants/authorization-details/narrowed-details.ts',
        find: '  if (audience.length === 0) return details;',
        replace: '  if (audience.length >= 0) return details;',
      },
    ],
    killers: [{ file: TOKENS, test: 'a token for one resource has the details for it' }],
  },
  {
    name: 'details-agreed-earlier',
    fault: 'An earlier consent, or that of the operator, agrees to a payment.',
    edits: [
      {
        file: 'src/grants/authorization/next-step.ts',
        find: '  if (request.authorization_details !== undefined) return true;',
        replace: '  if (request.authorization_details?.length === 0) return true;',
      },
    ],
    killers: [{ file: PAGES, test: 'details are asked about each time' }],
  },
  {
    name: 'details-agreed-unseen',
    fault: 'A consent of the sign-in page without details agrees to all of them.',
    edits: [
      {
        file: 'src/grants/authorization/external-outcome.ts',
        find: '  if (!Array.isArray(agreed))\n',
        replace: '  if (agreed === undefined) return asked;\n  if (!Array.isArray(agreed))\n',
      },
    ],
    killers: [{ file: PAGES, test: 'is 400 invalid_request for the sign-in page' }],
  },
  {
    name: 'details-passed-over',
    fault: 'A grant without details passes over them, and its token permits more than was asked for.',
    edits: [
      {
        file: 'src/endpoints/token/endpoint.ts',
        find: '  requireReadDetails(grant, parameters);',
        replace: "  if (parameters['code'] === '') requireReadDetails(grant, parameters);",
      },
    ],
    killers: [{ file: TOKENS, test: 'a grant that takes no details refuses them' }],
  },
  {
    name: 'details-with-default-scope',
    fault: 'Details without scope bring the default scope of the client too.',
    edits: [
      {
        file: 'src/grants/authorization/read-authorization-request.ts',
        find: '  if (requested === undefined && details !== undefined) return [];',
        replace: '  if (requested === undefined && details?.length === 0) return [];',
      },
    ],
    killers: [{ file: REQUESTS, test: 'one with details alone gives no default scope' }],
  },
  {
    name: 'details-with-backtracking',
    fault: 'A text of a stranger keeps the server busy for ever.',
    edits: [
      {
        file: 'src/system/schema-compiler.ts',
        find: '    const compiled = RE2JS.compile(pattern);\n    return (text) => compiled.matcher(text).find();',
        replace: '    RE2JS.compile(pattern);\n    return (text) => text.length > 0;',
      },
    ],
    killers: [{ file: 'src/system/schema-compiler.test.ts', test: 'a pattern that would take for ever' }],
  },
  {
    name: 'details-self-registered',
    fault: 'A client gives itself a type.',
    edits: [
      {
        file: 'src/spec/client-metadata.ts',
        find: "    check: check.detailTypes,\n    privilege: 'token-policy',",
        replace: '    check: check.detailTypes,',
      },
    ],
    killers: [{ file: REQUESTS, test: 'a client cannot give itself a type' }],
  },
];

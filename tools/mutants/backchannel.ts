import type { Mutant } from './mutant.ts';

const CIBA_TEST = 'src/endpoints/token/ciba.test.ts';
const PAGE_TEST = 'src/endpoints/backchannel-requests/backchannel-requests.test.ts';
const DELIVER = 'src/grants/backchannel/deliver.ts';
const DELIVER_TEST = 'src/grants/backchannel/deliver.test.ts';

/** Faults of requests without a browser (CIBA). */
export const BACKCHANNEL: readonly Mutant[] = [
  {
    name: 'backchannel-request-of-another-client',
    fault: 'An auth_req_id tells every client its state, and gives it the tokens.',
    edits: [
      {
        file: 'src/grants/backchannel/ciba.ts',
        find: '  if (request?.client_id !== client_id || request.client_instance !== instance) throw invalidGrant();',
        replace:
          '  if (request === undefined || (client_id as string) === String(instance)) throw invalidGrant();',
      },
    ],
    killers: [{ file: CIBA_TEST, test: 'an auth_req_id of another client' }],
  },
  {
    name: 'backchannel-answered-by-anyone',
    fault: 'Each person who is signed in answers the request of another one.',
    edits: [
      {
        file: 'src/grants/backchannel/begin-request.ts',
        find: '      : { login_hint: account.username, hinted_sub: subjectFor(metadata, account.sub, pairwiseSecret) }),',
        replace:
          '      : { login_hint: account.username + subjectFor(metadata, account.sub, pairwiseSecret).slice(99) }),',
      },
      {
        file: 'src/grants/backchannel/decide.ts',
        find: '  if (open?.sub !== session.sub) return false;',
        replace: '  if (open === undefined) return false;',
      },
      {
        file: 'src/storage/sqlite/backchannel-requests.ts',
        find: " AND (?6 = '' OR sub = ?6)`);",
        replace: " AND (?6 = '' OR ?6 <> '')`);",
      },
    ],
    killers: [{ file: PAGE_TEST, test: 'a person who signs in on the page of the request of another one' }],
  },
  {
    name: 'backchannel-unknown-person-told',
    fault: 'A client learns from the answer which names have accounts.',
    edits: [
      {
        file: 'src/grants/backchannel/hinted-person.ts',
        find: '  return { account: inUse(account), key: digestOf(`login_hint ${spelledOnce(login_hint)}`) };',
        replace:
          "  if (account === undefined) throw new OAuthError('unknown_user_id', { error_description: digestOf('') });\n  return { account: inUse(account), key: digestOf(login_hint) };",
      },
    ],
    killers: [{ file: CIBA_TEST, test: 'an unknown person, a disabled one' }],
  },
  {
    name: 'backchannel-limit-tells-people-apart',
    fault:
      'The limit counts each spelling of an unknown name for itself, and so tells a client which names have accounts.',
    edits: [
      {
        file: 'src/grants/backchannel/hinted-person.ts',
        find: '  const name = loginName(login_hint) ?? login_hint;',
        replace: '  const name = loginName(login_hint) === undefined ? login_hint : login_hint.slice();',
      },
    ],
    killers: [
      {
        file: 'src/endpoints/backchannel-authentication/backchannel-authentication.test.ts',
        test: '429: a person with three open requests',
      },
    ],
  },
  {
    name: 'backchannel-consent-remembered',
    fault: 'A person who allowed a client once is not asked again.',
    edits: [
      {
        file: 'src/grants/backchannel/begin-request.ts',
        find: "    prompt: ['consent'],",
        replace: '    prompt: [],',
      },
    ],
    killers: [{ file: PAGE_TEST, test: 'an earlier consent does not count' }],
  },
  {
    name: 'backchannel-form-of-another-site',
    fault: 'A form without the token of the page answers a request.',
    edits: [
      {
        file: 'src/endpoints/backchannel-requests/endpoint.ts',
        find: '  if (found === undefined || !isAntiForgeryToken(form_token, found.cookie, purpose))',
        replace: "  if (found === undefined || isAntiForgeryToken(form_token, '', purpose))",
      },
    ],
    killers: [{ file: PAGE_TEST, test: 'a form of another person, another request' }],
  },
  {
    name: 'backchannel-block-forgotten',
    fault: 'A blocked client asks the person again.',
    edits: [
      {
        file: 'src/storage/sqlite/backchannel-requests.ts',
        find: '    insert.run(tenant, ...BACKCHANNEL_REQUEST.write(isBlocked ? { ...request, sub: null } : request));',
        replace:
          '    insert.run(tenant, ...BACKCHANNEL_REQUEST.write(isBlocked ? { ...request } : request));',
      },
    ],
    killers: [{ file: PAGE_TEST, test: 'a blocked client is refused' }],
  },
  {
    name: 'backchannel-asks-every-second',
    fault: 'A client asks a person again and again with requests of a second each.',
    edits: [
      {
        file: 'src/grants/backchannel/begin-request.ts',
        find: 'Math.max(Number(requested), LIFETIME_MIN)',
        replace: 'Math.max(Number(requested), LIFETIME_MIN - LIFETIME_MIN)',
      },
    ],
    killers: [
      {
        file: 'src/endpoints/backchannel-authentication/backchannel-authentication.test.ts',
        test: 'H-723 a person is asked no more often with short requests: each counts for at least 30 seconds',
      },
    ],
  },
  {
    name: 'backchannel-failed-push-lives',
    fault: 'Tokens that a client did not take stay good.',
    edits: [
      {
        file: DELIVER,
        find: '  if (problem !== undefined) await endGrantOf(issuing, tokens.access_token);',
        replace: "  if (problem === '') await endGrantOf(issuing, tokens.access_token);",
      },
    ],
    killers: [{ file: DELIVER_TEST, test: 'a notification that fails is sent again' }],
  },
  {
    name: 'backchannel-notified-once',
    fault: 'A notification that failed is not sent again.',
    edits: [
      {
        file: DELIVER,
        find: "  if (attempts >= settings['ciba.attempts-max']) return { outcome: 'failed', problem };",
        replace:
          "  if (attempts >= 1 && settings['ciba.attempts-max'] > 0) return { outcome: 'failed', problem };",
      },
    ],
    killers: [{ file: DELIVER_TEST, test: 'a notification that fails is sent again' }],
  },
];

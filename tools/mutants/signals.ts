import type { Mutant } from './mutant.ts';

const STREAMS_TEST = 'src/endpoints/event-streams/event-streams.test.ts';
const DELIVERY_TEST = 'src/events/signals/deliver.test.ts';
const CONTRACT = 'src/storage/sqlite/storage.test.ts';

/** Faults of streams of security events. */
export const SIGNALS: readonly Mutant[] = [
  {
    name: 'signals-end-of-session-untold',
    fault: 'The end of a session writes no event.',
    edits: [
      {
        file: 'src/storage/sqlite/session-ending.ts',
        find: '    signal.ofSession(tenant, session, cause);',
        replace: '    void [signal, cause];',
      },
    ],
    killers: [
      {
        file: CONTRACT,
        test: 'the act that ends a session appends to the streams of the clients that took part',
      },
    ],
  },
  {
    name: 'signals-stale-lease-settles',
    fault: 'A process whose lease has ended removes an event that another one is sending.',
    edits: [
      {
        file: 'src/storage/sqlite/event-streams.ts',
        find: '    if (holds.get(tenant, taken.id, taken.lease) === undefined) return false;',
        replace: '    if (holds.get(tenant, taken.id, -1) !== undefined) return false;',
      },
    ],
    killers: [{ file: CONTRACT, test: 'a stream that is due goes to one of many callers, on two nodes' }],
  },
  {
    name: 'signals-list-of-everyone',
    fault: 'The page of a client shows an operator the streams of every other one.',
    edits: [
      {
        file: 'src/endpoints/admin/event-streams/endpoint.ts',
        find: "  if (query['client_id'] !== undefined) {",
        replace: "  if (query['client_id'] === '') {",
      },
    ],
    killers: [
      {
        file: 'src/endpoints/admin/event-streams/event-streams.test.ts',
        test: 'the list has the streams of one client alone, page by page, and none of a client that is unknown',
      },
    ],
  },
  {
    name: 'signals-foreign-stream',
    fault: 'A client reads and changes the streams of every other one.',
    edits: [
      {
        file: 'src/events/signals/manage-stream.ts',
        find: '  if (stream === undefined || !isOwn)',
        replace: "  if (stream === undefined || (!isOwn && id === ''))",
      },
    ],
    killers: [{ file: STREAMS_TEST, test: 'H-656 a stream of another client, and none at all: 404' }],
  },
  {
    name: 'signals-token-of-a-person',
    fault: 'A token that a person gave a client manages its streams.',
    edits: [
      {
        file: 'src/endpoints/stream-receiver.ts',
        find: 'membersOf(token).sub === client_id && client',
        replace: "membersOf(token).sub !== '' && client",
      },
    ],
    killers: [{ file: STREAMS_TEST, test: 'H-657 a token that a person gave a client' }],
  },
  {
    name: 'signals-header-injection',
    fault: 'The authorization header of a stream may have line breaks.',
    edits: [
      {
        file: 'src/events/signals/manage-stream.ts',
        find: '(?:[\\x20-\\x7e]{0,2046}[\\x21-\\x7e])?$/u',
        replace: '(?:[^]{0,2046}[\\x21-\\x7e])?$/u',
      },
    ],
    killers: [{ file: STREAMS_TEST, test: 'POST /ssf/streams with' }],
  },
  {
    name: 'signals-every-claim',
    fault: 'A changed claim goes to every client that knows the person.',
    edits: [
      {
        file: 'src/events/signals/seen-event.ts',
        find: '  return Object.keys(claims).length === 0 ? undefined : { ...facts, claims };',
        replace: '  return Object.keys(claims).length < 0 ? undefined : facts;',
      },
    ],
    killers: [{ file: DELIVERY_TEST, test: 'H-666 a changed password and a changed claim are told' }],
  },
  {
    name: 'signals-local-subject',
    fault: 'A client with pairwise subjects learns the local one.',
    edits: [
      {
        file: 'src/events/signals/security-event.ts',
        find: 'sub: subjectFor(metadata, sub, secret) }',
        replace: "sub: sub === '' ? subjectFor(metadata, sub, secret) : sub }",
      },
    ],
    killers: [{ file: DELIVERY_TEST, test: 'H-661 a client with pairwise subjects sees its own names' }],
  },
  {
    name: 'signals-secret-untold',
    fault: 'A changed secret writes no event for the streams of its client.',
    edits: [
      {
        file: 'src/storage/sqlite/clients.ts',
        find: '          if (facts !== undefined) signal.ofClient(tenant, client, facts, event);',
        replace:
          "          if (facts === undefined) signal.ofClient(tenant, client, { kind: 'verification' }, event);",
      },
    ],
    killers: [
      {
        file: CONTRACT,
        test: 'changed secrets are told to the streams of their client, alone and in a batch',
      },
    ],
  },
  {
    name: 'signals-paused-stream-speaks',
    fault: 'A paused stream goes on.',
    edits: [
      {
        file: 'src/events/signals/deliver.ts',
        find: "): boolean => status === 'enabled' || sequence <= drains_to;",
        replace: "): boolean => status !== 'disabled' || sequence <= drains_to;",
      },
    ],
    killers: [
      {
        file: 'src/endpoints/event-stream-status/event-stream-status.test.ts',
        test: 'a paused stream gives its events later in their order',
      },
    ],
  },
  {
    name: 'global-revocation-of-another-issuer',
    fault: 'A subject of another issuer is taken for one of this server.',
    edits: [
      {
        file: 'src/grants/revoke-everything.ts',
        find: '    return iss === issuer',
        replace: '    return iss !== undefined',
      },
    ],
    killers: [
      {
        file: 'src/endpoints/global-token-revocation/global-token-revocation.test.ts',
        test: 'H-669 a subject of another issuer',
      },
    ],
  },
  {
    name: 'global-revocation-keeps-tokens',
    fault: 'Tokens that the operator gave for a person outlive a global revocation.',
    edits: [
      {
        file: 'src/grants/revoke-everything.ts',
        find: '  ended += await endedTokens(needs, sub, event);',
        replace: '  void endedTokens;',
      },
    ],
    killers: [
      {
        file: 'src/endpoints/global-token-revocation/global-token-revocation.test.ts',
        test: 'POST /global-token-revocation: 204',
      },
    ],
  },
];

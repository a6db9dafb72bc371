import type { Mutant } from './mutant.ts';

const AUDIT_TEST = 'src/endpoints/admin/audit/audit.test.ts';
const DELIVERY_TEST = 'src/events/webhooks/deliver.test.ts';

const PATHS_TEST = 'src/endpoints/revocation-feed/every-path.test.ts';
const FEED_TEST = 'src/events/revocations/revocation-feed.test.ts';
const API_TEST = 'src/resource-server/resource-server.test.ts';
const STREAM_TEST = 'src/endpoints/revocation-feed/revocation-feed.test.ts';

/** Faults of streams of events, of the revocation feed and of webhooks. */
export const EVENTS: readonly Mutant[] = [
  {
    name: 'feed-forgets-deleted-clients',
    fault: 'A resource server accepts the tokens of a deleted client.',
    edits: [
      {
        file: 'src/events/revocations/revocation-event.ts',
        find: "    case 'client-ended':\n",
        replace: "    case 'client-ended':\n      return undefined;\n",
      },
    ],
    killers: [
      {
        file: PATHS_TEST,
        test: 'the feed tells exactly the tokens that end when',
      },
    ],
  },
  {
    name: 'feed-forgets-revoked-keys',
    fault: 'A resource server goes on accepting tokens of a key that was revoked.',
    edits: [
      {
        file: 'src/events/revocations/revocation-event.ts',
        find: '...(change.removed === undefined ? {} : { revoked: change.removed }),',
        replace: '',
      },
    ],
    killers: [
      {
        file: PATHS_TEST,
        test: 'the feed tells exactly the tokens that end when',
      },
    ],
  },
  {
    name: 'feed-passes-over-deleted-rows',
    fault: 'A reader that was away for too long is not told to forget what it knows.',
    edits: [
      {
        file: 'src/events/revocations/feed-parts.ts',
        find: 'if (first.sequence !== place + 1) return await reset(place);',
        replace: 'void reset;',
      },
    ],
    killers: [
      {
        file: FEED_TEST,
        test: 'a place whose following rows were deleted gets a reset to the newest change, at the start and later',
      },
    ],
  },
  {
    name: 'feed-time-after-its-look',
    fault:
      'A JWT of the feed claims a time after the look at the journal, so a change in between is missing.',
    edits: [
      {
        file: 'src/events/revocations/revocation-feed.ts',
        find: 'tell(await parts.nothingAfter(position, newest));',
        replace: 'tell(await parts.nothingAfter(position, { ...newest, iat: now + 1 }));',
      },
    ],
    killers: [{ file: FEED_TEST, test: 'the time of a piece is that before its look at the journal' }],
  },
  {
    name: 'feed-outlives-its-caller',
    fault: 'A stream of revocations goes on after its client was deleted.',
    edits: [
      {
        file: 'src/events/revocations/revocation-stream.ts',
        find: "if (!('end' in word) && !(await isLive())) return",
        replace: "if (!('end' in word) && !(await isLive()) && gone.signal.aborted) return",
      },
    ],
    killers: [
      {
        file: STREAM_TEST,
        test: 'a stream ends when its client changes or its token is revoked, when the process stops, and when its reader is slow (H-646)',
      },
    ],
  },
  {
    name: 'feed-without-scope',
    fault: 'Any client of the server may follow the revocations.',
    edits: [
      {
        file: 'src/endpoints/revocation-feed/endpoint.ts',
        find: 'if (!scope.includes(introspectionScope)) throw',
        replace: 'if (scope.includes(introspectionScope) && scope.length > 99) throw',
      },
    ],
    killers: [
      {
        file: STREAM_TEST,
        test: '403: a client or token without the introspection scope opens nothing (H-641)',
      },
    ],
  },
  {
    name: 'api-passes-over-missing-pieces',
    fault: 'A resource server does not notice that a proxy dropped a piece of the feed.',
    edits: [
      {
        file: 'src/resource-server/feed.ts',
        find: "else if (after !== state.cursor) throw new Error('a piece of the feed is missing');",
        replace: 'else if (after === null) throw new Error();',
      },
    ],
    killers: [
      { file: API_TEST, test: 'ends the stream, and tokens are introspected until another one is open' },
    ],
  },
  {
    name: 'api-trusts-old-tokens',
    fault: 'A resource server accepts a token that was revoked before it began to follow the feed.',
    edits: [
      {
        file: 'src/resource-server/revocations.ts',
        find: "if (isOlder(token, begun)) return 'unknown';",
        replace: '',
      },
    ],
    killers: [
      {
        file: API_TEST,
        test: 'a JWT that is older than the feed is introspected once, and an ended one is refused from then on',
      },
    ],
  },
  {
    name: 'api-goes-on-after-a-cut',
    fault: 'A resource server accepts known tokens although the stream is cut.',
    edits: [
      {
        file: 'src/resource-server/token-check.ts',
        find: "return state === 'good' && feed?.isLive() === true ? found : ask(token, found);",
        replace: "return state === 'good' ? found : ask(token, found);",
      },
    ],
    killers: [
      {
        file: API_TEST,
        test: 'a cut stream: each request is introspected until it is back; then nothing was missed, and the cursor was sent',
      },
    ],
  },
  {
    name: 'api-knows-one-text-of-a-token',
    fault: 'A revoked JWT is accepted with the other signature that ECDSA has for it.',
    edits: [
      {
        file: 'src/resource-server/jws.ts',
        find: 'if (order === undefined) return undefined;',
        replace: 'if (order !== 0n) return undefined;',
      },
    ],
    killers: [{ file: API_TEST, test: 'too, whether that text came before its end or after' }],
  },
  {
    name: 'api-reads-loose-signatures',
    fault: 'A revoked JWT is accepted with other bits after the last byte of its signature.',
    edits: [
      {
        file: 'src/resource-server/jws.ts',
        find: "if (Buffer.from(signature, 'base64url').toString('base64url') !== signature) return undefined;",
        replace: '',
      },
    ],
    killers: [{ file: API_TEST, test: 'too, whether that text came before its end or after' }],
  },
  {
    name: 'feed-hides-that-more-follows',
    fault: 'A resource server that is cut after the first piece, again and again, accepts revoked tokens.',
    edits: [
      {
        file: 'src/events/revocations/feed-parts.ts',
        find: 'until < head ? { more: true as const } : {}',
        replace: 'until < -head ? { more: true as const } : {}',
      },
    ],
    killers: [
      {
        file: 'src/events/revocations/revocation-feed.test.ts',
        test: 'H-721 a piece with a newer change behind it says so: only a reader at the newest change knows all of them',
      },
    ],
  },
  {
    name: 'api-trusts-a-feed-that-lags',
    fault: 'A resource server accepts tokens without a question while ends that were told are still to come.',
    edits: [
      {
        file: 'src/resource-server/feed.ts',
        find: 'if (more === true) return;',
        replace: '',
      },
    ],
    killers: [
      {
        file: API_TEST,
        test: 'H-721 pieces that say that more follows do not make the feed count as followed',
      },
    ],
  },
  {
    name: 'api-accepts-proofs-twice',
    fault: 'A resource server accepts a DPoP proof a second time.',
    edits: [
      {
        file: 'src/resource-server/dpop.ts',
        find: "if (seen.get(name) !== undefined) return refused('the proof was used before');",
        replace: '',
      },
    ],
    killers: [
      {
        file: 'src/resource-server/dpop.test.ts',
        test: 'a proof is good once, and the same jti of another key is another proof (RFC 9449 §11.1)',
      },
    ],
  },
  {
    name: 'foreign-event-cursor',
    fault:
      'A stream takes the cursor of another tenant, or of the time before a restoration, for a place of its own.',
    edits: [
      {
        file: 'src/events/event-cursor.ts',
        find: 'return of === tag ? Number(sequence) : undefined;',
        replace: "return of === '' ? undefined : Number(sequence);",
      },
    ],
    killers: [
      {
        file: AUDIT_TEST,
        test: 'a cursor of another tenant, of nothing, or ahead of the newest event is refused with 400',
      },
    ],
  },
  {
    name: 'stream-outlives-token',
    fault: 'A stream goes on after its token was revoked.',
    edits: [
      {
        file: 'src/events/event-stream.ts',
        find: "if (!(await isLive())) return yield endEvent('token-revoked');",
        replace: 'await isLive();',
      },
    ],
    killers: [
      {
        file: AUDIT_TEST,
        test: 'a stream ends when its token expires or is revoked, when the process stops, and when its reader is slow, and says so',
      },
    ],
  },
  {
    name: 'webhook-former-secret-for-ever',
    fault: 'A former secret of a webhook signs after its overlap has ended.',
    edits: [
      {
        file: 'src/events/webhooks/deliver.ts',
        find: 'expires_at === null || expires_at > now',
        replace: 'expires_at === null || expires_at > 0',
      },
    ],
    killers: [
      {
        file: DELIVERY_TEST,
        test: 'the query of the address goes to the receiver only, and a former secret signs until it expires',
      },
    ],
  },
  {
    name: 'webhook-accepts-redirect',
    fault: 'A redirect counts as an accepted delivery, so its events are lost.',
    edits: [
      {
        file: 'src/events/posted-problem.ts',
        find: 'posted.code < 300 ?',
        replace: 'posted.code < 400 ?',
      },
    ],
    killers: [
      {
        file: DELIVERY_TEST,
        test: 'a webhook with too many failed deliveries plans no more: its events wait in the audit',
      },
    ],
  },
];

import { basic, FORM, get, type HostileStep, JSON_TYPE, LONG_HEADERS, MARKS } from './steps.ts';
import { PEOPLE, REVOCATION_TOKEN, type World } from './world.ts';

const BEARER = ({ receiver }: World): Readonly<Record<string, string>> => ({
  authorization: `Bearer ${receiver.access_token}`,
});

/** A request with a JSON body by a client that has a stream. */
const json = (
  endpoint: string,
  what: string,
  status: number,
  body: (world: World) => object,
  path: (world: World) => string = () => endpoint.split(' ')[1] ?? '',
): HostileStep => ({
  endpoint,
  what,
  status,
  request: (world) => ({
    method: endpoint.split(' ')[0] ?? '',
    path: path(world),
    headers: { ...JSON_TYPE, ...BEARER(world) },
    body: JSON.stringify(body(world)),
  }),
});

/** An unknown stream in a query of 12 KB, all of it escaped. */
const byQuery = (method: string, path: string): HostileStep => ({
  endpoint: `${method} ${path}`,
  what: 'an unknown stream of 4 KB, escaped',
  status: 404,
  request: (world) => ({
    method,
    path: `${path}?stream_id=${'%61'.repeat(4_000)}`,
    headers: BEARER(world),
  }),
});

/** Names of members in the wrong order: a subject has one text for all orders. */
const unsorted = (count: number, value: (index: number) => unknown): object =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`m${((index * 7919) % count).toString(36)}`, value(index)]),
  );

/** As many members as an object may have, each with a tree behind it. */
const SUBJECT = {
  format: 'complex',
  ...unsorted(190, (index) => ({
    format: 'opaque',
    id: `${index}`,
    x: Array.from({ length: 17 }, () => ({ b: 1, a: 1 })),
  })),
};

/** All members that a client may set, each at its limit. */
const WISHES = {
  events_requested: Array.from({ length: 100 }, (_, index) => `${index}`.padEnd(500, 'x')),
  description: 'd'.repeat(5_000),
  delivery: {
    method: 'urn:ietf:rfc:8935',
    endpoint_url: `http://127.0.0.1:9/${'p'.repeat(1_000)}?${'q'.repeat(1_000)}`,
    authorization_header: 'a b'.repeat(680),
  },
};

/** Members that only the server sets, with values that differ. */
const FOREIGN = Object.fromEntries(
  ['iss', 'aud', 'events_supported', 'events_delivered', 'min_verification_interval'].map((name) => [
    name,
    Array.from({ length: 60 }, () => unsorted(20, () => 1)),
  ]),
);

export const SIGNAL_STEPS: readonly HostileStep[] = [
  json(
    'POST /ssf/poll/{stream_id}',
    'answers to 1,000 events that were never sent, and errors for 200 more',
    200,
    ({ receiver: { stream_id } }) => ({
      maxEvents: 0,
      ack: Array.from({ length: 1_000 }, (_, index) => `${stream_id}.${index + 1}`),
      setErrs: Object.fromEntries(
        Array.from({ length: 200 }, (_, index) => [
          `${stream_id}.${index + 2_000}`,
          { err: 'e'.repeat(60), description: 'd' },
        ]),
      ),
    }),
    ({ receiver: { stream_id } }) => `/ssf/poll/${stream_id}`,
  ),
  byQuery('GET', '/ssf/status'),
  json('POST /ssf/status', 'a reason of 5,000 marks', 200, ({ receiver: { stream_id } }) => ({
    stream_id,
    status: 'enabled',
    reason: MARKS.repeat(6).slice(0, 5_000),
  })),
  ...['add', 'remove'].map((verb) =>
    json(
      `POST /ssf/subjects/${verb}`,
      'a complex subject of 190 members with trees behind them',
      verb === 'add' ? 200 : 204,
      ({ receiver: { stream_id } }) => ({ stream_id, subject: SUBJECT }),
    ),
  ),
  json('POST /ssf/verify', 'a state of 1,024 marks', 204, ({ receiver: { stream_id } }) => ({
    stream_id,
    state: MARKS.repeat(2).slice(0, 1_024),
    x: Array.from({ length: 20_000 }, () => 1),
  })),
  byQuery('GET', '/ssf/streams'),
  json('POST /ssf/streams', 'every member at its limit', 201, () => WISHES),
  json('POST /ssf/streams', '60 KB of event types that are too many', 400, () => ({
    events_requested: Array.from({ length: 15_000 }, () => 1),
  })),
  ...['PUT', 'PATCH'].flatMap((method) => [
    json(`${method} /ssf/streams`, 'every member at its limit', 200, ({ receiver: { stream_id } }) => ({
      stream_id,
      ...WISHES,
      delivery: undefined,
    })),
    json(
      `${method} /ssf/streams`,
      'trees in place of members that only the server sets',
      400,
      ({ receiver: { stream_id } }) => ({ stream_id, ...FOREIGN }),
    ),
  ]),
  byQuery('DELETE', '/ssf/streams'),
  get('/.well-known/ssf-configuration', 'long headers', 200, LONG_HEADERS),
];

const revoked = (what: string, status: number, sub_id: (world: World) => object): HostileStep => ({
  endpoint: 'POST /global-token-revocation',
  what,
  status,
  request: (world) => ({
    method: 'POST',
    path: '/global-token-revocation',
    headers: { ...JSON_TYPE, authorization: `Bearer ${REVOCATION_TOKEN}` },
    body: JSON.stringify({ sub_id: sub_id(world) }),
  }),
});

export const REVOCATION_STEPS: readonly HostileStep[] = [
  revoked('a login name of 60 KB, escaped', 404, ({ program }) => ({
    format: 'account',
    uri: `acct:${'%C3%A9'.repeat(10_000)}@${new URL(program.issuer).host}`,
  })),
  revoked('an account of 60 KB of at signs', 400, () => ({
    format: 'account',
    uri: `acct:${'@'.repeat(60_000)}`,
  })),
  revoked('an issuer of 60 KB', 400, () => ({ format: 'iss_sub', iss: '"'.repeat(30_000), sub: 'x' })),
  {
    endpoint: 'POST /token/revocations',
    what: 'a cursor of 64 KB, escaped',
    status: 200,
    request: (world) => ({
      method: 'POST',
      path: '/token/revocations',
      headers: { ...FORM, ...basic(world.wide) },
      body: `cursor=${'%31'.repeat(21_000)}`,
    }),
  },
];

const webfinger = (what: string, status: number, query: string): HostileStep => ({
  endpoint: 'GET /.well-known/webfinger',
  what,
  status,
  request: () => ({ method: 'GET', path: `/.well-known/webfinger?${query}` }),
});

export const WEBFINGER_STEPS: readonly HostileStep[] = [
  webfinger('an address of 12 KB, escaped', 200, `resource=https://${PEOPLE}/${'%61'.repeat(4_000)}`),
  webfinger('12 KB of at signs', 400, `resource=acct:${'@'.repeat(12_000)}`),
  webfinger(
    'an account at the domain, with 19 relations of 600 letters',
    200,
    `resource=acct:joe@${PEOPLE}&${Array.from({ length: 19 }, () => `rel=${'%61'.repeat(200)}`).join('&')}`,
  ),
];

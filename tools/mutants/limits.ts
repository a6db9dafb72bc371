import type { Mutant } from './mutant.ts';

/** Faults of limits, and of what the network may reach. */
export const LIMITS: readonly Mutant[] = [
  {
    name: 'port-of-another-server',
    fault: 'Two servers of one user listen at one port, and none notices.',
    edits: [
      {
        file: 'src/http/listening.ts',
        find: '  if (isHelped && !reusePort && port !== 0) await requireFree(host, port);\n',
        replace: '',
      },
    ],
    killers: [
      {
        file: 'src/http/listening.test.ts',
        test: 'a port of another server is refused, whatever that one allows',
      },
    ],
  },
  {
    name: 'sockets-that-listen-on',
    fault: 'After the end of a server its further sockets accept connections, and no server answers.',
    edits: [
      {
        file: 'src/http/listening.ts',
        find: '  const close = (): void => helpers.forEach((helper) => void helper.close());',
        replace: '  const close = (): void => undefined;',
      },
    ],
    killers: [{ file: 'src/http/listening.test.ts', test: 'no socket listens after the end' }],
  },
  {
    name: 'sweep-rests-for-ever',
    fault: 'A sweep of very many rows rests after each batch, and never catches up.',
    edits: [
      {
        file: 'src/process/sweep-pace.ts',
        find: 'now - this.#begun < this.#spread_ms && ',
        replace: '',
      },
    ],
    killers: [
      {
        file: 'src/process/sweep-pace.test.ts',
        test: 'after half of the interval a sweep rests no more, so that it ends',
      },
    ],
  },
  {
    name: 'log-lines-overtake',
    fault: 'Lines of the log come before earlier ones that wait for a reader.',
    edits: [
      {
        file: 'src/system/log.ts',
        find: '    behind ||= writeAtOnce',
        replace: '    behind = writeAtOnce',
      },
    ],
    killers: [
      {
        file: 'src/system/log.test.ts',
        test: 'log, a reader that pauses: the process goes on, lines stay in their order, and dropped ones are counted',
      },
    ],
  },
  {
    name: 'log-lines-cut',
    fault: 'A long line of the log loses its end where the pipe has no room for it.',
    edits: [
      {
        file: 'src/system/pipe-writer.ts',
        find: '    if (Buffer.byteLength(text) > TOGETHER_BYTES_MAX) return false;\n',
        replace: '',
      },
    ],
    killers: [
      {
        file: 'src/system/log.test.ts',
        test: 'log, lines that are longer than a pipe takes at once come whole, and in their places',
      },
    ],
  },
  {
    name: 'forwarded-for-of-strangers',
    fault: 'X-Forwarded-For of anybody is believed.',
    edits: [
      {
        file: 'src/http/client-address.ts',
        find: '    if (forwardedFor === undefined || !isTrusted(peer)) return peer;',
        replace: '    if (forwardedFor === undefined) return peer;',
      },
    ],
    killers: [
      {
        file: 'src/http/client-address.test.ts',
        test: 'X-Forwarded-For is ignored from a peer that is not a trusted proxy, and from all if none is configured',
      },
    ],
  },
  {
    name: 'forwarded-for-first',
    fault: 'The first address of X-Forwarded-For is taken, which the client writes.',
    edits: [
      {
        file: 'src/http/client-address.ts',
        find: '      if (!isTrusted(address)) return address;\n',
        replace: '',
      },
    ],
    killers: [{ file: 'src/http/client-address.test.ts', test: 'from a trusted proxy: the client is' }],
  },
  {
    name: 'ssrf-link-local',
    fault: 'The server fetches from link-local addresses, the metadata service of clouds among them.',
    edits: [
      {
        file: 'src/outbound/special-use.ts',
        find: "  ['169.254.0.0/16', 'Link Local (RFC 3927)'],\n",
        replace: '',
      },
    ],
    killers: [
      { file: 'src/outbound/address-forms.test.ts', test: 'is refused without a connection (H-044)' },
    ],
  },
  {
    name: 'ssrf-ipv4-mapped',
    fault: 'The server fetches from private addresses written as IPv6.',
    edits: [
      {
        file: 'src/outbound/special-use.ts',
        find: "  ['::ffff:0:0/96', 'IPv4-mapped Address (RFC 4291)'],\n",
        replace: '',
      },
    ],
    killers: [
      { file: 'src/outbound/special-use.test.ts', test: 'is of special use and says which (RFC 6890)' },
    ],
  },
  {
    name: 'tenant-header-of-strangers',
    fault: 'Anybody chooses a tenant by header, past the proxy.',
    edits: [
      {
        file: 'src/http/tenancy.ts',
        find: '  const heeded = believed && names.several;',
        replace: '  const heeded = names.several;',
      },
    ],
    killers: [
      {
        file: 'test/journeys/tenants-in-trouble.test.ts',
        test: 'Issuer and Tenant-ID are ignored from callers that are not trusted proxies',
      },
    ],
  },
  {
    name: 'limit-body-bytes',
    fault: 'A body larger than limits.body is read.',
    edits: [
      {
        file: 'src/http/request-body.ts',
        find: "    if (size_bytes > this.#limits.body_bytes) return this.#refuse('too-large');\n",
        replace: '',
      },
    ],
    killers: [
      {
        file: 'src/http/messages.test.ts',
        test: 'a reader gets the refusal once, as soon as the body exceeds the limit',
      },
    ],
  },
  {
    name: 'limit-body-memory',
    fault: 'Bodies under way may take any memory.',
    edits: [
      {
        file: 'src/http/request-body.ts',
        find: '    if (this.#taken_bytes + bytes > this.#limit_bytes) return false;\n',
        replace: '',
      },
    ],
    killers: [
      { file: 'test/hostile/bodies.test.ts', test: 'a body beyond limits.bodies is 503 with Retry-After' },
    ],
  },
  {
    name: 'limit-connections-of-a-network',
    fault: 'A network may have any number of connections.',
    edits: [
      {
        file: 'src/http/network-limits.ts',
        find: '    if (count >= max) {',
        replace: '    if (count >= max * 99) {',
      },
    ],
    killers: [
      {
        file: 'src/http/network-limits.test.ts',
        test: 'the addresses of one IPv6 /64 share the connections of one network, others do not (H-243)',
      },
    ],
  },
  {
    name: 'limit-handshakes-of-a-network',
    fault: 'A network may have any number of silent handshakes.',
    edits: [
      {
        file: 'src/http/network-limits.ts',
        find: '      if (max > 0 && own.size > max) this.#end(',
        replace: '      if (max > 0 && own.size > max * 99) this.#end(',
      },
    ],
    killers: [
      {
        file: 'src/http/network-limits.test.ts',
        test: 'the oldest unfinished handshake of a network ends when it has one too many (H-244)',
      },
    ],
  },
  {
    name: 'limit-rate-forgotten',
    fault: 'A rate limit that was exceeded is asked and not kept.',
    edits: [
      {
        file: 'src/clients/rate-limits.ts',
        find: '      return inSeconds(Math.max(...waits));',
        replace: '      return inSeconds(Math.min(0, ...waits));',
      },
    ],
    killers: [
      {
        file: 'src/clients/rate-limits.test.ts',
        test: 'a minute: that many at once, then one after each Retry-After, and never more than the rate',
      },
    ],
  },
  {
    name: 'limit-logout-forgotten',
    fault: 'GET /logout without a session has no rate limit.',
    edits: [
      {
        file: 'src/endpoints/end-session/endpoint.ts',
        find: '  if (session === undefined) await needs.interactionLimits.admit(request.remoteAddress);\n',
        replace: '',
      },
    ],
    killers: [
      {
        file: 'src/endpoints/end-session/end-session.test.ts',
        test: '/logout without a session, more often from a network than may wait: 429 as a page with Retry-After (RFC 6585 §4)',
      },
    ],
  },
  {
    name: 'pipelined-answers-out-of-order',
    fault:
      'A request that comes while another one waits is answered before it, so a client takes the answer of another request.',
    edits: [{ file: 'src/http/plain-requests.ts', find: '    this.#last?.whole();\n', replace: '' }],
    killers: [
      {
        file: 'src/http/plain-requests.test.ts',
        test: 'a request that comes while another waits for its answer is answered after it, and each is received once',
      },
    ],
  },
  {
    name: 'connect-without-a-listener',
    fault: 'A client that resets its connection after CONNECT stops the server.',
    edits: [
      {
        file: 'src/http/refusals.ts',
        find: "  for (const stream of new Set([tunnel, socket])) stream.on('error', () => socket.destroy());\n",
        replace: '',
      },
    ],
    killers: [
      {
        file: 'src/http/broken-exchanges.test.ts',
        test: 'H-734 a client that resets its connection after CONNECT causes no uncaught error',
      },
    ],
  },
];

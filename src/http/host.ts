import { createServer as createHttpServer, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { type TLSSocket, Server as TlsServer } from 'node:tls';
import type { Log } from '../ports/log.ts';
import type { ConnectionRefusal } from '../ports/metrics.ts';
import type { Tracing } from '../ports/tracing.ts';
import type { EdgeReason } from '../spec/refusal-reasons.ts';
import { clientAddressBehind, trustedPeer } from './client-address.ts';
import { type CertificateSources, certificateReader } from './client-certificate.ts';
import { Connections } from './connections.ts';
import { batchPerTurn, onePerTurn } from './event-loop.ts';
import { type ListeningPlace, startListening } from './listening.ts';
import { DOCUMENTED_MESSAGES, type Messages, type Request, type Response } from './messages.ts';
import { type NetworkLimitNeeds, NetworkLimits, refusalLog } from './network-limits.ts';
import { messagesOfThisNode } from './node-internals.ts';
import { answerClientError, refuseConnect } from './refusals.ts';
import type { BodyMemory } from './request-body.ts';
import { envelopesOf } from './response-writer.ts';
import { buildRouter, type Site } from './router.ts';
import {
  type Edge,
  handle,
  holdRequests,
  type Observe,
  type ObserveRefusal,
  type Run,
  receive,
} from './serve-request.ts';
import { stopListening } from './stopping.ts';
import { type Tenancy, tenantNaming } from './tenancy.ts';
import { secureContextOf, type TlsListen, type TlsMaterial, tlsOptions } from './tls-listener.ts';

/** Times are in milliseconds. */
export interface Listen extends ListeningPlace {
  readonly maxConnections: number;
  /** The maximum number of connections of one network; trusted proxies have no limit. Default 0: no limit. */
  readonly connectionsPerNetwork?: number;
  /** The maximum number of unfinished TLS handshakes of one network. Default 0: no limit. */
  readonly handshakesPerNetwork?: number;
  /** Limit from the first byte of a request to the end of its header. */
  readonly headersTimeout: number;
  /** Limit from the first byte of a request to the end of its body. */
  readonly requestTimeout: number;
  /** Interval at which the two limits above are checked. */
  readonly checkInterval: number;
  readonly keepAliveTimeout: number;
  /**
   * Networks in CIDR notation. Only these peers may send `X-Forwarded-For`; if the list is not empty, also `Issuer` and
   * `Tenant-ID`.
   */
  readonly trustedProxies?: readonly string[];
  /** Without it the host speaks plain HTTP. */
  readonly tls?: TlsListen;
  /** Whether trusted proxies may send `Client-Cert` (RFC 9440). */
  readonly certificateHeader?: boolean;
  /** Cuts a connection on which no byte moves for this time, in either direction: its reader has stalled. Default 30,000. */
  readonly stallTimeout?: number;
  /** How long `close` waits for running requests. */
  readonly closeTimeout: number;
}

/** In bytes. */
export interface Limits {
  readonly body: number;
  /** All bodies that are arriving, at all hosts that share it. */
  readonly bodies: BodyMemory;
  readonly header: number;
}

export interface HostOptions {
  readonly sites: readonly Site[];
  /** For a host whose tenants come and go while it listens. */
  readonly tenancy?: Tenancy;
  /** Whether every peer may name a tenant, and not only trusted proxies: for a host whose endpoints ask for tokens. */
  readonly anyoneNamesTenant?: boolean;
  readonly listen: Listen;
  readonly limits: Limits;
  readonly log: Log;
  readonly observe: Observe;
  /** Is called for each connection that a limit refuses. */
  readonly connectionRefused?: (reason: ConnectionRefusal) => void;
  readonly observeRefusal?: ObserveRefusal;
  /** Without it, requests belong to no trace. */
  readonly tracing?: Pick<Tracing, 'begin'>;
  /** The deadlines of requests. Without it a request has none. */
  readonly requests?: {
    /** Returns how to run a request that begins now. */
    begin(): Run;
    readonly outside: Run;
  };
  /** For tests. Without it the host takes the fastest ones that work on this Node. */
  readonly messages?: Messages;
}

export interface Host {
  readonly address: AddressInfo;
  /** Presents these certificates to new connections; open connections keep theirs. */
  renewTls(material: TlsMaterial): void;
  /** Ends each connection after its next answer from now on. */
  drain(): void;
  /**
   * Answers each request that the kernel has accepted, then accepts no more connections. Waits at most `closeTimeout` for
   * running requests, then cuts the rest. A second call waits for the same end.
   */
  close(): Promise<void>;
}

const UNTRACED: Pick<Tracing, 'begin'> = { begin: () => undefined };

const STALL_TIMEOUT_MS = 30_000;

const HERE: Run = (act) => act();

/**
 * Listens with Node's own server and puts the sites behind that socket.
 * Rejects with Node's error, for example `EADDRINUSE`, if the address cannot be bound.
 */
export async function startHost(options: HostOptions): Promise<Host> {
  const { listen, log, observe } = options;
  const envelopes = envelopesOf(listen.keepAliveTimeout, listen.tls?.hstsMaxAge ?? 0);
  const edge: Edge = {
    router: buildRouter(options.sites),
    tenancy: options.tenancy,
    mayNameTenant:
      options.anyoneNamesTenant === true ? () => true : tenantNaming(listen.trustedProxies ?? []),
    bodyLimit_bytes: options.limits.body,
    log,
    observe,
    observeRefusal: options.observeRefusal ?? (() => undefined),
    tracing: options.tracing ?? UNTRACED,
    mayTrace: trustedPeer(listen.trustedProxies ?? []),
    clientAddress: clientAddressBehind(listen.trustedProxies ?? []),
    clientCertificate: certificateReader(certificateSources(listen), log),
    complete: batchPerTurn((complete) => handle(edge, complete)),
    streamTurn: onePerTurn(),
    outsideRequest: options.requests?.outside ?? HERE,
    envelopes,
    envelope: envelopes.open,
    held: undefined,
  };
  const messages = options.messages ?? (await fastestMessages(log));
  const connections = new Connections();
  const refused = refusals(options);
  const limits = networkLimits(listen, refused);
  const server = createServer(options, edge, { messages, connections });
  guardConnections(server, options, { connections, limits, refused });
  const closeHelpers = await startListening(server, listen);
  let lastAnswersSince: number | undefined;
  const drain = (): number => {
    edge.envelope = envelopes.last;
    lastAnswersSince ??= performance.now();
    return lastAnswersSince;
  };
  let closed: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    const deadline = setTimeout(() => {
      log.warn(
        {},
        'requests were still under way at the deadline (stop.deadline): their connections are cut',
      );
      server.closeAllConnections();
      limits.endHandshakes();
    }, listen.closeTimeout);
    await stopListening({
      server,
      closeHelpers,
      connections,
      lastAnswersSince: drain(),
      hold: () => holdRequests(edge),
      shared: listen.reusePort === true,
    });
    clearTimeout(deadline);
  };
  return {
    address: server.address() as AddressInfo,
    renewTls(material) {
      if (listen.tls === undefined || !(server instanceof TlsServer)) return;
      server.setSecureContext(secureContextOf({ ...listen.tls, ...material }));
    },
    drain: () => void drain(),
    close() {
      closed ??= close();
      return closed;
    },
  };
}

async function fastestMessages(log: Log): Promise<Messages> {
  const messages = await messagesOfThisNode();
  if (messages === DOCUMENTED_MESSAGES) {
    log.warn(
      { node: process.version },
      'this Node lacks internals that make requests cheaper: requests cost more',
    );
  }
  return messages;
}

function certificateSources({ tls, trustedProxies = [], certificateHeader }: Listen): CertificateSources {
  return {
    tls: tls?.asksForCertificates === true ? { hasAuthorities: tls.clientAuthorities !== '' } : undefined,
    trustedProxy: certificateHeader === true ? trustedPeer(trustedProxies) : undefined,
  };
}

/** Makes request ids for the log. They do not repeat after a restart. */
function requestIds(): () => string {
  const start = Date.now().toString(36);
  let count = 0;
  return () => `${start}-${++count}`;
}

function createServer(
  options: HostOptions,
  edge: Edge,
  { messages, connections }: { readonly messages: Messages; readonly connections: Connections },
): Server {
  const { listen, limits, observe } = options;
  const http = {
    IncomingMessage: messages.requestsUpTo({ body_bytes: limits.body, memory: limits.bodies }),
    ServerResponse: messages.response,
    maxHeaderSize: limits.header,
    headersTimeout: listen.headersTimeout,
    requestTimeout: listen.requestTimeout,
    keepAliveTimeout: listen.keepAliveTimeout,
    connectionsCheckingInterval: listen.checkInterval,
    // `readHeaders` refuses a missing Host itself, in JSON.
    requireHostHeader: false,
  } as const;
  const { tls } = listen;
  const server =
    tls === undefined
      ? createHttpServer(http)
      : createHttpsServer({ ...http, ...tlsOptions(tls, listen.headersTimeout) });
  if (tls?.asksForCertificates === true) server.on('secureConnection', forgetFailedSignature);
  server.setTimeout(listen.stallTimeout ?? STALL_TIMEOUT_MS);
  const nextId = requestIds();
  const received = (request: Request, response: Response): void => {
    if (!connections.began(request.socket, response)) return request.dropBody();
    receive(edge, {
      run: options.requests?.begin() ?? HERE,
      request,
      response,
      target: request.url ?? '',
      id: nextId(),
      started: performance.now(),
      tenant: undefined,
      trace: undefined,
    });
  };
  messages.receive(server, received);
  server.on('connect', ({ url: target, socket }, tunnel) => {
    // Complete requests before it are answered first.
    edge.complete.flush();
    const status = refuseConnect(tunnel, socket, connections.lastResponse(socket), { target, id: nextId() });
    if (status !== undefined) observe('edge', status, 0);
  });
  server.on('clientError', (error, socket) =>
    refuseBroken(options, edge, { connections, id: nextId() }, error, socket as Socket),
  );
  return server;
}

/** Counts refusals and logs them. */
function refusals({ log, connectionRefused }: HostOptions): NetworkLimitNeeds['refused'] {
  const logRefusal = refusalLog(log);
  return (reason, network) => {
    connectionRefused?.(reason);
    logRefusal(reason, network);
  };
}

function networkLimits(
  { maxConnections, connectionsPerNetwork = 0, handshakesPerNetwork = 0, trustedProxies = [] }: Listen,
  refused: NetworkLimitNeeds['refused'],
): NetworkLimits {
  return new NetworkLimits({
    connections: connectionsPerNetwork,
    handshakes: handshakesPerNetwork,
    allHandshakes: Math.max(1, Math.floor(maxConnections / 2)),
    isExempt: trustedPeer(trustedProxies),
    refused,
  });
}

interface Guards {
  readonly connections: Connections;
  readonly limits: NetworkLimits;
  readonly refused: NetworkLimitNeeds['refused'];
}

/** Refuses connections beyond the limits, and ends idle ones. */
function guardConnections(
  server: Server,
  { listen, observe }: HostOptions,
  { connections, limits, refused }: Guards,
): void {
  server.maxConnections = listen.maxConnections;
  server.on('drop', () => {
    connections.accepted();
    observe('edge', 503, 0);
    refused('max-connections');
  });
  server.on('connection', (socket: Socket) => {
    connections.accepted();
    if (!limits.admits(socket)) return;
    if (listen.tls === undefined) connections.add(socket);
    else limits.beginHandshake(socket);
  });
  server.on('secureConnection', (socket: TLSSocket) => {
    limits.finishHandshake(socket);
    connections.add(socket);
  });
  const timer = setInterval(() => connections.endIdle(listen), listen.checkInterval);
  timer.unref();
  server.once('close', () => clearInterval(timer));
}

/**
 * Clears OpenSSL's error queue after a handshake. A client certificate with a wrong signature leaves an error there, and
 * the next read from the connection would end it. RFC 8705 wants the request to be answered 401 instead. Asking for the
 * certificate clears the queue.
 */
function forgetFailedSignature(socket: TLSSocket): void {
  socket.getPeerX509Certificate();
}

/** Refuses a request that Node's parser could not read. */
function refuseBroken(
  { log, observe }: HostOptions,
  edge: Edge,
  { connections, id }: { readonly connections: Connections; readonly id: string },
  error: NodeJS.ErrnoException,
  socket: Socket,
): void {
  // Complete requests before the broken one are answered first.
  edge.complete.flush();
  const status = answerClientError(error, socket, connections.lastResponse(socket), edge.envelopes.last, id);
  connections.broke(socket);
  if (status === undefined) return;
  const reason: EdgeReason = status === 408 ? 'slow-request' : 'malformed-http';
  log.info(
    { endpoint: 'edge', status, request_id: id, reason, detail: error.code, address: socket.remoteAddress },
    'refused',
  );
  observe('edge', status, 0);
}

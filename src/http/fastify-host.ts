import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import type { FastifyInstance } from 'fastify';
import Fastify from 'fastify';
import type { Log } from '../ports/log.ts';
import { clientAddressBehind, trustedPeer } from './client-address.ts';
import { type CertificateSources, certificateReader } from './client-certificate.ts';
import type { LastResponses } from './client-error.ts';
import { answerClientError, sendAndClose } from './client-error.ts';
import type { Edge } from './exchange.ts';
import { serve } from './exchange.ts';
import { buildRouter } from './router.ts';
import type { Observe, Site } from './site.ts';
import { type Tenancy, tenantNaming } from './tenancy.ts';
import { secureContextOf, type TlsListen, type TlsMaterial, tlsOptions } from './tls-listener.ts';

/** Times are in milliseconds. */
export interface Listen {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  readonly maxConnections: number;
  /** From the first byte of a request to the end of its header. */
  readonly headersTimeout: number;
  /** From the first byte of a request to the end of its body. */
  readonly requestTimeout: number;
  /** How often the two times above are looked at. */
  readonly checkInterval: number;
  readonly keepAliveTimeout: number;
  /** Networks in CIDR notation whose `X-Forwarded-For` is believed; and, where there are any, nobody else's `Issuer` and `Tenant-ID`. */
  readonly trustedProxies?: readonly string[];
  /** Plain HTTP where it is absent. */
  readonly tls?: TlsListen;
  /** Whether `Client-Cert` is taken from trusted proxies (RFC 9440). */
  readonly certificateHeader?: boolean;
  /** A connection on which nothing moves for so long, in either direction, is cut: its reader has stalled. Default 30,000. */
  readonly stallTimeout?: number;
  /** How long `close` waits for requests under way. */
  readonly closeTimeout: number;
}

/** In bytes. */
export interface Limits {
  readonly body: number;
  readonly header: number;
}

export interface HostOptions {
  readonly sites: readonly Site[];
  /** Where there may be others beside `sites`. */
  readonly tenancy?: Tenancy;
  readonly listen: Listen;
  readonly limits: Limits;
  readonly log: Log;
  readonly observe: Observe;
}

export interface Host {
  readonly address: AddressInfo;
  /** New connections get these certificates; those that are open keep theirs. */
  renewTls(material: TlsMaterial): void;
  /** Takes no more connections, finishes what is under way within `closeTimeout`, cuts what is left. */
  close(): Promise<void>;
}

const STALL_TIMEOUT_MS = 30_000;

/**
 * Puts sites behind one listening socket.
 *
 * Fastify carries the server's life: listening, hooks, closing. Its router, body parsers and error pages
 * would each decide something about a request that `spec/` decides here, so every request leaves it in the
 * first hook, with the target exactly as it was sent.
 */
export async function startHost(options: HostOptions): Promise<Host> {
  const { listen, log, observe } = options;
  const edge: Edge = {
    router: buildRouter(options.sites),
    tenancy: options.tenancy,
    mayNameTenant: tenantNaming(listen.trustedProxies ?? []),
    bodyLimit_bytes: options.limits.body,
    log,
    observe,
    clientAddress: clientAddressBehind(listen.trustedProxies ?? []),
    clientCertificate: certificateReader(certificateSources(listen), log),
    closing: false,
  };
  const last: LastResponses = new WeakMap();
  const app = createApp(options, edge, last);
  limitServer(app.server, options);
  rerouteExceptions(app, observe);
  await app.listen({ host: listen.host, port: listen.port });
  return {
    address: app.server.address() as AddressInfo,
    renewTls(material) {
      if (listen.tls === undefined || !(app.server instanceof TlsServer)) return;
      app.server.setSecureContext(secureContextOf({ ...listen.tls, ...material }));
    },
    async close() {
      edge.closing = true;
      const deadline = setTimeout(() => app.server.closeAllConnections(), listen.closeTimeout);
      await app.close();
      clearTimeout(deadline);
    },
  };
}

function certificateSources({ tls, trustedProxies = [], certificateHeader }: Listen): CertificateSources {
  return {
    tls: tls?.asksForCertificates === true ? { hasAuthorities: tls.clientAuthorities !== '' } : undefined,
    trustedProxy: certificateHeader === true ? trustedPeer(trustedProxies) : undefined,
  };
}

/** Ids for the log that do not come again after a restart. */
function requestIds(): () => string {
  const start = Date.now().toString(36);
  let count = 0;
  return () => `${start}-${++count}`;
}

function createApp(
  { listen, limits, log, observe }: HostOptions,
  edge: Edge,
  last: LastResponses,
): FastifyInstance {
  const http = {
    maxHeaderSize: limits.header,
    headersTimeout: listen.headersTimeout,
    connectionsCheckingInterval: listen.checkInterval,
    // `readHeaders` refuses a missing Host itself, in JSON.
    requireHostHeader: false,
  };
  const { tls } = listen;
  const app = Fastify({
    logger: false,
    ...(tls === undefined ? { http } : { https: { ...http, ...tlsOptions(tls, listen.headersTimeout) } }),
    requestTimeout: listen.requestTimeout,
    keepAliveTimeout: listen.keepAliveTimeout,
    connectionTimeout: listen.stallTimeout ?? STALL_TIMEOUT_MS,
    return503OnClosing: false,
    genReqId: requestIds(),
    // One route for every target: a bad escape must reach the endpoint, not Fastify's error page.
    rewriteUrl: () => '/',
    clientErrorHandler: (error, socket) => {
      const status = answerClientError(error, socket, last);
      if (status === undefined) return;
      log.info({ endpoint: 'edge', status, detail: error.code }, 'refused');
      observe('edge', status, 0);
    },
  });
  app.addHook('onRequest', (request, reply) => {
    reply.hijack();
    last.set(request.raw.socket, reply.raw);
    serve(edge, {
      request: request.raw,
      response: reply.raw,
      target: request.originalUrl,
      id: request.id,
      started: performance.now(),
      tenant: undefined,
    });
  });
  app.all('/', () => undefined);
  return app;
}

function limitServer(server: Server, { listen, observe }: HostOptions): void {
  server.maxConnections = listen.maxConnections;
  server.on('drop', () => observe('edge', 503, 0));
}

/** What Node does not hand to the request listener. */
function rerouteExceptions(app: FastifyInstance, observe: Observe): void {
  const { server } = app;
  const route = (request: IncomingMessage, response: ServerResponse): void => app.routing(request, response);
  server.on('checkContinue', route);
  server.on('checkExpectation', route);
  server.on('connect', (_request, socket) => {
    observe('edge', sendAndClose(socket as Socket, 400), 0);
  });
}

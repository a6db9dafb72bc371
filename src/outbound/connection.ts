import { once } from 'node:events';
import { createConnection, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { FetchFailure, failureFrom } from './fetch-failure.ts';
import type { Resolve } from './resolver.ts';
import { deadline } from './slots.ts';
import { literalAddress, loopbackAddresses, type UrlPolicy } from './url-policy.ts';

/** The most addresses of a name that are tried. */
const ADDRESSES_MAX = 8;
const CONNECT_TIMEOUT_MS = 2000;

/** RFC 8305 §8: how long one address is tried before the next. */
const ATTEMPT_TIMEOUT_MS = 500;

/** Opens TCP connections to one of these addresses, and to no other. */
export type Dial = (addresses: readonly string[], port: number) => Socket;

export interface ConnectionNeeds {
  readonly policy: Pick<UrlPolicy, 'addressProblem'>;
  readonly resolve: Resolve;
  readonly dial: Dial;
  /** PEM; undefined for the certification authorities that the runtime trusts. */
  readonly certificateAuthorities: readonly string[] | undefined;
  /** Counts a connection to these addresses. Returns false if they have too many. */
  readonly reach: (addresses: readonly string[]) => Promise<boolean>;
}

/**
 * Opens a connection and sends nothing on it. Looks the name up once and dials exactly the addresses that passed the
 * check, so a second answer of the name server (DNS rebinding) is never used.
 * @throws FetchFailure
 */
export async function openConnection(needs: ConnectionNeeds, url: URL, signal: AbortSignal): Promise<Socket> {
  const addresses = await permittedAddresses(needs, url.hostname, signal);
  if (!(await needs.reach(addresses)))
    throw new FetchFailure('busy', `no slot for the addresses of ${url.hostname}`);
  signal.throwIfAborted();
  const isTls = url.protocol === 'https:';
  const port = Number(url.port === '' ? (isTls ? 443 : 80) : url.port);
  using limit = deadline(CONNECT_TIMEOUT_MS, signal);
  const socket = needs.dial(addresses, port);
  // A socket may fail between two steps, while no step listens.
  socket.on('error', () => undefined);
  try {
    await reached(socket, 'connect', 'connection', limit.signal);
    checkPeer(needs, socket);
    return isTls ? await secured(needs, socket, url, limit.signal) : socket;
  } catch (failure) {
    socket.destroy();
    throw failure;
  }
}

export const dial: Dial = (addresses, port) =>
  createConnection({
    // With a literal as host, Node does not ask `lookup` and does not try a second address.
    host: 'checked-addresses.invalid',
    port,
    lookup: fixedLookup(addresses),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ATTEMPT_TIMEOUT_MS,
  });

function fixedLookup(addresses: readonly string[]): LookupFunction {
  const answer = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_hostname, _options, callback) => {
    process.nextTick(callback, null, answer);
  };
}

async function permittedAddresses(
  { policy, resolve }: ConnectionNeeds,
  hostname: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const literal = literalAddress(hostname);
  const known = literal === undefined ? loopbackAddresses(hostname) : [literal];
  const addresses = known ?? (await resolved(resolve, hostname, signal));
  const judged = addresses.map((address) => ({ address, use: policy.addressProblem(address) }));
  const permitted = judged.filter(({ use }) => use === undefined).map(({ address }) => address);
  if (permitted.length > 0) return permitted.slice(0, ADDRESSES_MAX);
  const words = judged.slice(0, ADDRESSES_MAX).map(({ address, use }) => `${address}: ${use}`);
  throw new FetchFailure('forbidden-address', words.join('; '));
}

async function resolved(resolve: Resolve, name: string, signal: AbortSignal): Promise<readonly string[]> {
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(new FetchFailure('timeout', 'while the name was looked up'));
  signal.addEventListener('abort', abort, { once: true });
  try {
    const addresses = await Promise.race([resolve(name, signal), aborted.promise]);
    if (addresses.length === 0) throw new FetchFailure('unresolvable', 'no addresses');
    return addresses;
  } catch (failure) {
    throw failureFrom(failure, 'unresolvable');
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** Checks the address that the kernel reports for the connection. It counts more than the dialled address. */
function checkPeer({ policy }: ConnectionNeeds, { remoteAddress }: Socket): void {
  if (remoteAddress === undefined) throw new FetchFailure('connection', 'closed at once');
  const use = policy.addressProblem(remoteAddress);
  if (use !== undefined) throw new FetchFailure('forbidden-address', `connected to ${remoteAddress}: ${use}`);
}

async function secured(
  { certificateAuthorities }: ConnectionNeeds,
  socket: Socket,
  { hostname }: URL,
  limit: AbortSignal,
): Promise<TLSSocket> {
  const literal = literalAddress(hostname);
  const secure = connectTls({
    socket,
    // Compared with the certificate. RFC 6066 §3 permits no addresses in the SNI extension.
    host: literal ?? hostname,
    ...(literal === undefined ? { servername: hostname } : {}),
    ALPNProtocols: ['http/1.1'],
    minVersion: 'TLSv1.2',
    // Set explicitly, so that NODE_TLS_REJECT_UNAUTHORIZED has no effect.
    rejectUnauthorized: true,
    ...(certificateAuthorities === undefined ? {} : { ca: [...certificateAuthorities] }),
  });
  secure.on('error', () => undefined);
  await reached(secure, 'secureConnect', 'tls', limit);
  return secure;
}

async function reached(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  reason: 'connection' | 'tls',
  limit: AbortSignal,
): Promise<void> {
  try {
    await once(socket, event, { signal: limit });
  } catch (failure) {
    if (limit.aborted) throw new FetchFailure('timeout', `before ${event}`, { cause: failure });
    throw failureFrom(failure, reason);
  }
}

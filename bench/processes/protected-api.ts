/**
 * An API on `node:http` that checks the access token of each request in one of four ways. The parent process cuts or freezes
 * its stream of revocations.
 */
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { allowInsecureRequests, ClientSecretBasic, Configuration, tokenIntrospection } from 'openid-client';
import { resourceServer } from '../../src/resource-server/resource-server.ts';

export type Check = 'none' | 'feed' | 'introspection' | 'openid-client, 10 s cache';

export interface ProtectedApiOptions {
  readonly check: Check;
  readonly port: number;
  readonly issuer: string;
  /** Where the server of the issuer listens. */
  readonly url: string;
  readonly client_id: string;
  readonly client_secret: string;
}

/** A fault that the parent puts on the stream. */
export type StreamFault = 'cut' | 'freeze';

const { check, port, issuer, url, client_id, client_secret } = JSON.parse(
  process.argv[2] ?? '',
) as ProtectedApiOptions;
const CACHE_MS = 10_000;
const BODY = JSON.stringify([{ id: 1, item: 'sealing wax' }]);
let fault: (kind: StreamFault) => void = () => undefined;

/** Passes the stream on until a fault: `cut` ends it, `freeze` lets nothing through. */
const faultyFetch: typeof fetch = async (input, init) => {
  // Without the proxy in front of the server.
  const address = input instanceof Request ? input.url : String(input);
  const answer = await fetch(address.replace(issuer, url), init);
  if (!answer.headers.get('content-type')?.startsWith('text/event-stream') || answer.body === null)
    return answer;
  let isFrozen = false;
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      if (!isFrozen) controller.enqueue(chunk);
    },
  });
  const cut = new AbortController();
  fault = (kind) => {
    if (kind === 'cut') cut.abort();
    else isFrozen = true;
  };
  answer.body.pipeTo(writable, { signal: cut.signal }).catch(() => undefined);
  return new Response(readable, { status: answer.status, headers: answer.headers });
};

type Authorized = (authorization: string) => Promise<boolean>;

function byPackage(feed: boolean): { readonly isLive: () => boolean; readonly authorized: Authorized } {
  const api = resourceServer({
    issuer,
    audience: issuer,
    credentials: { client_id, client_secret },
    feed,
    introspections: 1000,
    fetch: faultyFetch,
  });
  return {
    isLive: () => !feed || api.isLive(),
    authorized: async (authorization) =>
      'token' in (await api.check({ method: 'GET', url: '/', authorization })),
  };
}

/** Introspection by another library, whose answers are kept for ten seconds, as gateways do. */
function byPeer(): Authorized {
  const metadata = { issuer, introspection_endpoint: `${url}/token/introspect` };
  const configuration = new Configuration(metadata, client_id, undefined, ClientSecretBasic(client_secret));
  allowInsecureRequests(configuration);
  const kept = new Map<string, { readonly until: number; readonly active: boolean }>();
  return async (authorization) => {
    const token = authorization.slice('Bearer '.length);
    const known = kept.get(token);
    if (known !== undefined && known.until > performance.now()) return known.active;
    const { active } = await tokenIntrospection(configuration, token);
    kept.set(token, { until: performance.now() + CACHE_MS, active });
    return active;
  };
}

const packaged = check === 'feed' || check === 'introspection' ? byPackage(check === 'feed') : undefined;
const authorized: Authorized =
  packaged?.authorized ?? (check === 'none' ? async () => await Promise.resolve(true) : byPeer());

const server = createServer((request, response) => {
  const answer = (isAuthorized: boolean): void => {
    const body = isAuthorized ? BODY : '{}';
    const headers = { 'content-type': 'application/json', 'content-length': body.length };
    response.writeHead(isAuthorized ? 200 : 401, headers).end(body);
  };
  authorized(request.headers.authorization ?? '').then(answer, () => answer(false));
});

const isReady = (): boolean => packaged === undefined || packaged.isLive();
while (!isReady()) await sleep(20);
server.listen(port, '127.0.0.1', () => process.send?.('ready'));
process.on('message', (kind: StreamFault) => fault(kind));
process.on('SIGTERM', () => process.exit());
process.on('disconnect', () => process.exit());

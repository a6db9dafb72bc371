/** How the resource server authenticates: with its client secret, or with an access token that has the introspection scope. */
export type Credentials =
  | { readonly client_id: string; readonly client_secret: string }
  | { readonly bearer: string | (() => Promise<string>) };

export interface AuthorizationServerOptions {
  readonly issuer: string;
  readonly credentials: Credentials;
  readonly fetch: typeof fetch;
  /** Milliseconds for one request. */
  readonly timeout: number;
  /** Introspections at once. Beyond it a request is refused with 503. */
  readonly introspectionsMax: number;
}

/** The requests that a resource server sends to its authorisation server. */
export interface AuthorizationServer {
  keys(): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Returns the introspection answer (RFC 7662 §2.2). Requests for one token share an answer. */
  introspect(token: string): Promise<Readonly<Record<string, unknown>>>;
  openFeed(cursor: string | undefined, signal: AbortSignal): Promise<Response>;
}

interface Metadata {
  readonly issuer: string;
  readonly jwks_uri: string;
  readonly introspection_endpoint: string;
  readonly chancery_revocation_feed_endpoint?: string;
}

export function authorizationServer(options: AuthorizationServerOptions): AuthorizationServer {
  const { issuer, credentials, fetch: send, timeout, introspectionsMax } = options;
  const asking = new Map<string, Promise<Readonly<Record<string, unknown>>>>();
  let metadata: Promise<Metadata> | undefined;

  const json = async (url: string, request: RequestInit = {}): Promise<unknown> => {
    const answer = await send(url, { ...request, redirect: 'error', signal: AbortSignal.timeout(timeout) });
    if (answer.status !== 200) {
      void answer.body?.cancel();
      throw new Error(`${url} answers ${answer.status}`);
    }
    return await answer.json();
  };
  const discover = async (): Promise<Metadata> => {
    const found = (await json(`${issuer}/.well-known/openid-configuration`)) as Metadata;
    if (found.issuer !== issuer) throw new Error(`${issuer} calls itself ${found.issuer}`);
    return found;
  };
  const discovered = async (): Promise<Metadata> => {
    metadata ??= discover();
    try {
      return await metadata;
    } catch (failure) {
      metadata = undefined;
      throw failure;
    }
  };
  const form = async (values: Readonly<Record<string, string>>): Promise<RequestInit> => ({
    method: 'POST',
    headers: { authorization: await authorizationOf(credentials), 'content-type': FORM },
    body: new URLSearchParams(values).toString(),
  });
  const ask = async (token: string): Promise<Readonly<Record<string, unknown>>> => {
    const { introspection_endpoint: url } = await discovered();
    const answer = await json(url, await form({ token, token_type_hint: 'access_token' }));
    if (typeof answer !== 'object' || answer === null)
      throw new Error('the introspection answer is no object');
    return answer as Readonly<Record<string, unknown>>;
  };

  return {
    async keys() {
      const found = (await json((await discovered()).jwks_uri)) as { readonly keys?: unknown };
      return Array.isArray(found.keys) ? (found.keys as readonly Readonly<Record<string, unknown>>[]) : [];
    },
    async introspect(token) {
      const shared = asking.get(token);
      if (shared !== undefined) return await shared;
      if (asking.size >= introspectionsMax) throw new Error('too many introspections at once');
      const answer = ask(token).finally(() => asking.delete(token));
      asking.set(token, answer);
      return await answer;
    },
    async openFeed(cursor, signal) {
      const { chancery_revocation_feed_endpoint: url } = await discovered();
      if (url === undefined) return new Response(null, { status: 404 });
      const request = await form(cursor === undefined ? {} : { cursor });
      return await send(url, { ...request, redirect: 'error', signal });
    },
  };
}

const FORM = 'application/x-www-form-urlencoded';

async function authorizationOf(credentials: Credentials): Promise<string> {
  if ('bearer' in credentials) {
    const { bearer } = credentials;
    return `Bearer ${typeof bearer === 'string' ? bearer : await bearer()}`;
  }
  const { client_id, client_secret } = credentials;
  // RFC 6749 §2.3.1 encodes both as in a form.
  const encoded = [client_id, client_secret].map((text) =>
    new URLSearchParams([['', text]]).toString().slice(1),
  );
  return `Basic ${Buffer.from(encoded.join(':')).toString('base64')}`;
}

import { createHash } from 'node:crypto';
import { signedJwt, type TestKey, testKey } from './jwt.ts';

export const ISSUER = 'https://op.example.com/c2';
export const API = 'https://api.example.com';
export const KEY = testKey('ES256', 'first');
export const OTHER_KEY = testKey('ES256', 'second');

export const athOf = (token: string): string => createHash('sha256').update(token).digest('base64url');
export const nowSeconds = (): number => Math.floor(Date.now() / 1000);

/** An authorisation server that a test moves by hand. */
export class FollowedServer {
  readonly asked: string[] = [];
  readonly cursors: (string | undefined)[] = [];
  readonly opaque = new Map<string, object>();
  readonly ended = new Set<string>();
  keys: readonly TestKey[] = [KEY];
  /** Without it, the server is away. */
  isThere = true;
  hasFeed = true;
  /** Claims of the first piece of each stream. */
  first: object = {};
  #stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  #place = 0;
  #opened = 0;

  readonly fetch: typeof fetch = async (input, request) => {
    if (!this.isThere) throw new TypeError('fetch failed');
    const { pathname } = new URL(input instanceof Request ? input.url : input);
    if (pathname.endsWith('/openid-configuration'))
      return Response.json({
        issuer: ISSUER,
        jwks_uri: `${ISSUER}/jwks.json`,
        introspection_endpoint: `${ISSUER}/token/introspect`,
        ...(this.hasFeed ? { chancery_revocation_feed_endpoint: `${ISSUER}/token/revocations` } : {}),
      });
    if (pathname.endsWith('/jwks.json')) return Response.json({ keys: this.keys.map(({ jwk }) => jwk) });
    const form = new URLSearchParams(typeof request?.body === 'string' ? request.body : '');
    if (pathname.endsWith('/token/introspect'))
      return Response.json(this.#introspect(form.get('token') ?? ''));
    return this.#feed(form.get('cursor') ?? undefined, request?.signal ?? undefined);
  };

  #introspect(token: string): object {
    this.asked.push(token);
    if (this.ended.has(token)) return { active: false };
    const known = this.opaque.get(token);
    if (known !== undefined) return { active: true, ...known };
    const claims = token.startsWith('eyJ')
      ? (JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as object)
      : undefined;
    return claims === undefined ? { active: false } : { active: true, ...claims };
  }

  #feed(cursor: string | undefined, signal: AbortSignal | undefined): Response {
    this.cursors.push(cursor);
    this.#opened += 1;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#stream = controller;
        signal?.addEventListener('abort', () => controller.error(signal.reason));
      },
    });
    this.tell([], this.first);
    return new Response(body, { status: 200 });
  }

  get opened(): number {
    return this.#opened;
  }

  /** Sends a piece. @param change other claims */
  tell(events: readonly object[], change: object, key: TestKey = KEY, header: object = {}): void {
    const after = String(this.#place);
    if (events.length > 0) this.#place += events.length;
    const claims = { iss: ISSUER, iat: nowSeconds(), after, cursor: String(this.#place), events, ...change };
    this.write(
      `event: revocations\nid: x\ndata: ${signedJwt(key, claims, { typ: 'revocation-feed+jwt', ...header })}\n\n`,
    );
  }

  write(text: string): void {
    this.#stream?.enqueue(new TextEncoder().encode(text));
  }

  end(reason = 'server-stops'): void {
    this.write(`event: end\ndata: {"reason":"${reason}"}\n\n`);
  }
}

/** A token that is so young that the feed tells everything about it. */
export const YOUNG = 100;

export function aToken(change: object = {}, key: TestKey = KEY, header: object = {}): string {
  const iat = nowSeconds() + YOUNG;
  const claims = {
    iss: ISSUER,
    aud: API,
    sub: 'alice',
    client_id: 'app',
    scope: 'read write',
    jti: `t${Math.random()}`,
    iat,
    exp: iat + 600,
    ...change,
  };
  return signedJwt(key, claims, { typ: 'at+jwt', ...header });
}

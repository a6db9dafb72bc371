import { decodeJwt, decodeProtectedHeader, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { objectOf, type Reply, type Sent } from './http.ts';
import type { Json, Target } from './world.ts';

/** Changes a response of the provider on its way to a module. */
export type Tamper = (reply: Reply, sent: Sent) => Reply | Promise<Reply>;

/** Returns the provider as it would be with this fault. */
export function faulty(target: Target, tamper: Tamper): Target {
  return { ...target, send: async (url, sent = {}) => await tamper(await target.send(url, sent), sent) };
}

const at = (reply: Reply, path: string): boolean => new URL(reply.url).pathname.endsWith(path);

/** Changes the JSON object that a path answers; a change to `undefined` removes a member. */
export function json(path: string, change: (object: Json) => Json): Tamper {
  return (reply) =>
    at(reply, path)
      ? { ...reply, text: JSON.stringify({ ...objectOf(reply), ...change(objectOf(reply)) }) }
      : reply;
}

export function headers(path: string, change: Reply['headers']): Tamper {
  return (reply) => (at(reply, path) ? { ...reply, headers: { ...reply.headers, ...change } } : reply);
}

export function status(path: string, code: number, when: (reply: Reply) => boolean = () => true): Tamper {
  return (reply) => (at(reply, path) && when(reply) ? { ...reply, status: code } : reply);
}

/** Changes the parameters of redirections to the relying party, wherever they are. */
export function answer(change: (parameters: URLSearchParams) => void): Tamper {
  return (reply) => {
    const url = redirection(reply);
    if (url === undefined) return reply;
    change(url.searchParams);
    if (url.hash.includes('=')) {
      const fragment = new URLSearchParams(url.hash.slice(1));
      change(fragment);
      url.hash = fragment.toString();
    }
    return { ...reply, headers: { ...reply.headers, location: url.href } };
  };
}

/** Sends the browser to the relying party with a code instead of an error page. */
export const acceptedAnyway: Tamper = (reply) =>
  reply.status === 400 && headerOf(reply).startsWith('text/html')
    ? {
        ...reply,
        status: 303,
        headers: { location: 'https://suite.example/test/a/x/callback?code=given-without-right' },
      }
    : reply;

/** Changes the pages of the provider. */
export function pages(change: (html: string) => string): Tamper {
  return (reply) =>
    headerOf(reply).startsWith('text/html') ? { ...reply, text: change(reply.text) } : reply;
}

function headerOf({ headers: { 'content-type': type } }: Reply): string {
  return typeof type === 'string' ? type : '';
}

/** Puts what is in the fragment of a redirection into its query. */
export const fragmentInQuery: Tamper = (reply) => {
  const url = redirection(reply);
  if (url === undefined || url.hash === '') return reply;
  return {
    ...reply,
    headers: { ...reply.headers, location: url.href.replace('#', url.search === '' ? '?' : '&') },
  };
};

function redirection({ headers: { location } }: Reply): URL | undefined {
  return typeof location === 'string' && location.startsWith('https://suite.example')
    ? new URL(location)
    : undefined;
}

/** Changes the claims of every ID token, and signs it with a key that is in the key set then. */
export async function idTokens(change: (claims: Json) => Json): Promise<Tamper> {
  const { privateKey, publicKey } = await generateKeyPair('RS256');
  const key = { ...(await exportJWK(publicKey)), kid: 'another', use: 'sig', alg: 'RS256' };
  const resigned = async (jwt: string): Promise<string> =>
    await new SignJWT({ ...decodeJwt(jwt), ...change(decodeJwt(jwt)) })
      .setProtectedHeader({ ...decodeProtectedHeader(jwt), alg: 'RS256', kid: key.kid })
      .sign(privateKey);
  return async (reply) => {
    const object = objectOf(reply);
    if (Array.isArray(object['keys']))
      return { ...reply, text: JSON.stringify({ keys: [...object['keys'], key] }) };
    const { id_token } = object;
    if (typeof id_token !== 'string') return reply;
    return { ...reply, text: JSON.stringify({ ...object, id_token: await resigned(id_token) }) };
  };
}

/** Breaks the signature of the ID tokens in responses of the token endpoint. */
export const brokenSignature: Tamper = json('/token', ({ id_token }) =>
  typeof id_token === 'string'
    ? { id_token: `${id_token.slice(0, id_token.lastIndexOf('.') + 1)}${'A'.repeat(342)}` }
    : {},
);

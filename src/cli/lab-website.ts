import type { IncomingMessage } from 'node:http';
import { joseJwtInspector } from '../jose/jwt-verifier.ts';
import { digestOf } from '../keys/digest.ts';
import type { JsonWebKey } from '../spec/jwk.ts';
import { systemRandom } from '../system/random.ts';
import { entityIdOf, type FederationLab } from './federation-lab.ts';
import { labClientJwt, websiteCallback } from './lab-statements.ts';

/** A response of the website. */
export interface WebsitePage {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly html: string;
}

/** The memory of the website between its two requests of one sign-in. */
interface SignIn {
  readonly state: string;
  readonly nonce: string;
  readonly code_verifier: string;
}

interface Discovery {
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
  readonly jwks_uri: string;
}

type Claims = Readonly<Record<string, unknown>>;

const COOKIE = 'chancery_federation_website';
/** Sign-ins that have not ended. The oldest is forgotten. */
const SIGN_INS_MAX = 100;
const SECRET_LENGTH = 43;
const REQUEST_LIFETIME = 300;
const LENGTH_MAX = 65_536;
const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/**
 * A relying party that never registers: its entity identifier is its client_id, and its first request object registers it
 * (OpenID Federation 1.0 §12.1). People sign in there with a browser.
 */
export class LabWebsite {
  readonly #lab: FederationLab;
  readonly #signIns = new Map<string, SignIn>();

  constructor(lab: FederationLab) {
    this.#lab = lab;
  }

  /** Answers a request below the website's path; undefined for an unknown path. */
  async answer(url: URL, request: IncomingMessage): Promise<WebsitePage | undefined> {
    const home = new URL(entityIdOf(this.#lab, 'website')).pathname;
    try {
      if (url.pathname === home) return this.#home();
      if (url.pathname === `${home}/sign-in`) return await this.#begin();
      if (url.pathname === `${home}/callback`) return await this.#end(url, cookieOf(request));
      return undefined;
    } catch (failure) {
      return page(400, 'That did not work', `<p id="problem">${escaped(String(failure))}</p>`);
    }
  }

  #home(): WebsitePage {
    const { issuer } = this.#lab;
    const client_id = entityIdOf(this.#lab, 'website');
    return page(
      200,
      'Website of the federation',
      `<p>This relying party, <code>${escaped(client_id)}</code>, is not registered at <code>${escaped(issuer)}</code>. Its first request registers it, because both trust the same anchor.</p><p><a href="${escaped(client_id)}/sign-in">Sign in</a></p>`,
    );
  }

  async #begin(): Promise<WebsitePage> {
    const { authorization_endpoint } = await this.#discovery();
    const client_id = entityIdOf(this.#lab, 'website');
    const [handle = '', ...made] = Array.from({ length: 4 }, () => systemRandom.alphanumeric(SECRET_LENGTH));
    const [state = '', nonce = '', code_verifier = ''] = made;
    this.#remember(handle, { state, nonce, code_verifier });
    const parameters = {
      client_id,
      response_type: 'code',
      redirect_uri: websiteCallback(this.#lab),
      scope: 'openid profile email',
      state,
      nonce,
      code_challenge: digestOf(code_verifier),
      code_challenge_method: 'S256',
    };
    const request = await labClientJwt(
      this.#lab,
      'website',
      { ...parameters, exp: seconds() + REQUEST_LIFETIME },
      'oauth-authz-req+jwt',
    );
    const query = new URLSearchParams({ client_id, response_type: 'code', scope: parameters.scope, request });
    return {
      status: 303,
      headers: {
        location: `${authorization_endpoint}?${query.toString()}`,
        'set-cookie': `${COOKIE}=${handle}; Path=/website; HttpOnly; SameSite=Lax`,
      },
      html: '',
    };
  }

  #remember(handle: string, signIn: SignIn): void {
    const [oldest] = this.#signIns.keys();
    if (this.#signIns.size >= SIGN_INS_MAX && oldest !== undefined) this.#signIns.delete(oldest);
    this.#signIns.set(handle, signIn);
  }

  async #end({ searchParams }: URL, handle: string): Promise<WebsitePage> {
    const signIn = this.#signIns.get(handle);
    this.#signIns.delete(handle);
    if (signIn === undefined || searchParams.get('state') !== signIn.state)
      throw new Error('this browser has begun no sign-in here');
    const error = searchParams.get('error');
    if (error !== null) throw new Error(`${error}: ${searchParams.get('error_description') ?? ''}`);
    const claims = await this.#claims(searchParams.get('code') ?? '', signIn);
    const shown = `<pre>${escaped(JSON.stringify(claims, null, 2))}</pre>`;
    return page(200, 'Signed in', shown);
  }

  /** Exchanges the code, and verifies the ID token (OpenID Connect Core 1.0 §3.1.3.7). */
  async #claims(code: string, { nonce, code_verifier }: SignIn): Promise<Claims> {
    const { token_endpoint, jwks_uri } = await this.#discovery();
    const client_id = entityIdOf(this.#lab, 'website');
    const assertion = { sub: client_id, exp: seconds() + REQUEST_LIFETIME };
    const form = {
      grant_type: 'authorization_code',
      code,
      code_verifier,
      redirect_uri: websiteCallback(this.#lab),
      client_id,
      client_assertion_type: ASSERTION_TYPE,
      client_assertion: await labClientJwt(this.#lab, 'website', assertion, 'JWT'),
    };
    const tokens = await json(token_endpoint, { method: 'POST', body: new URLSearchParams(form) });
    const jwt = joseJwtInspector.inspect(String(tokens['id_token']), LENGTH_MAX);
    if ('reason' in jwt) throw new Error('the answer has no ID token');
    const { keys } = (await json(jwks_uri)) as { readonly keys: readonly JsonWebKey[] };
    const problem = await joseJwtInspector.signatureProblem(jwt, keys, ['RS256']);
    const { claims } = jwt;
    const isMine =
      claims['iss'] === this.#lab.issuer && claims['aud'] === client_id && claims['nonce'] === nonce;
    if (problem !== undefined || !isMine || Number(claims['exp']) <= seconds())
      throw new Error('the ID token is not for this sign-in');
    return claims;
  }

  async #discovery(): Promise<Discovery> {
    return (await json(`${this.#lab.issuer}/.well-known/openid-configuration`)) as unknown as Discovery;
  }
}

const seconds = (): number => Math.floor(Date.now() / 1000);

async function json(url: string, init: RequestInit = {}): Promise<Claims> {
  const response = await fetch(url, init);
  const body = (await response.json()) as Claims;
  if (response.ok) return body;
  throw new Error(`${url} answers ${response.status}: ${JSON.stringify(body)}`);
}

function cookieOf({ headers: { cookie = '' } }: IncomingMessage): string {
  return new RegExp(`(?:^|; )${COOKIE}=([A-Za-z0-9]+)`, 'u').exec(cookie)?.[1] ?? '';
}

function page(status: number, title: string, body: string): WebsitePage {
  return {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' },
    html: `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>${title}</title><style>body{font:1rem system-ui;max-width:40rem;margin:2rem auto;padding:0 1rem}pre{overflow:auto}code{overflow-wrap:anywhere}</style><h1>${title}</h1>${body}</html>`,
  };
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/gu, (character) => `&#${character.codePointAt(0)};`);
}

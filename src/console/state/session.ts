import { computed, signal } from '@preact/signals';
import { ChanceryError, createClient } from '../../client/client.ts';
import { configuration } from './configuration.ts';
import { challengeOf, randomText } from './pkce.ts';

/** The signed-in person. The tokens are in no member: only this module has them, and only in memory. */
export interface Person {
  readonly sub: string;
  readonly name: string;
  readonly scope: readonly string[];
}

export type Session =
  | { readonly state: 'starting' }
  | { readonly state: 'signed-out'; readonly problem?: string }
  /** The account may not administer anything. */
  | { readonly state: 'no-role'; readonly person: Person }
  | { readonly state: 'signed-in'; readonly person: Person }
  /** The session of the person has ended elsewhere, or its tokens have expired. The page keeps its content. */
  | { readonly state: 'expired'; readonly person: Person };

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string | undefined;
  readonly id_token: string | undefined;
  /** In milliseconds of `performance.now`, which no change of the clock moves. */
  readonly expires: number;
}

/** The part of a sign-in that must be there when the browser returns. It holds no token, and is removed when it is read. */
interface Attempt {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** The place to return to. */
  readonly hash: string;
  readonly silent: boolean;
}

const ATTEMPT = 'chancery-console-sign-in';
const SIGNED_OUT = 'chancery-console-signed-out';
/** Tokens are renewed so long before they expire. */
const MARGIN_MS = 60_000;

/** Refusals of a silent sign-in that a sign-in with a page may overcome. */
const NEEDS_PAGE: ReadonlySet<string> = new Set([
  'login_required',
  'interaction_required',
  'consent_required',
  'account_selection_required',
]);

const current = signal<Session>({ state: 'starting' });
export const session = computed(() => current.value);

let tokens: Tokens | undefined;
let renewing: Promise<void> | undefined;

const issuer = createClient({
  issuer: configuration.issuer,
  credentials: { client_id: configuration.client_id },
});

/** Says whether the person may do what a scope value stands for: `admin:X` and `admin:X:write` contain `admin:X:read`. */
export function may(needed: string): boolean {
  const now = current.value;
  if (now.state !== 'signed-in' && now.state !== 'expired') return false;
  const { scope } = now.person;
  if (scope.includes(needed)) return true;
  const area = /^(.*):read$/u.exec(needed)?.[1];
  return area !== undefined && (scope.includes(area) || scope.includes(`${area}:write`));
}

/** Finishes a sign-in that the browser returns from, or asks the server silently whether the person is signed in. */
export async function startSession(): Promise<void> {
  const attempt = takeAttempt();
  const answer = new URLSearchParams(location.hash.slice(1));
  const isAnswer = answer.has('state') && (answer.has('code') || answer.has('error'));
  // The code leaves the address and the history before anything else happens. An empty text would leave both as they are.
  const { hash = '' } = attempt ?? {};
  if (isAnswer) history.replaceState(null, '', hash === '' ? '#/' : hash);
  if (!isAnswer) {
    if (sessionStorage.getItem(SIGNED_OUT) !== null) {
      sessionStorage.removeItem(SIGNED_OUT);
      current.value = { state: 'signed-out' };
    } else await beginSignIn(true);
    return;
  }
  dispatchEvent(new HashChangeEvent('hashchange'));
  if (attempt === undefined || answer.get('state') !== attempt.state || !isFromIssuer(answer)) {
    current.value = { state: 'signed-out' };
    return;
  }
  const code = answer.get('code');
  if (code === null) refused(attempt, answer.get('error') ?? '', answer.get('error_description'));
  else await finish(attempt, code);
}

/** RFC 9207 §2.4: a response of another issuer is not for this client. */
function isFromIssuer(answer: URLSearchParams): boolean {
  const iss = answer.get('iss');
  return iss === null || iss === configuration.issuer;
}

function refused({ silent }: Attempt, error: string, description: string | null): void {
  current.value =
    silent && NEEDS_PAGE.has(error)
      ? { state: 'signed-out' }
      : { state: 'signed-out', problem: description ?? error };
}

async function finish({ verifier, nonce }: Attempt, code: string): Promise<void> {
  try {
    const body = await issuer.token({
      form: {
        grant_type: 'authorization_code',
        code,
        redirect_uri: configuration.url,
        code_verifier: verifier,
      },
    });
    take(body, nonce);
  } catch (failure) {
    current.value = { state: 'signed-out', problem: words(failure) };
  }
}

interface TokenAnswer {
  readonly access_token: string;
  readonly expires_in?: number;
  readonly refresh_token?: string;
  readonly id_token?: string;
  readonly scope?: string;
}

/** Keeps the tokens of a response, and learns from it who the person is. */
function take(answer: TokenAnswer, nonce?: string): void {
  const claims = answer.id_token === undefined ? undefined : claimsOf(answer.id_token);
  if (nonce !== undefined && claims?.nonce !== nonce) throw new Error('the ID token has another nonce');
  tokens = {
    access_token: answer.access_token,
    refresh_token: answer.refresh_token ?? tokens?.refresh_token,
    id_token: answer.id_token ?? tokens?.id_token,
    expires: performance.now() + (answer.expires_in ?? 300) * 1000,
  };
  const before = current.value;
  const known = 'person' in before ? before.person : undefined;
  const sub = claims?.sub ?? known?.sub ?? '';
  const person: Person = {
    sub,
    name: claims?.name ?? claims?.preferred_username ?? known?.name ?? sub,
    scope: answer.scope?.split(' ') ?? known?.scope ?? [],
  };
  const isAdmin = person.scope.some((value) => value.startsWith('admin:'));
  current.value = { state: isAdmin ? 'signed-in' : 'no-role', person };
}

interface Claims {
  readonly sub?: string;
  readonly nonce?: string;
  readonly name?: string;
  readonly preferred_username?: string;
}

/** The ID token comes from the token endpoint itself, whose TLS vouches for it (OpenID Connect Core 1.0 §3.1.3.7, 6). */
function claimsOf(idToken: string): Claims {
  const text = atob((idToken.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/'));
  const octets = Uint8Array.from(text, (character) => character.codePointAt(0) ?? 0);
  return JSON.parse(new TextDecoder().decode(octets)) as Claims;
}

/** Leaves for the sign-in of the server. @param silent returns at once, without a page, where the person is not signed in */
export async function beginSignIn(silent: boolean): Promise<void> {
  const attempt: Attempt = {
    state: randomText(),
    nonce: randomText(),
    verifier: randomText(),
    hash: location.hash,
    silent,
  };
  try {
    const { authorization_endpoint: endpoint } = await issuer.openidConfiguration();
    if (endpoint === undefined) throw new Error('the server has no authorization endpoint');
    sessionStorage.setItem(ATTEMPT, JSON.stringify(attempt));
    const request = new URL(endpoint);
    // Without `scope` the server takes what the console is registered for, and of that what the role of the account allows.
    request.search = new URLSearchParams({
      client_id: configuration.client_id,
      response_type: 'code',
      // A fragment reaches no server, no proxy and no referrer.
      response_mode: 'fragment',
      redirect_uri: configuration.url,
      state: attempt.state,
      nonce: attempt.nonce,
      code_challenge: await challengeOf(attempt.verifier),
      code_challenge_method: 'S256',
      claims: JSON.stringify({ id_token: { name: null, preferred_username: null } }),
      ui_locales: document.documentElement.lang,
      ...(silent ? { prompt: 'none' } : {}),
    }).toString();
    location.replace(request);
  } catch (failure) {
    current.value = { state: 'signed-out', problem: words(failure) };
  }
}

function takeAttempt(): Attempt | undefined {
  const kept = sessionStorage.getItem(ATTEMPT);
  sessionStorage.removeItem(ATTEMPT);
  return kept === null ? undefined : (JSON.parse(kept) as Attempt);
}

/** Returns a token for the next request. Renews it first if it is about to expire. */
export async function accessToken(): Promise<string> {
  if (tokens !== undefined && performance.now() > tokens.expires - MARGIN_MS) {
    renewing ??= renew().finally(() => {
      renewing = undefined;
    });
    await renewing;
  }
  return tokens?.access_token ?? '';
}

async function renew(): Promise<void> {
  const refresh_token = tokens?.refresh_token;
  if (refresh_token === undefined) {
    if (tokens !== undefined && performance.now() >= tokens.expires) expire();
    return;
  }
  try {
    take(await issuer.token({ form: { grant_type: 'refresh_token', refresh_token } }));
  } catch (failure) {
    // Without the network the token may still be good, and the next request tries again.
    if (failure instanceof ChanceryError && failure.status < 500) expire();
  }
}

/** Notes that the server no longer accepts the tokens. */
export function expire(): void {
  const now = current.value;
  tokens = undefined;
  if (now.state === 'signed-in') current.value = { state: 'expired', person: now.person };
}

/** Ends the session at the server (OpenID Connect RP-Initiated Logout 1.0 §2). A form posts the ID token: no address has it. */
export async function signOut(): Promise<void> {
  const id_token_hint = tokens?.id_token;
  tokens = undefined;
  sessionStorage.setItem(SIGNED_OUT, '1');
  const { end_session_endpoint: endpoint } = await issuer.openidConfiguration();
  if (endpoint === undefined) {
    current.value = { state: 'signed-out' };
    return;
  }
  const form = document.createElement('form');
  form.method = 'post';
  form.action = endpoint;
  const fields = {
    id_token_hint,
    client_id: configuration.client_id,
    post_logout_redirect_uri: configuration.url,
    ui_locales: document.documentElement.lang,
  };
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    const field = document.createElement('input');
    field.type = 'hidden';
    field.name = name;
    field.value = value;
    form.append(field);
  }
  document.body.append(form);
  form.submit();
}

const words = (failure: unknown): string => (failure instanceof Error ? failure.message : String(failure));

import { digestOf } from '../keys/digest.ts';
import { cookieName, readCookie, setCookie } from '../spec/cookies.ts';
import { OAuthError } from '../spec/errors.ts';
import type { EndpointRequest } from './contract.ts';

/** The cookies of this server: the session, the browser that signed in before, and the pages that wait for an answer in it. */
type CookiePurpose = 'session' | 'browser' | 'interaction';

/** The browser behind a request, as one issuer sees it. */
export interface Browser {
  /** @returns undefined without the cookie, and if it occurs twice, because one of the two may come from an attacker */
  cookie(request: EndpointRequest, purpose: CookiePurpose): string | undefined;
  /**
   * Returns a `Set-Cookie` value.
   * @param maxAge seconds; undefined: until the browser closes
   */
  keep(purpose: CookiePurpose, value: string, maxAge?: number): string;
  /** Returns a `Set-Cookie` value that deletes the cookie. */
  forget(purpose: CookiePurpose): string;
  /**
   * Requires that a page of this server sent the form.
   * @throws OAuthError invalid_request
   */
  requireOwnPage(request: EndpointRequest): void;
  /**
   * Refuses a prefetch, which would use up a page that works once. The browser repeats the request when the person opens it.
   * @throws OAuthError invalid_request
   */
  requireVisit(request: EndpointRequest): void;
}

const NAME_DIGEST_LENGTH = 8;

/** WHATWG Fetch §2.2.7, `Sec-Purpose`, and its forerunner `Purpose`. */
const LOOKS_AHEAD = /\b(?:prefetch|prerender|preview)\b/i;

/** Returns the view that this issuer has of browsers. */
export function browserOf(issuer: string): Browser {
  const { origin, protocol } = new URL(issuer);
  const secure = protocol === 'https:';
  // Cookies belong to a whole host, so issuers on different paths of one host need different names.
  const suffix = digestOf(issuer)
    .replaceAll(/[^A-Za-z0-9]/g, '')
    .slice(0, NAME_DIGEST_LENGTH);
  const nameOf = (purpose: CookiePurpose): string => cookieName(`chancery-${purpose}-${suffix}`, secure);
  return {
    cookie: ({ headers }, purpose) => readCookie(headers['cookie'], nameOf(purpose)),
    keep: (purpose, value, maxAge) => setCookie({ name: nameOf(purpose), value, maxAge, secure }),
    forget: (purpose) => setCookie({ name: nameOf(purpose), value: '', maxAge: 0, secure }),
    requireOwnPage({ headers }) {
      if (isOwnPage(headers, origin)) return;
      throw new OAuthError('invalid_request', {
        error_description: 'the form was not sent by a page of this server',
        reason: 'foreign-form',
        detail: `origin: ${kindOfOrigin(headers['origin'], origin)}; sec-fetch-site: ${kindOfSite(headers['sec-fetch-site'])}`,
      });
    },
    requireVisit({ method, headers }) {
      if (method !== 'HEAD' && !LOOKS_AHEAD.test(headers['sec-purpose'] ?? headers['purpose'] ?? '')) return;
      throw new OAuthError('invalid_request', {
        error_description: 'prefetch requests are not processed',
        reason: 'prefetch',
      });
    },
  };
}

/** Describes the header for the log, which holds no value of a header (docs/threat-model.md). */
function kindOfOrigin(sent: string | undefined, own: string): 'absent' | 'null' | 'own' | 'another' {
  if (sent === undefined) return 'absent';
  if (sent === 'null') return 'null';
  return sent === own ? 'own' : 'another';
}

const kindOfSite = (sent: string | undefined): 'absent' | 'same-origin' | 'another' =>
  sent === undefined ? 'absent' : sent === 'same-origin' ? 'same-origin' : 'another';

/**
 * Says whether a page of this server sent the request. Pages of this server have the referrer policy `no-referrer`, with which
 * browsers send `Origin: null` (WHATWG Fetch §3.2, "serializing a request origin"). In that case `Sec-Fetch-Site` decides,
 * which no page can set.
 */
function isOwnPage(headers: EndpointRequest['headers'], own: string): boolean {
  const { origin, referer } = headers;
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return false;
  if (origin !== undefined && origin !== 'null') return origin === own;
  if (site !== undefined) return true;
  return origin === undefined && referer !== undefined && URL.parse(referer)?.origin === own;
}

/**
 * Returns the cookies of a browser in which a person has signed in.
 * @param lifetime `sign-in.browser-lifetime`
 */
export const signedInCookies = (
  { keep }: Pick<Browser, 'keep'>,
  cookies: { readonly session: string; readonly browser: string },
  lifetime: number,
): readonly string[] => [keep('session', cookies.session), keep('browser', cookies.browser, lifetime)];

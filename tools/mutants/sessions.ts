import type { Mutant } from './mutant.ts';

/** Faults of pages, cookies, sign-in, sessions and logout. */
export const SESSIONS: readonly Mutant[] = [
  {
    name: 'form-of-a-foreign-page',
    fault: 'A form of a foreign page signs out and agrees.',
    edits: [
      {
        file: 'src/endpoints/browser.ts',
        find: '      if (isOwnPage(headers, origin)) return;',
        replace: "      if (isOwnPage(headers, origin) || origin !== '') return;",
      },
    ],
    killers: [{ file: 'src/endpoints/browser.test.ts', test: 'another origin under our' }],
  },
  {
    name: 'form-token-not-compared',
    fault: 'Any form token is good.',
    edits: [
      {
        file: 'src/sessions/browser-session.ts',
        find: '  return given.length === expected.length && timingSafeEqual(given, expected);',
        replace: '  return given.length <= expected.length || timingSafeEqual(given, expected);',
      },
    ],
    killers: [
      {
        file: 'src/sessions/browser-session.test.ts',
        test: 'an anti-forgery token is valid for one session and purpose; changing any byte invalidates it',
      },
    ],
  },
  {
    name: 'page-in-another-browser',
    fault: 'An interaction goes on in another browser.',
    edits: [
      {
        file: 'src/sessions/interaction.ts',
        find: '  const own = stored.kind === kind && sameDigest(stored.browser, digestOf(browser));',
        replace: "  const own = stored.kind === kind && browser !== '';",
      },
    ],
    killers: [
      {
        file: 'src/sessions/interaction.test.ts',
        test: 'an interaction is found only by its handle, in its browser and with its kind',
      },
    ],
  },
  {
    name: 'cookie-readable-by-scripts',
    fault: 'Scripts read the cookies.',
    edits: [{ file: 'src/spec/cookies.ts', find: '; HttpOnly; SameSite=Lax`;', replace: '; SameSite=Lax`;' }],
    killers: [
      {
        file: 'src/spec/cookies.test.ts',
        test: 'Set-Cookie over https: prefixed name and every attribute (RFC 6265 §4.1)',
      },
    ],
  },
  {
    name: 'cookie-without-host-prefix',
    fault: 'A sibling host may set the cookies.',
    edits: [
      {
        file: 'src/spec/cookies.ts',
        find: '  return secure ? `__Host-${base}` : base;',
        replace: '  return secure ? `__Secure-${base}` : base;',
      },
    ],
    killers: [
      {
        file: 'src/spec/cookies.test.ts',
        test: 'Set-Cookie over https: prefixed name and every attribute (RFC 6265 §4.1)',
      },
    ],
  },
  {
    name: 'cookie-twice',
    fault: 'The first cookie counts where two have our name.',
    edits: [
      {
        file: 'src/spec/cookies.ts',
        find: '  return values.length === 1 && value',
        replace: '  return values.length > 0 && value',
      },
    ],
    killers: [{ file: 'src/spec/cookies.test.ts', test: 'ours twice, the same value' }],
  },
  {
    name: 'pages-unescaped',
    fault: 'Values stand in pages as markup.',
    edits: [{ file: 'src/pages/liquid-pages.ts', find: "    outputEscape: 'escape',\n", replace: '' }],
    killers: [
      {
        file: 'src/pages/liquid-pages.test.ts',
        test: 'one heading, its language, no script, style or handler inline (CSP without unsafe-inline)',
      },
    ],
  },
  {
    name: 'pages-in-frames',
    fault: 'Other sites may frame the pages.',
    edits: [
      {
        file: 'src/endpoints/page-response.ts',
        find: "    \"frame-ancestors 'none'; base-uri 'none'\"",
        replace: '    "base-uri \'none\'"',
      },
    ],
    killers: [
      {
        file: 'src/endpoints/page-response.test.ts',
        test: 'a page is not kept, framed, held by its opener or named to others',
      },
    ],
  },
  {
    name: 'session-never-expires',
    fault: 'An expired session signs in.',
    edits: [
      {
        file: 'src/sessions/browser-session.ts',
        find: '  if (session === undefined || session.expires_at <= now) return undefined;',
        replace: '  if (session === undefined || session.expires_at < 0) return undefined;',
      },
    ],
    killers: [
      {
        file: 'src/sessions/browser-session.test.ts',
        test: 'a session ends after its idle lifetime without use; a use extends it',
      },
    ],
  },
  {
    name: 'session-fixation',
    fault: 'The session that a browser brings stays alive beside the new one.',
    edits: [
      {
        file: 'src/sessions/browser-session.ts',
        find: '  const own = session === undefined ? undefined : digestOf(session);',
        replace: "  const own = session === undefined || session !== '' ? undefined : digestOf(session);",
      },
    ],
    killers: [
      {
        file: 'src/sessions/browser-session.test.ts',
        test: 'each sign-in sets a new session id and invalidates the old one (S-08, session fixation)',
      },
    ],
  },
  {
    name: 'sign-in-of-a-disabled-account',
    fault: 'A disabled account signs in.',
    edits: [
      {
        file: 'src/sessions/password-sign-in.ts',
        find: '    if (verified !== undefined && !verified.disabled) return',
        replace: '    if (verified !== undefined) return',
      },
    ],
    killers: [
      {
        file: 'src/sessions/password-sign-in.test.ts',
        test: 'a disabled account is refused like a wrong password, and signs in after it is enabled',
      },
    ],
  },
  {
    name: 'sign-in-unlimited',
    fault: 'Wrong passwords are not counted.',
    edits: [
      {
        file: 'src/sessions/sign-in-limits.ts',
        find: '      if (wait > 0) return { admitted: false, retry_after: wait };',
        replace: '      if (wait > 9_999_999) return { admitted: false, retry_after: wait };',
      },
    ],
    killers: [
      {
        file: 'src/sessions/password-sign-in.test.ts',
        test: 'after too many failures even the right password must wait, and so must an unknown name',
      },
    ],
  },
  {
    name: 'sign-in-known-browser-of-another',
    fault: 'A cookie of any browser gives its own allowance of attempts.',
    edits: [
      {
        file: 'src/sessions/password-sign-in.ts',
        find: '  return known ? { sub: account.sub, browser: digest } : undefined;',
        replace: "  return known || browser !== '' ? { sub: account.sub, browser: digest } : undefined;",
      },
    ],
    killers: [
      {
        file: 'src/sessions/password-sign-in.test.ts',
        test: 'a known browser signs in while strangers guess',
      },
    ],
  },
  {
    name: 'logout-without-asking-for-the-client',
    fault: 'A hint of another client proves any client_id.',
    edits: [
      {
        file: 'src/sessions/logout-request.ts',
        find: '  if (client_id !== undefined && client_id !== hint.client_id) {',
        replace: "  if (client_id === '' && client_id !== hint.client_id) {",
      },
    ],
    killers: [
      {
        file: 'src/sessions/logout-request.test.ts',
        test: 'a client_id that is not the hint’s: the hint proves nothing (OpenID Connect RP-Initiated Logout 1.0 §2)',
      },
    ],
  },
  {
    name: 'logout-to-any-address',
    fault: 'A logout leads to an address that is not registered.',
    edits: [
      {
        file: 'src/sessions/logout-request.ts',
        find: '  if (registered.includes(uri)) return undefined;',
        replace: '  if (registered.includes(uri) || registered.length > 0) return undefined;',
      },
    ],
    killers: [
      {
        file: 'src/sessions/logout-request.test.ts',
        test: 'no redirection, and the reason does not contain it (OpenID Connect RP-Initiated Logout 1.0 §3; H-164, H-165)',
      },
    ],
  },
  {
    name: 'logout-hint-too-old',
    fault: 'A hint older than logout.hint-age-max is good.',
    edits: [
      {
        file: 'src/sessions/logout-request.ts',
        find: '  if (ageMax !== 0 && needs.clock.now() - iat > ageMax) {',
        replace: '  if (ageMax !== 0 && needs.clock.now() - iat > ageMax * 9) {',
      },
    ],
    killers: [
      {
        file: 'src/sessions/logout-request.test.ts',
        test: 'an expired hint is valid until the configured age (H-168)',
      },
    ],
  },
  {
    name: 'logout-hint-of-another-issuer',
    fault: 'A hint of another issuer is good.',
    edits: [
      {
        file: 'src/tokens/id-token-hint.ts',
        find: '    types: [ID_TOKEN_TYPE.toLowerCase()],',
        replace: "    types: [ID_TOKEN_TYPE.toLowerCase(), 'at+jwt', 'logout+jwt'],",
      },
    ],
    killers: [{ file: 'src/tokens/id-token-hint.test.ts', test: 'the hint is invalid (decision 32)' }],
  },
  {
    name: 'logout-of-a-changed-session',
    fault: 'A logout page ends a session that began after it was shown.',
    edits: [
      {
        file: 'src/endpoints/end-session-confirmation/endpoint.ts',
        find: '  if (session === undefined || session.sid === sid) return session;',
        replace: "  if (session === undefined || sid !== '') return session;",
      },
    ],
    killers: [
      {
        file: 'src/endpoints/end-session-confirmation/end-session-confirmation.test.ts',
        test: '400: a sign-in after the page was shown: the page does not end the new session (H-161, H-176)',
      },
    ],
  },
  {
    name: 'frame-of-a-stranger',
    fault: 'A client that was registered again gets a frame with a session that it never saw.',
    edits: [
      {
        file: 'src/sessions/front-channel-logout.ts',
        find: '      if (client?.instance !== participant.instance) return [];',
        replace: '      if (client === undefined) return [];',
      },
    ],
    killers: [
      {
        file: 'src/sessions/front-channel-logout.test.ts',
        test: 'H-343: a client that was deleted, or registered again under its identifier, gets no frame',
      },
    ],
  },
  {
    name: 'frames-without-a-list-of-origins',
    fault: 'The page after a logout may load frames of any origin.',
    edits: [
      {
        file: 'src/endpoints/page-response.ts',
        find: '` frame-src${sourcesOf(page.frames)};`',
        replace: "' frame-src *;'",
      },
    ],
    killers: [
      { file: 'src/endpoints/page-response.test.ts', test: 'H-341: the page after a logout may load' },
    ],
  },
  {
    name: 'logo-of-any-host',
    fault: 'A client that registered itself shows the logo of a bank.',
    edits: [
      {
        file: 'src/endpoints/page-logo.ts',
        find: '  return host !== undefined && own.includes(host);',
        replace: '  return host !== undefined || own.includes(host);',
      },
    ],
    killers: [
      {
        file: 'src/endpoints/client-logo/client-logo.test.ts',
        test: 'H-350: a client that registered itself',
      },
    ],
  },
  {
    name: 'logo-without-limit-of-pixels',
    fault: 'A few octets make a browser decode an image of any size.',
    edits: [
      {
        file: 'src/clients/logo-images.ts',
        find: 'Math.max(image.width, image.height) <= pixelsMax',
        replace: 'Math.max(image.width, image.height) >= 0',
      },
    ],
    killers: [{ file: 'src/clients/logo-images.test.ts', test: 'H-348: an image with more pixels' }],
  },
];

import type { NetworkLimits } from '../../clients/rate-limits.ts';
import { metadataOf } from '../../clients/registered-client.ts';
import type { AccountDirectory } from '../../ports/account-directory.ts';
import type { StoredClient } from '../../ports/client-store.ts';
import type { Log } from '../../ports/log.ts';
import type { LogoutPage, PageClient } from '../../ports/pages.ts';
import type { StoredSession } from '../../ports/session-store.ts';
import { antiForgeryToken, currentSession, type SessionNeeds } from '../../sessions/browser-session.ts';
import { beginInteraction, type InteractionNeeds } from '../../sessions/interaction.ts';
import {
  type LogoutRedirect,
  type LogoutRequest,
  type LogoutRequestNeeds,
  readLogoutRequest,
  waitingLogout,
} from '../../sessions/logout-request.ts';
import { issuerPath } from '../../spec/issuer.ts';
import { preferredLanguages } from '../../spec/languages.ts';
import { type FormLimits, type Parameters, parseForm, parseParameters } from '../../spec/parameters.ts';
import type { Browser } from '../browser.ts';
import { redirection } from '../client-response.ts';
import type { Endpoint, EndpointRequest, EndpointResponse } from '../contract.ts';
import { withoutRedirection } from '../logout-refusal.ts';
import { pageClient } from '../page-client.ts';
import { errorPage, type PageNeeds, pageNotice, pageResponse } from '../page-response.ts';
import { contract, formContract } from './contract.ts';

export interface EndSessionNeeds extends PageNeeds {
  readonly issuer: string;
  readonly browser: Browser;
  readonly sessions: Pick<SessionNeeds, 'sessions' | 'clock' | 'settings'>;
  readonly interactions: InteractionNeeds;
  readonly interactionLimits: NetworkLimits;
  readonly directory: Pick<AccountDirectory, 'find'>;
  readonly logoutRequests: LogoutRequestNeeds;
  readonly form: FormLimits;
  readonly log: Log;
}

/** Shows the page that asks the end-user whether to sign out of this server too. A GET never ends a session (decision 31). */
export function endSession(needs: EndSessionNeeds): Endpoint {
  return {
    contract,
    errorPage: errorPage(needs),
    handle: async (request) =>
      await dialog(needs, request, parseParameters(request.query, contract.parameters.names, needs.form)),
  };
}

/** Does the same for a form. Redirects the browser if it sent the form without cookies. */
export function endSessionForm(needs: EndSessionNeeds): Endpoint {
  return {
    contract: formContract,
    errorPage: errorPage(needs),
    async handle(request) {
      const { headers, body } = request;
      const parameters = parseForm(headers['content-type'], body, formContract.parameters.names, needs.form);
      return cookiesLeftOut(needs, request)
        ? comingAgain(needs, parameters)
        : await dialog(needs, request, parameters);
    },
  };
}

/**
 * Detects a form of another site, with which a browser sends no `SameSite=Lax` cookies. The browser sends them with the GET
 * after a redirection.
 */
function cookiesLeftOut({ browser }: EndSessionNeeds, request: EndpointRequest): boolean {
  const foreign = request.headers['sec-fetch-site'] === 'cross-site';
  return foreign && browser.cookie(request, 'session') === undefined;
}

function comingAgain({ issuer }: EndSessionNeeds, parameters: Parameters): EndpointResponse {
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  const location = `${issuer}${contract.path}?${new URLSearchParams(given).toString()}`;
  return redirection(location);
}

async function dialog(
  needs: EndSessionNeeds,
  request: EndpointRequest,
  parameters: Parameters,
): Promise<EndpointResponse> {
  const { ui_locales } = parameters;
  const session = await currentSession(needs.sessions, needs.browser.cookie(request, 'session'));
  // Before the hint is verified and the redirection is compared: a refused request must cost little.
  if (session === undefined) await needs.interactionLimits.admit(request.remoteAddress);
  const logout = await readLogoutRequest(needs.logoutRequests, parameters);
  noteIgnored(needs, request, logout, parameters['post_logout_redirect_uri']);
  const sent = needs.browser.cookie(request, 'interaction');
  const waiting = waitingLogout(logout, session?.sid, ui_locales);
  const { handle, browser } = await beginInteraction(needs.interactions, 'logout', waiting, sent);
  const page: LogoutPage = {
    kind: 'logout',
    client: clientShown(logout, preferredLanguages(ui_locales, request.headers['accept-language'])),
    form: {
      action: `${issuerPath(needs.issuer)}${contract.path}/${handle}`,
      form_token: antiForgeryToken(browser, `logout:${handle}`),
    },
    username: await usernameOf(needs, session),
    notice: logout.ignored === undefined ? undefined : pageNotice(needs, request, logout.ignored),
  };
  return pageResponse(needs, request, page, {
    ui_locales,
    formTargets: logout.redirect === undefined ? [] : [logout.redirect.uri],
    cookies: browser === sent ? [] : [needs.browser.keep('interaction', browser)],
  });
}

async function usernameOf(
  { directory }: EndSessionNeeds,
  session: StoredSession | undefined,
): Promise<string | undefined> {
  // The account may be deleted from an external directory.
  return session === undefined ? undefined : ((await directory.find(session.sub))?.username ?? session.sub);
}

function clientShown(
  { client, redirect }: LogoutRequest,
  languages: readonly string[],
): PageClient | undefined {
  const home = client === undefined ? undefined : homeOf(client, redirect);
  return client === undefined || home === undefined ? undefined : pageClient(client, home, languages);
}

/** Returns an address of the client that is registered, never one that the request names alone. */
function homeOf(client: StoredClient, redirect: LogoutRedirect | undefined): string | undefined {
  return redirect?.uri ?? metadataOf(client).redirect_uris?.[0];
}

/** Logs why the browser will not return to the client. */
function noteIgnored(
  { log }: EndSessionNeeds,
  request: EndpointRequest,
  { client, ignored }: LogoutRequest,
  asked: string | undefined,
): void {
  if (ignored === undefined) return;
  const client_id = client?.client_id;
  log.info(withoutRedirection(request, { client_id, ignored, asked }), 'logout without redirection');
}

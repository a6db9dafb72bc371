import { authorizeDirectly } from '../../grants/direct-authorization/authorize-directly.ts';
import type { Issuing } from '../../grants/grant.ts';
import type { DevelopmentFacts } from '../../ports/development.ts';
import type { DevelopmentPage } from '../../ports/pages.ts';
import { NotFound } from '../../spec/errors.ts';
import { type JsonLimits, parseJsonObject } from '../../spec/json.ts';
import { browserOf } from '../browser.ts';
import type { Endpoint, EndpointRequest } from '../contract.ts';
import { errorPage, type PageNeeds, pageResponse } from '../page-response.ts';
import { buttonContract, contract } from './contract.ts';

export interface StartPageNeeds extends PageNeeds {
  readonly issuer: string;
  /** Absent in production. */
  readonly development?: DevelopmentFacts;
}

/** The page of the development server has one language. */
const ENGLISH = { ui_locales: 'en' };

/**
 * Shows a person who opens the issuer's address that it is one. In development the page shows the server, commands and
 * the latest refusals.
 */
export function startPage(needs: StartPageNeeds): Endpoint {
  return {
    contract,
    errorPage: errorPage(needs),
    handle: (request) => {
      const facts = factsFor(needs, request);
      return facts === undefined
        ? pageResponse(needs, request, { kind: 'start' })
        : pageResponse(needs, request, developmentPage(needs, facts), ENGLISH);
    },
  };
}

export interface StartPageTokenNeeds extends StartPageNeeds, Issuing {
  readonly json: JsonLimits;
}

/** Makes an initial access token for the person at a development server, and shows it once. */
export function startPageToken(needs: StartPageTokenNeeds): Endpoint {
  const browser = browserOf(needs.issuer);
  const wanted = Buffer.from(JSON.stringify({ scope: ['client-reg'], label: 'start page' }));
  return {
    contract: buttonContract,
    errorPage: errorPage(needs),
    handle: async (request) => {
      const facts = factsFor(needs, request);
      if (facts === undefined) throw new NotFound();
      browser.requireOwnPage(request);
      const by = { actor: 'development', request_id: request.id };
      const { access_token } = await authorizeDirectly(needs, parseJsonObject(wanted, needs.json), by);
      return pageResponse(needs, request, developmentPage(needs, facts, access_token), ENGLISH);
    },
  };
}

/**
 * Returns the facts for a request that names this server by its own host. A website can point its own name at this machine
 * (DNS rebinding), and its scripts could then read the page and press the button.
 */
function factsFor(
  { development, issuer }: StartPageNeeds,
  { headers }: EndpointRequest,
): DevelopmentFacts | undefined {
  return headers['host'] === new URL(issuer).host ? development : undefined;
}

function developmentPage(
  { issuer, settings }: StartPageNeeds,
  facts: DevelopmentFacts,
  token?: string,
): DevelopmentPage {
  const { version, data, management, account } = facts;
  return {
    kind: 'development',
    issuer,
    version,
    data,
    management,
    account,
    token,
    action: `${new URL(issuer).pathname.replace(/\/$/u, '')}/`,
    open: settings['registration.allow-open-registration'],
    federation: settings['federation.enabled'],
    refusals: facts.refusals().map((refusal) => ({
      ...refusal,
      at: new Date(refusal.at * 1000).toISOString().slice(11, 19),
    })),
  };
}

import { originOf } from '../../clients/person-event.ts';
import { metadataOf } from '../../clients/registered-client.ts';
import {
  type Application,
  type ApplicationNeeds,
  applicationsOf,
  withdrawAccess,
} from '../../grants/applications.ts';
import type { DetailTypes } from '../../grants/authorization-details/detail-types.ts';
import { shownDetails } from '../../grants/authorization-details/shown-details.ts';
import type { AccountDirectory } from '../../ports/account-directory.ts';
import type { PageApplication, PageClient } from '../../ports/pages.ts';
import type { TenantStorage } from '../../ports/storage.ts';
import { antiForgeryToken, isAntiForgeryToken, type SessionNeeds } from '../../sessions/browser-session.ts';
import { OAuthError } from '../../spec/errors.ts';
import type { ClientId } from '../../spec/identifiers.ts';
import { issuerPath } from '../../spec/issuer.ts';
import { preferredLanguages } from '../../spec/languages.ts';
import { type FormLimits, parseForm } from '../../spec/parameters.ts';
import type { Browser } from '../browser.ts';
import { redirection } from '../client-response.ts';
import type { Endpoint } from '../contract.ts';
import { isAnybodys, pageClient, saidIn } from '../page-client.ts';
import { errorPage, type PageNeeds, pageResponse } from '../page-response.ts';
import { presentSession } from '../present-session.ts';
import { contract, postContract } from './contract.ts';

export interface ApplicationsNeeds extends PageNeeds, Omit<ApplicationNeeds, 'consents' | 'settings'> {
  readonly issuer: string;
  readonly browser: Browser;
  readonly sessions: Pick<SessionNeeds, 'sessions' | 'clock' | 'settings'>;
  readonly directory: Pick<AccountDirectory, 'find'>;
  readonly storage: Pick<TenantStorage, 'consents'>;
  readonly form: FormLimits;
  readonly detailTypes: DetailTypes;
}

/** Shows the applications that have access to the account of the person at this browser. */
export function applications(needs: ApplicationsNeeds): Endpoint {
  return {
    contract,
    errorPage: errorPage(needs),
    handle: async (request) => {
      needs.browser.requireVisit(request);
      const found = await presentSession(needs, request);
      if (found === undefined)
        return pageResponse(needs, request, { kind: 'signed-out', outcome: 'none', notice: undefined });
      const { session, cookie } = found;
      const account = await needs.directory.find(session.sub);
      const tags = preferredLanguages(undefined, request.headers['accept-language']);
      const all = await applicationsOf(withConsents(needs), session.sub);
      return pageResponse(needs, request, {
        kind: 'applications',
        username: account?.username ?? '',
        action: `${issuerPath(needs.issuer)}${contract.path}`,
        applications: all
          .map((one) => shown(needs, one, cookie, tags))
          .toSorted((one, other) => one.client.name.localeCompare(other.client.name)),
      });
    },
  };
}

/** Withdraws the access of an application. Each button has a form token of its own, which only this session has. */
export function applicationsWithdraw(needs: ApplicationsNeeds): Endpoint {
  return {
    contract: postContract,
    errorPage: errorPage(needs),
    handle: async (request) => {
      needs.browser.requireOwnPage(request);
      const { form_token = '', client_id = '' } = parseForm(
        request.headers['content-type'],
        request.body,
        postContract.parameters.names,
        needs.form,
      );
      const found = await presentSession(needs, request);
      if (found === undefined || !isAntiForgeryToken(form_token, found.cookie, purposeOf(client_id)))
        throw new OAuthError('invalid_request', {
          error_description: 'the form does not belong to the page of the end-user who is signed in',
          reason: 'foreign-form',
        });
      const about = { sub: found.session.sub, client_id: client_id as ClientId };
      await withdrawAccess(withConsents(needs), about, originOf(request));
      return redirection(`${needs.issuer}${contract.path}`);
    },
  };
}

const withConsents = ({ storage: { consents }, ...needs }: ApplicationsNeeds): ApplicationNeeds => ({
  ...needs,
  consents,
});

const purposeOf = (client_id: string): string => `withdraw:${client_id}`;

/** Details of an application that the page shows. */
const DETAILS_MAX = 50;

function shown(
  { detailTypes }: Pick<ApplicationsNeeds, 'detailTypes'>,
  { client, scope, details, since }: Application,
  cookie: string,
  languages: readonly string[],
): PageApplication {
  const { client_id } = client;
  return {
    client: shownClient(client, languages),
    client_id,
    form_token: antiForgeryToken(cookie, purposeOf(client_id)),
    scope,
    ...(details.length === 0
      ? {}
      : {
          details: shownDetails(detailTypes, details.slice(0, DETAILS_MAX), languages),
          has_more: details.length > DETAILS_MAX,
        }),
    since: new Date(since * 1000).toISOString().slice(0, 'YYYY-MM-DD'.length),
  };
}

/** A client that the operator registered for grants without a browser has no redirection URI. */
function shownClient(client: Application['client'], languages: readonly string[]): PageClient {
  const metadata = metadataOf(client);
  const [redirect_uri] = metadata.redirect_uris ?? [];
  if (redirect_uri !== undefined) return pageClient(client, redirect_uri, languages);
  const name = saidIn(metadata, 'client_name', languages) ?? client.client_id;
  return { name, host: undefined, vouched: !isAnybodys(client) };
}

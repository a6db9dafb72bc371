import type { NetworkLimits } from '../../clients/rate-limits.ts';
import type { DeviceRequestNeeds } from '../../grants/device/device-request.ts';
import { requestOfUserCode } from '../../grants/device/device-request.ts';
import { readUserCode } from '../../grants/device/user-code.ts';
import type { Counting } from '../../ports/metrics.ts';
import type { DevicePage } from '../../ports/pages.ts';
import { antiForgeryToken, isAntiForgeryToken } from '../../sessions/browser-session.ts';
import { beginInteraction, type InteractionNeeds } from '../../sessions/interaction.ts';
import { OAuthError, TooManyRequests } from '../../spec/errors.ts';
import { IDENTIFIER_LENGTHS } from '../../spec/identifiers.ts';
import { issuerPath } from '../../spec/issuer.ts';
import { type FormLimits, parseForm, parseParameters } from '../../spec/parameters.ts';
import { INTERACTION_PATH } from '../authorization-flow.ts';
import type { Browser } from '../browser.ts';
import { redirection } from '../client-response.ts';
import type { Endpoint, EndpointRequest, EndpointResponse } from '../contract.ts';
import { errorPage, type PageNeeds, pageResponse } from '../page-response.ts';
import { contract, postContract } from './contract.ts';

export interface DeviceVerificationNeeds extends PageNeeds {
  readonly issuer: string;
  readonly browser: Browser;
  readonly interactions: InteractionNeeds;
  readonly random: DeviceRequestNeeds['random'];
  readonly metrics: Counting;
  /** Limits of wrong codes. */
  readonly userCodeLimits: NetworkLimits;
  readonly form: FormLimits;
}

/** The purpose of the anti-forgery token: another site must not enter a code for a person (RFC 8628 §5.4). */
const PURPOSE = 'device';

/**
 * Shows the page for the code of a device. An address with the code fills it in, and a person still has to send the form (RFC 8628
 * §3.3.1: "the server SHOULD … confirm with the user that the code matches").
 */
export function deviceVerification(needs: DeviceVerificationNeeds): Endpoint {
  return {
    contract,
    errorPage: errorPage(needs),
    async handle(request) {
      needs.browser.requireVisit(request);
      const { user_code = '' } = parseParameters(request.query, contract.parameters.names, needs.form);
      return page(needs, request, { user_code: readUserCode(user_code) ?? '', problem: undefined });
    },
  };
}

/** Takes the code of a device, and leads to sign-in and consent. */
export function deviceVerificationForm(needs: DeviceVerificationNeeds): Endpoint {
  return {
    contract: postContract,
    errorPage: errorPage(needs),
    handle: async (request) => await entered(needs, request),
  };
}

async function entered(needs: DeviceVerificationNeeds, request: EndpointRequest): Promise<EndpointResponse> {
  const { browser, interactions, issuer } = needs;
  browser.requireOwnPage(request);
  const { headers, body } = request;
  const form = parseForm(headers['content-type'], body, postContract.parameters.names, needs.form);
  const { user_code: typed = '', form_token = '' } = form;
  const cookie = browser.cookie(request, 'interaction');
  if (cookie === undefined || !isAntiForgeryToken(form_token, cookie, PURPOSE))
    throw new OAuthError('invalid_request', {
      error_description: 'the form does not belong to the page that is shown',
      reason: 'foreign-form',
    });
  const takeBack = await admitted(needs, request);
  if (typeof takeBack === 'number') {
    count(needs, 'limited');
    return page(needs, request, { user_code: typed, problem: { wait_seconds: takeBack } });
  }
  const user_code = readUserCode(typed);
  const found = user_code === undefined ? undefined : await requestOfUserCode(interactions, user_code);
  count(needs, found === undefined ? 'wrong' : 'accepted');
  if (found === undefined) return page(needs, request, { user_code: typed, problem: 'unknown' });
  await takeBack();
  const waiting = { request: found.request };
  const begun = await beginInteraction(interactions, 'authorization', waiting, cookie);
  return redirection(`${issuer}${INTERACTION_PATH}/${begun.handle}`);
}

const count = (
  { metrics }: Pick<DeviceVerificationNeeds, 'metrics'>,
  outcome: 'accepted' | 'wrong' | 'limited',
): void => metrics.count('chancery_user_codes_total', { outcome });

/** Counts an attempt. Returns the seconds to wait beyond the limit. */
async function admitted(
  { userCodeLimits }: DeviceVerificationNeeds,
  { remoteAddress }: EndpointRequest,
): Promise<(() => Promise<void>) | number> {
  try {
    return await userCodeLimits.admit(remoteAddress);
  } catch (failure) {
    if (failure instanceof TooManyRequests) return failure.retryAfterSeconds;
    throw failure;
  }
}

/** Characters that the page repeats of a code that was typed wrongly. */
const SHOWN_MAX = 32;

function page(
  needs: DeviceVerificationNeeds,
  request: EndpointRequest,
  { user_code, problem }: Pick<DevicePage, 'user_code' | 'problem'>,
): EndpointResponse {
  const sent = needs.browser.cookie(request, 'interaction');
  const cookie = sent ?? needs.random.alphanumeric(IDENTIFIER_LENGTHS.session);
  const shown: DevicePage = {
    kind: 'device',
    form: {
      action: `${issuerPath(needs.issuer)}${contract.path}`,
      form_token: antiForgeryToken(cookie, PURPOSE),
    },
    user_code: user_code.slice(0, SHOWN_MAX),
    problem,
  };
  const wait = typeof problem === 'object' ? problem.wait_seconds : undefined;
  const response = pageResponse(needs, request, shown, {
    status: wait === undefined ? 200 : 429,
    cookies: sent === undefined ? [needs.browser.keep('interaction', cookie)] : [],
  });
  return wait === undefined
    ? response
    : { ...response, headers: { ...response.headers, 'retry-after': String(wait) } };
}

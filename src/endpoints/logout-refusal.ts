import { quotedValue } from '../spec/errors.ts';
import type { RefusalReason } from '../spec/refusal-reasons.ts';
import type { EndpointRequest } from './contract.ts';

const REASON: RefusalReason = 'logout-redirect';

/**
 * Returns what the log says about a logout after which the browser will not return to the client (decision 46).
 * @param about the client that the request proves, why the redirection is ignored, and the address that the request named
 */
export const withoutRedirection = (
  { id, remoteAddress }: EndpointRequest,
  about: {
    readonly client_id: string | undefined;
    readonly ignored: string;
    readonly asked: string | undefined;
  },
): Readonly<Record<string, unknown>> => ({
  request_id: id,
  address: remoteAddress,
  ...(about.client_id === undefined ? {} : { client: about.client_id }),
  reason: REASON,
  detail: about.ignored,
  ...(about.asked === undefined ? {} : { value: { post_logout_redirect_uri: quotedValue(about.asked) } }),
});

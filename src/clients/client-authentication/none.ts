import { clientIdentifier } from './client-identifier.ts';
import type { AuthenticationMethod } from './method.ts';

/**
 * RFC 7591 §2, `none`: "The client is a public client as defined in OAuth 2.0 … and does not have a client secret."
 * It proves nothing: whoever accepts it must rely on something else, such as the token that is presented.
 */
export const none: AuthenticationMethod = {
  name: 'none',
  place: clientIdentifier,
  prove: () => ({ proved: true, secret: undefined }),
};

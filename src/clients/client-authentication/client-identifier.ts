import { clientSecretBasic } from './client-secret.ts';
import { type AuthenticationMethod, bodyAuthenticates, type CredentialPlace } from './method.ts';

/**
 * `client_id` in the body of a request without credentials.
 * A certificate of the connection may prove it (RFC 8705 §2: "the client MUST include the client_id
 * parameter"). A public client proves nothing (RFC 6749 §3.2.1). A certificate beside other credentials is
 * not a second method: tokens may be bound to it (RFC 8705 §3).
 */
export const clientIdentifier: CredentialPlace = {
  tried: 'client_id without credentials',
  isUsed: ({ authorization, parameters }) =>
    authorization.scheme === 'none' &&
    parameters?.['client_id'] !== undefined &&
    !bodyAuthenticates(parameters),
  claim: ({ parameters }) => {
    const client_id = parameters?.['client_id'];
    return client_id === undefined ? undefined : { client_id, credential: '' };
  },
};

/**
 * RFC 7591 §2, `none`: "The client is a public client as defined in OAuth 2.0 … and does not have a client
 * secret." The method proves nothing: an endpoint that accepts it must rely on something else, such as the
 * presented token.
 */
export const none: AuthenticationMethod = {
  name: 'none',
  place: clientIdentifier,
  prove: () => ({ proved: true, secret: undefined }),
};

/**
 * The same by HTTP Basic without a password. Libraries send every client so, unless they are told otherwise: it states the
 * identifier, as `client_id` in the body does. A password beside it is a mistake of the client.
 */
export const noneByBasic: AuthenticationMethod = {
  name: 'none',
  place: clientSecretBasic.place,
  prove: (_needs, _stored, { credential }) =>
    credential === ''
      ? { proved: true, secret: undefined }
      : {
          proved: false,
          notes: { reason: 'other-authentication-method', detail: 'a public client has no secret' },
        },
};

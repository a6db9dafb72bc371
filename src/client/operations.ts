// Made from the API description by `npm run docs`; do not edit.

import type { ClientMetadata, ClientInformation, DryRun, AdminPreview, AdminKey, TokenResponse, TokenIntrospection, DirectAuthorization, PushedAuthorization, Userinfo, JwkSet, ProviderMetadata, SignInRequest, SignInOutcome, SignInRedirection } from './schemas.ts';

/** The requests and answers of each call, by its name. */
export interface Calls {
  /** Reads a registration, and renews an expired secret. `GET /clients/{id}` */
  clientRead: { readonly request: { readonly id: string }; readonly answer: ClientInformation };
  /** Replaces a registration. The answer has a new secret and a new registration access token. `PUT /clients/{id}` */
  clientUpdate: { readonly request: { readonly id: string; readonly body: ClientMetadata }; readonly answer: ClientInformation };
  /** Deletes a registration, and ends the tokens of the client. `DELETE /clients/{id}` */
  clientDelete: { readonly request: { readonly id: string }; readonly answer: undefined };
  /** Reads a registration, and renews an expired secret. `GET /register/{id}` */
  clientReadAtRegister: { readonly request: { readonly id: string }; readonly answer: ClientInformation };
  /** Replaces a registration. The answer has a new secret and a new registration access token. `PUT /register/{id}` */
  clientUpdateAtRegister: { readonly request: { readonly id: string; readonly body: ClientMetadata }; readonly answer: ClientInformation };
  /** Deletes a registration, and ends the tokens of the client. `DELETE /register/{id}` */
  clientDeleteAtRegister: { readonly request: { readonly id: string }; readonly answer: undefined };
  /** Lists all clients, or a page of them. `GET /clients` */
  clientList: { readonly request: { readonly query?: { readonly limit?: string | number | boolean; readonly cursor?: string | number | boolean } }; readonly answer: readonly ClientInformation[] };
  /** Registers a client. `POST /clients` */
  clientRegistration: { readonly request: { readonly query?: { readonly dry_run?: string | number | boolean }; readonly body: ClientMetadata }; readonly answer: ClientInformation | DryRun };
  /** Registers a client. `POST /register` */
  clientRegistration201: { readonly request: { readonly query?: { readonly dry_run?: string | number | boolean }; readonly body: ClientMetadata }; readonly answer: DryRun | ClientInformation };
  /** Issues tokens for a subject and scope values without asking the end-user. `POST /direct-authz/rest/v2` */
  directAuthorization: { readonly request: { readonly body: DirectAuthorization }; readonly answer: TokenResponse };
  /** Serves the metadata of the server. `GET /.well-known/oauth-authorization-server` */
  oauthAuthorizationServer: { readonly request: object; readonly answer: ProviderMetadata };
  /** Serves the metadata of the server. `GET /.well-known/openid-configuration` */
  openidConfiguration: { readonly request: object; readonly answer: ProviderMetadata };
  /** Serves the entity configuration of the server. `GET /.well-known/openid-federation` */
  entityConfiguration: { readonly request: object; readonly answer: string };
  /** Describes a waiting request to the sign-in page of the operator. `GET /interaction-api/{id}` */
  externalSignIn: { readonly request: { readonly id: string }; readonly answer: SignInRequest };
  /** Takes the outcome of a sign-in from the page of the operator, once. `POST /interaction-api/{id}` */
  externalSignInOutcome: { readonly request: { readonly id: string; readonly body: SignInOutcome }; readonly answer: SignInRedirection };
  /** Serves the federation keys that the server no longer uses. `GET /federation/historical-keys` */
  federationHistoricalKeys: { readonly request: object; readonly answer: string };
  /** Registers a relying party that a federation vouches for. `POST /federation/clients` */
  federationRegistration: { readonly request: { readonly body: string | readonly string[] }; readonly answer: string };
  /** Says whether a token is active, and what it permits. `POST /token/introspect` */
  introspection: { readonly request: { readonly form: { readonly token: string; readonly token_type_hint?: string; readonly client_id?: string; readonly client_secret?: string; readonly client_assertion?: string; readonly client_assertion_type?: string } }; readonly answer: TokenIntrospection | string };
  /** Serves the public keys of the server. `GET /jwks.json` */
  jwkSet: { readonly request: object; readonly answer: JwkSet };
  /** Serves the description of the endpoints below this issuer. `GET /openapi.json` */
  openApi: { readonly request: object; readonly answer: Readonly<Record<string, unknown>> };
  /** Receives an authorisation request directly from its client. `POST /par` */
  pushedAuthorizationRequest: { readonly request: { readonly form?: { readonly response_type?: string; readonly client_id?: string; readonly redirect_uri?: string; readonly scope?: string; readonly state?: string; readonly response_mode?: string; readonly nonce?: string; readonly prompt?: string; readonly max_age?: string; readonly ui_locales?: string; readonly id_token_hint?: string; readonly login_hint?: string; readonly acr_values?: string; readonly claims?: string; readonly code_challenge?: string; readonly code_challenge_method?: string; readonly dpop_jkt?: string; readonly resource?: string | readonly string[]; readonly registration?: string; readonly request?: string; readonly request_uri?: string; readonly client_secret?: string; readonly client_assertion?: string; readonly client_assertion_type?: string } }; readonly answer: PushedAuthorization };
  /** Revokes an access token or a refresh token. `POST /token/revoke` */
  revocation: { readonly request: { readonly form: { readonly token: string; readonly token_type_hint?: string; readonly client_id?: string; readonly client_secret?: string; readonly client_assertion?: string; readonly client_assertion_type?: string } }; readonly answer: undefined };
  /** Serves the public keys of the server, signed with its federation key. `GET /jwks.jwt` */
  signedJwkSet: { readonly request: object; readonly answer: string };
  /** Issues access tokens for a grant. `POST /token` */
  token: { readonly request: { readonly form: { readonly grant_type: string; readonly resource?: string | readonly string[]; readonly client_id?: string; readonly client_secret?: string; readonly client_assertion?: string; readonly client_assertion_type?: string; readonly code?: string; readonly redirect_uri?: string; readonly code_verifier?: string; readonly scope?: string; readonly refresh_token?: string; readonly username?: string; readonly password?: string; readonly assertion?: string } }; readonly answer: TokenResponse };
  /** Returns claims about the end-user of an access token. `GET /userinfo` */
  userinfo: { readonly request: object; readonly answer: Userinfo | string };
  /** Does the same for a form, which may hold the access token. `POST /userinfo` */
  userinfoPost: { readonly request: { readonly form?: { readonly access_token?: string } }; readonly answer: Userinfo | string };
  /** Lists the server keys with their states and times. `GET /admin/v1/keys` */
  adminKeyList: { readonly request: { readonly query?: { readonly limit?: string | number | boolean; readonly cursor?: string | number | boolean; readonly fields?: string | number | boolean } }; readonly answer: { readonly items: readonly (AdminKey | Readonly<Record<string, unknown>>)[]; readonly next?: string; readonly estimated_total?: number } };
  /** Returns one server key. `GET /admin/v1/keys/{kid}` */
  adminKeyRead: { readonly request: { readonly kid: string; readonly query?: { readonly fields?: string | number | boolean } }; readonly answer: AdminKey | Readonly<Record<string, unknown>> };
  /** Removes a compromised server key. Everything that it signed becomes invalid, and a new key takes over at once. `POST /admin/v1/keys/{kid}/revoke` */
  adminKeyRevoke: { readonly request: { readonly kid: string; readonly query?: { readonly dry_run?: string | number | boolean }; readonly 'idempotency-key'?: string; readonly 'audit-reason'?: string }; readonly answer: AdminPreview };
}

/** The place of each call. */
export const OPERATIONS = {
  clientRead: { method: 'GET', path: '/clients/{id}' },
  clientUpdate: { method: 'PUT', path: '/clients/{id}', type: 'application/json' },
  clientDelete: { method: 'DELETE', path: '/clients/{id}' },
  clientReadAtRegister: { method: 'GET', path: '/register/{id}' },
  clientUpdateAtRegister: { method: 'PUT', path: '/register/{id}', type: 'application/json' },
  clientDeleteAtRegister: { method: 'DELETE', path: '/register/{id}' },
  clientList: { method: 'GET', path: '/clients' },
  clientRegistration: { method: 'POST', path: '/clients', type: 'application/json' },
  clientRegistration201: { method: 'POST', path: '/register', type: 'application/json' },
  directAuthorization: { method: 'POST', path: '/direct-authz/rest/v2', type: 'application/json' },
  oauthAuthorizationServer: { method: 'GET', path: '/.well-known/oauth-authorization-server' },
  openidConfiguration: { method: 'GET', path: '/.well-known/openid-configuration' },
  entityConfiguration: { method: 'GET', path: '/.well-known/openid-federation' },
  externalSignIn: { method: 'GET', path: '/interaction-api/{id}' },
  externalSignInOutcome: { method: 'POST', path: '/interaction-api/{id}', type: 'application/json' },
  federationHistoricalKeys: { method: 'GET', path: '/federation/historical-keys' },
  federationRegistration: { method: 'POST', path: '/federation/clients', type: 'application/jose' },
  introspection: { method: 'POST', path: '/token/introspect', type: 'application/x-www-form-urlencoded' },
  jwkSet: { method: 'GET', path: '/jwks.json' },
  openApi: { method: 'GET', path: '/openapi.json' },
  pushedAuthorizationRequest: { method: 'POST', path: '/par', type: 'application/x-www-form-urlencoded' },
  revocation: { method: 'POST', path: '/token/revoke', type: 'application/x-www-form-urlencoded' },
  signedJwkSet: { method: 'GET', path: '/jwks.jwt' },
  token: { method: 'POST', path: '/token', type: 'application/x-www-form-urlencoded' },
  userinfo: { method: 'GET', path: '/userinfo' },
  userinfoPost: { method: 'POST', path: '/userinfo', type: 'application/x-www-form-urlencoded' },
  adminKeyList: { method: 'GET', path: '/admin/v1/keys' },
  adminKeyRead: { method: 'GET', path: '/admin/v1/keys/{kid}' },
  adminKeyRevoke: { method: 'POST', path: '/admin/v1/keys/{kid}/revoke' },
} as const;

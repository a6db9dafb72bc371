import type { JWK } from 'jose';
import type { ConformanceBrowser, Landed, PageRule } from './browser.ts';
import type { ClientCertificate, Reply, Send } from './http.ts';
import type { Site } from './site.ts';

export type Json = Record<string, unknown>;

/** How the suite varies a module. */
export interface Variant {
  readonly response_type: string;
  readonly response_mode: 'default' | 'form_post';
  readonly client_auth_type: string;
  readonly client_registration: 'dynamic_client' | 'static_client';
  /** In the FAPI 2.0 plans: whether requests and responses are signed. It also chooses the issuer. */
  readonly fapi_request_method?: FapiRequestMethod;
  /** In the FAPI 2.0 plans: what tokens are bound to, if not to a DPoP key. The client then authenticates with its certificate too. */
  readonly sender_constrain?: 'mtls';
}

export type FapiRequestMethod = 'unsigned' | 'signed_non_repudiation';
/** The issuers of the FAPI 2.0 plans: by the kind of their requests, and one for certificates. */
export type FapiIssuer = FapiRequestMethod | 'mtls';

/** The provider under test, and what its operator tells the suite about it. */
export interface Target {
  readonly name: string;
  readonly issuer: string;
  readonly send: Send;
  /** The person who signs in, as what happens on each page. */
  readonly pages: readonly PageRule[];
  /** RFC 7591 §3; undefined where registration is open. */
  readonly initialAccessToken?: string;
  /** Of `server.login_hint`, `server.ui_locales` and the like in the suite's settings. */
  readonly settings?: Readonly<Record<string, string>>;
  /** The registered clients for `static_client`, by the name of the suite's setting: `client`, `client2`, `client_secret_post`. */
  readonly clients?: Readonly<Record<string, Json>>;
  /** Rotates the signing keys, as the operator does when the suite asks for it. */
  rotateKeys?(): Promise<void>;
  /** The federation that the provider belongs to. */
  readonly federation?: Federation;
  /** Permits registrations that anybody else may not do. */
  readonly operatorToken?: string;
  /** The issuers with the FAPI 2.0 profiles. */
  readonly fapi?: Readonly<Record<FapiIssuer, string>>;
  /** Issues a client's certificate with a DNS name, from an authority that the provider trusts (RFC 8705 §2.1). */
  readonly certify?: (name: string) => ClientCertificate;
  /** Signs software statements that the provider trusts (RFC 7591 §2.3). */
  readonly directory?: Directory;
}

/** An authority that vouches for the relying parties of the modules (OpenID Federation 1.0). */
export interface Federation {
  readonly anchor: string;
  /** Publishes the anchor's statement about an entity, and returns it. */
  vouch(entity: string, jwks: Json): Promise<string>;
  /** The anchor's own entity configuration. */
  configuration(): Promise<string>;
}

export interface Directory {
  statement(claims: Json): Promise<string>;
}

/** An ID token, or another JWT, whose parts have been read. */
export interface ReadJwt {
  readonly value: string;
  readonly header: Json;
  readonly claims: Json;
}

export interface ClientKey {
  readonly privateKey: CryptoKey;
  readonly publicJwk: JWK;
}

export interface NamedCertificate extends ClientCertificate {
  /** Its one DNS name. */
  readonly name: string;
}

/** The state of a module's run. Steps read it and write it; the names are those of the suite's environment. */
export interface World {
  readonly target: Target;
  readonly variant: Variant;
  readonly site: Site;
  readonly browser: ConformanceBrowser;
  /** Key pairs that modules may share, as the suite's own; `next` gives another one at each call. */
  readonly nextKey: () => ClientKey;
  redirect_uri: string;
  discovery?: Reply;
  server: Json;
  server_jwks: Json;
  original_jwks?: Json;
  client: Json;
  first_client?: { client: Json; key: ClientKey | undefined; certificate: NamedCertificate | undefined };
  client_key?: ClientKey;
  dynamic_registration_request: Json;
  registration?: Reply;
  configuration?: Reply;
  authorization_endpoint_request: Json;
  request_object_claims: Json;
  request_object?: string;
  request_uri?: string;
  redirect?: string;
  landed?: Landed;
  callback_query: Readonly<Record<string, string>>;
  /** The parameters of the answer, from where the response mode puts them. */
  authorization_endpoint_response: Readonly<Record<string, string>>;
  code_verifier?: string;
  token_endpoint_request: Record<string, string>;
  token_endpoint_headers: Record<string, string>;
  token?: Reply;
  token_endpoint_response: Json;
  id_token?: ReadJwt;
  first_id_token?: ReadJwt;
  authorization_endpoint_id_token?: ReadJwt;
  token_endpoint_id_token?: ReadJwt;
  access_token?: string;
  first_access_token?: string;
  refresh_token?: string;
  resource?: Reply;
  userinfo: Json;
  userinfo_jwt?: ReadJwt;
  end_session_request: Record<string, string>;
  end_session_state?: string;
  post_logout?: Readonly<Record<string, string>>;
  frontchannel_logout?: Readonly<Record<string, string>>;
  logout_token?: ReadJwt;
  software_statement?: string;
  configuration_request?: Json;
  kept_token?: unknown;
  /** Sent by this module alone, where registration is otherwise open. */
  initial_access_token?: string;
  entity?: string;
  entity_statement?: ReadJwt;
  /** From the relying party to the anchor. */
  trust_chain?: readonly string[];
  pushed?: Reply;
  par_request?: Json;
  assertion_claims?: Json;
  client_assertion?: string;
  rs256_key?: ClientKey;
  /** The client's own, which it shows where it authenticates and where it uses a token. */
  certificate?: NamedCertificate | undefined;
  dpop_key?: ClientKey;
  dpop_header?: Json;
  dpop_claims?: Json;
  dpop_proof?: string;
  /** The parameters of a signed response (JARM). */
  jarm?: ReadJwt;
}

import { type Fields, VERIFIER } from '../../test/program/code-request.ts';
import { CALLBACK, type ClientInformation } from './tenant.ts';

/** The token request that a client of another author sends by default. */
export interface FieldRequest {
  readonly name: string;
  /** The place in the client's source that makes the request. */
  readonly source: string;
  readonly method: 'none' | 'client_secret_basic' | 'client_secret_post';
  /** Its HTTP Basic; absent for a client that sends none. */
  readonly basic?: 'without a password' | 'with the secret';
  /** Parameters of its authorisation request beside the usual ones. */
  readonly asks?: Fields;
  readonly contentType?: string;
  readonly form: (client: ClientInformation, code: string) => Readonly<Record<string, string>>;
}

const FORM = 'application/x-www-form-urlencoded';
const MCP_SERVER = 'https://notes.example/mcp';
const redemption: FieldRequest['form'] = (_client, code) => ({
  grant_type: 'authorization_code',
  code,
  redirect_uri: CALLBACK,
  code_verifier: VERIFIER,
});

export const FIELD_REQUESTS: readonly FieldRequest[] = [
  {
    name: 'kubelogin 1.36 without a secret',
    source: 'int128/kubelogin pkg/oidc/client/factory.go: oauth2.AuthStyleInParams',
    method: 'none',
    form: (client, code) => ({ client_id: client.client_id, ...redemption(client, code) }),
  },
  {
    name: 'golang.org/x/oauth2 0.35 before it knows the method (Grafana, oauth2-proxy)',
    source: 'golang/oauth2 internal/token.go, RetrieveToken: AuthStyleInHeader is tried first',
    method: 'none',
    basic: 'without a password',
    form: redemption,
  },
  {
    name: 'requests-oauthlib 2 without a secret',
    source: 'requests/requests-oauthlib requests_oauthlib/oauth2_session.py, fetch_token',
    method: 'none',
    basic: 'without a password',
    form: redemption,
  },
  {
    name: 'IdentityModel for .NET with its default ClientCredentialStyle',
    source: 'DuendeSoftware/foss identity-model, ProtocolRequest.cs, Prepare',
    method: 'none',
    basic: 'without a password',
    form: redemption,
  },
  {
    name: 'lua-resty-openidc 1.8, which sends the state too',
    source: 'zmartzone/lua-resty-openidc lib/resty/openidc.lua, openidc_authorization_response',
    method: 'none',
    basic: 'without a password',
    form: (client, code) => ({ ...redemption(client, code), state: '0f1e2d3c4b5a69788796a5b4c3d2e1f0' }),
  },
  {
    name: 'the Solid library of Inrupt 5.0, which repeats client_id in the body',
    source: 'inrupt/solid-client-authn-js packages/oidc-browser/src/dpop/tokenExchange.ts, getTokens',
    method: 'client_secret_basic',
    basic: 'with the secret',
    form: (client, code) => ({ ...redemption(client, code), client_id: client.client_id }),
  },
  {
    name: 'Nextcloud user_oidc 8.11',
    source: 'nextcloud/user_oidc lib/Controller/LoginController.php, code',
    method: 'client_secret_post',
    form: ({ client_id, client_secret, ...client }, code) => ({
      ...redemption({ client_id, client_secret, ...client }, code),
      client_id,
      client_secret,
    }),
  },
  {
    name: 'Spring Security 6, whose form names its charset',
    source: 'spring-projects/spring-security DefaultOAuth2TokenRequestHeadersConverter.java',
    method: 'client_secret_basic',
    basic: 'with the secret',
    contentType: `${FORM};charset=UTF-8`,
    form: redemption,
  },
  {
    name: 'Apache HttpClient 5 with UrlEncodedFormEntity',
    source: 'apache/httpcomponents-core ContentType.java, APPLICATION_FORM_URLENCODED',
    method: 'client_secret_basic',
    basic: 'with the secret',
    contentType: `${FORM}; charset=ISO-8859-1`,
    form: redemption,
  },
  {
    name: 'the MCP TypeScript SDK 2, which names the resource',
    source: 'modelcontextprotocol/typescript-sdk packages/client/src/client/auth.ts, executeTokenRequest',
    method: 'none',
    asks: { resource: MCP_SERVER },
    form: (client, code) => ({
      ...redemption(client, code),
      resource: MCP_SERVER,
      client_id: client.client_id,
    }),
  },
];

import { DEVICE_GRANT } from './device.ts';

/** The registrations that clients of other authors send by default, and the members that the response has for them. */
export interface FieldClient {
  readonly name: string;
  /** The place in the client's source that makes the request, where it is public. */
  readonly source?: string;
  readonly sends: Readonly<Record<string, unknown>>;
  readonly gets: Readonly<Record<string, unknown>>;
  /** The `client-reg` scope values of its initial access token; none for a client that registers without. */
  readonly token?: readonly string[];
  /** Members of the request that are absent from the response. */
  readonly loses?: readonly string[];
}

export const AGENT_SCOPE = 'openid profile offline_access';
const APACHE = 'https://www.example.org/protected/redirect_uri';

const AGENT_ADDRESSES = [
  'http://localhost:4242',
  'http://localhost:23871',
  'http://localhost:8080',
  'edu.kit.data.oidc-agent:/redirect',
];

/** Makes the request of oidc-agent for its `--flow` options: each adds a grant type and a response type of its own. */
const agent = (
  flows: string,
  grant_types: readonly string[],
  response_types: readonly string[],
  gets: FieldClient['gets'],
): FieldClient => ({
  name: `oidc-agent with ${flows}`,
  source: 'indigo-dc/oidc-agent src/account/issuer_helper.c, getUsableGrantTypes and getUsableResponseTypes',
  token: ['client-reg'],
  sends: {
    application_type: 'web',
    client_name: 'oidc-agent:chancery-laptop',
    response_types,
    grant_types: ['refresh_token', ...grant_types],
    scope: AGENT_SCOPE,
    redirect_uris: AGENT_ADDRESSES,
  },
  gets: { scope: AGENT_SCOPE, token_endpoint_auth_method: 'client_secret_basic', ...gets },
});

/** The flows that relying parties of one Python library prefer, in its order. */
const EVERY_FLOW = [
  'code',
  'id_token',
  'id_token token',
  'code id_token',
  'code id_token token',
  'code token',
];

export const FIELD_CLIENTS: readonly FieldClient[] = [
  agent('--flow=device', [DEVICE_GRANT], ['token'], {
    grant_types: ['refresh_token', DEVICE_GRANT],
    response_types: [],
  }),
  agent('--flow=password', ['password'], ['token'], {
    grant_types: ['refresh_token', 'password'],
    response_types: [],
  }),
  agent('--flow=code --flow=device', ['authorization_code', DEVICE_GRANT], ['code', 'token'], {
    grant_types: ['refresh_token', 'authorization_code', DEVICE_GRANT],
    response_types: ['code'],
  }),
  {
    name: 'mod_auth_openidc 1, which names every flow and no grant type',
    source: 'OpenIDC/mod_auth_openidc src/metadata.c, oidc_metadata_client_register',
    sends: {
      client_name: 'OpenID Connect Apache Module',
      redirect_uris: [APACHE],
      response_types: EVERY_FLOW,
    },
    gets: { grant_types: ['authorization_code'], response_types: ['code'] },
  },
  {
    name: 'OidcRP of Python, whose preferences name every flow and no grant type',
    source: 'IdentityPython/JWTConnect-Python-OidcRP oidcrp, DEFAULT_CLIENT_PREFS',
    sends: {
      application_type: 'web',
      application_name: 'rphandler',
      response_types: EVERY_FLOW,
      scope: 'openid',
      token_endpoint_auth_method: 'client_secret_basic',
      redirect_uris: ['https://rp.example/authz_cb/op'],
    },
    gets: { grant_types: ['authorization_code'], response_types: ['code'], scope: 'openid' },
    loses: ['application_name'],
  },
  {
    name: 'idpy-oidc, whose defaults have the implicit grant and code alone',
    source: 'IdentityPython/idpy-oidc src/idpyoidc/client/specification, Specification.attributes',
    sends: {
      redirect_uris: ['https://rp.example/authz_cb/op'],
      grant_types: ['authorization_code', 'implicit', 'refresh_token'],
      response_types: ['code'],
    },
    gets: { grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'] },
  },
  {
    name: 'the portal of Tyk, with the response types of its guide',
    source: 'TykTechnologies/tyk, the report of a guide without the implicit grant',
    sends: {
      client_name: 'A product of the portal',
      redirect_uris: ['https://portal.example/callback'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code', 'token', 'id_token'],
    },
    gets: { grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'] },
  },
  {
    name: 'MCP Inspector, which sends an empty scope',
    source: 'modelcontextprotocol/inspector client/src/lib/auth.ts, InspectorOAuthClientProvider',
    sends: {
      redirect_uris: ['http://localhost:6274/oauth/callback', 'http://localhost:6274/oauth/callback/debug'],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      client_name: 'MCP Inspector',
      client_uri: 'https://github.com/modelcontextprotocol/inspector',
      scope: '',
    },
    gets: { scope: AGENT_SCOPE, token_endpoint_auth_method: 'none', response_types: ['code'] },
  },
  {
    name: 'mod_auth_openidc 2.4 with its defaults',
    sends: {
      client_name: 'OpenID Connect Apache Module (mod_auth_openidc)',
      redirect_uris: [APACHE],
      response_types: [
        'code',
        'id_token',
        'id_token token',
        'code id_token',
        'code token',
        'code id_token token',
      ],
      grant_types: ['authorization_code', 'implicit', 'refresh_token'],
      initiate_login_uri: APACHE,
      frontchannel_logout_uri: `${APACHE}?logout=get`,
      backchannel_logout_uri: `${APACHE}?logout=backchannel`,
    },
    gets: {
      grant_types: ['authorization_code', 'implicit', 'refresh_token'],
      frontchannel_logout_uri: `${APACHE}?logout=get`,
      token_endpoint_auth_method: 'client_secret_basic',
    },
  },
  {
    name: 'mod_auth_openidc 2.4 with certificate-bound tokens, at a server without certificates',
    sends: {
      client_name: 'OpenID Connect Apache Module (mod_auth_openidc)',
      redirect_uris: [APACHE],
      response_types: ['code', 'none'],
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'client_secret_basic',
      tls_client_certificate_bound_access_tokens: true,
      request_uris: ['https://www.example.org/request'],
      contacts: [],
    },
    gets: { response_types: ['code'], request_uris: ['https://www.example.org/request'] },
    loses: ['tls_client_certificate_bound_access_tokens', 'contacts'],
  },
  {
    name: 'the MCP TypeScript SDK',
    sends: {
      redirect_uris: ['http://localhost:8090/callback'],
      token_endpoint_auth_method: 'client_secret_post',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      client_name: 'Simple OAuth MCP Client',
    },
    gets: { scope: AGENT_SCOPE, application_type: 'web', token_endpoint_auth_method: 'client_secret_post' },
  },
  {
    name: 'an MCP client that sends empty members',
    sends: {
      redirect_uris: ['http://127.0.0.1:33418/', 'https://vscode.dev/redirect'],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token', DEVICE_GRANT],
      response_types: ['code'],
      client_name: 'Visual Studio Code',
      client_uri: 'https://code.visualstudio.com',
      application_type: 'native',
      scope: '',
      contacts: [],
      software_id: null,
      policy_uri: '',
    },
    gets: { scope: AGENT_SCOPE, grant_types: ['authorization_code', 'refresh_token'] },
    loses: ['contacts', 'software_id', 'policy_uri'],
  },
  {
    name: 'Cursor',
    sends: {
      client_name: 'Cursor',
      redirect_uris: [
        'cursor://anysphere.cursor-mcp/oauth/callback',
        'https://www.cursor.com/agents/mcp/oauth/callback',
        'http://localhost:8787/callback',
      ],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    gets: { application_type: 'native', token_endpoint_auth_method: 'none' },
  },
  {
    name: 'oidc-agent, which says web',
    sends: {
      application_type: 'web',
      client_name: 'oidc-agent:chancery-laptop',
      response_types: ['code'],
      grant_types: ['refresh_token', 'authorization_code'],
      scope: AGENT_SCOPE,
      redirect_uris: AGENT_ADDRESSES,
    },
    gets: { application_type: 'native', scope: AGENT_SCOPE },
  },
  {
    name: 'openid-client 6',
    sends: {
      redirect_uris: ['https://rp.example/cb'],
      dpop_bound_access_tokens: true,
      use_mtls_endpoint_aliases: true,
    },
    gets: { redirect_uris: ['https://rp.example/cb'], dpop_bound_access_tokens: true },
    loses: ['use_mtls_endpoint_aliases'],
  },
];

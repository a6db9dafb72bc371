import type { Settings } from '../config/settings.ts';
import { DEVICE_GRANT } from '../spec/grant-types.ts';

/** The registrations that clients of other authors send by default, and the members that the response has for them. */
export interface FieldClient {
  readonly name: string;
  /** The place in the client's source that makes the request, where it is public. */
  readonly source?: string;
  readonly sends: Readonly<Record<string, unknown>>;
  readonly gets: Readonly<Record<string, unknown>>;
  /** The `client-reg` scope values of its initial access token; none for a client that registers without. */
  readonly token?: readonly string[];
  /** Settings that it needs beside open registration. */
  readonly settings?: Partial<Settings>;
  /** Members of the request that are absent from the response. */
  readonly loses?: readonly string[];
}

export const AGENT_SCOPE = 'openid profile offline_access';
/** `scopes_supported` of the server, which clients register if their MCP server names no scope. */
const EVERY_SCOPE = 'openid profile email address phone offline_access';
const LOOPBACK = 'http://localhost:3334/oauth/callback';
const CODE_AND_REFRESH = ['authorization_code', 'refresh_token'];

/** Clients of the Model Context Protocol. */
export const MCP_CLIENTS: readonly FieldClient[] = [
  {
    name: 'MCP Inspector, which sends an empty scope',
    source: 'modelcontextprotocol/inspector client/src/lib/auth.ts, InspectorOAuthClientProvider',
    sends: {
      redirect_uris: ['http://localhost:6274/oauth/callback', 'http://localhost:6274/oauth/callback/debug'],
      token_endpoint_auth_method: 'none',
      grant_types: CODE_AND_REFRESH,
      response_types: ['code'],
      client_name: 'MCP Inspector',
      client_uri: 'https://github.com/modelcontextprotocol/inspector',
      scope: '',
    },
    gets: { scope: AGENT_SCOPE, token_endpoint_auth_method: 'none', response_types: ['code'] },
  },
  {
    name: 'the MCP TypeScript SDK',
    sends: {
      redirect_uris: ['http://localhost:8090/callback'],
      token_endpoint_auth_method: 'client_secret_post',
      grant_types: CODE_AND_REFRESH,
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
      grant_types: [...CODE_AND_REFRESH, DEVICE_GRANT],
      response_types: ['code'],
      client_name: 'Visual Studio Code',
      client_uri: 'https://code.visualstudio.com',
      application_type: 'native',
      scope: '',
      contacts: [],
      software_id: null,
      policy_uri: '',
    },
    gets: { scope: AGENT_SCOPE, grant_types: CODE_AND_REFRESH },
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
      grant_types: CODE_AND_REFRESH,
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    gets: { application_type: 'native', token_endpoint_auth_method: 'none' },
  },
  {
    name: 'MCP Inspector 2, a native application with an empty scope',
    source:
      'modelcontextprotocol/inspector core/auth/providers.ts at 16 August 2026, BaseOAuthClientProvider',
    sends: {
      redirect_uris: ['http://localhost:6274/oauth/callback'],
      token_endpoint_auth_method: 'none',
      grant_types: CODE_AND_REFRESH,
      response_types: ['code'],
      client_name: 'MCP Inspector',
      client_uri: 'https://github.com/modelcontextprotocol/inspector',
      scope: '',
      application_type: 'native',
    },
    gets: { scope: AGENT_SCOPE, application_type: 'native' },
  },
  {
    name: 'Visual Studio Code',
    source: 'microsoft/vscode src/vs/base/common/oauth.ts at 05f882b, fetchDynamicRegistration',
    sends: {
      client_name: 'Visual Studio Code',
      client_uri: 'https://code.visualstudio.com',
      grant_types: [...CODE_AND_REFRESH, DEVICE_GRANT],
      response_types: ['code'],
      redirect_uris: [
        'https://insiders.vscode.dev/redirect',
        'https://vscode.dev/redirect',
        'http://127.0.0.1/',
        'http://127.0.0.1:33418/',
      ],
      token_endpoint_auth_method: 'none',
      application_type: 'native',
    },
    gets: { grant_types: CODE_AND_REFRESH, application_type: 'native' },
  },
  {
    name: 'mcp-remote 0.1.43',
    source: 'geelen/mcp-remote src/lib/node-oauth-client-provider.ts, clientMetadata',
    sends: {
      redirect_uris: [LOOPBACK],
      token_endpoint_auth_method: 'none',
      grant_types: CODE_AND_REFRESH,
      response_types: ['code'],
      client_name: 'MCP CLI Client',
      client_uri: 'https://github.com/modelcontextprotocol/mcp-cli',
      software_id: '2e6dc280-f3c3-4e01-99a7-8181dbd1d23d',
      software_version: '0.1.43',
      scope: AGENT_SCOPE,
    },
    gets: { software_version: '0.1.43', token_endpoint_auth_method: 'none', scope: AGENT_SCOPE },
  },
  {
    name: 'the MCP Python SDK',
    source: 'modelcontextprotocol/python-sdk src/mcp/shared/auth.py, OAuthClientMetadata',
    sends: {
      response_types: ['code'],
      client_name: 'Simple Auth Client',
      redirect_uris: ['http://localhost:3030/callback'],
      grant_types: CODE_AND_REFRESH,
      application_type: 'native',
    },
    gets: { application_type: 'native', token_endpoint_auth_method: 'client_secret_basic' },
  },
  {
    name: 'the MCP Python SDK at a server that names no scope',
    source:
      'modelcontextprotocol/python-sdk src/mcp/client/auth/utils.py, get_client_metadata_scopes, create_client_registration_request',
    settings: { 'registration.open-openid-scope': true },
    sends: {
      redirect_uris: ['http://localhost:3030/callback'],
      grant_types: CODE_AND_REFRESH,
      response_types: ['code'],
      scope: EVERY_SCOPE,
      client_name: 'Simple Auth Client',
    },
    gets: { scope: EVERY_SCOPE },
  },
  {
    name: 'Open WebUI 0.11 at a server that names no scope',
    source:
      'open-webui/open-webui backend/open_webui/utils/oauth.py, get_oauth_client_info_with_dynamic_client_registration',
    settings: { 'registration.open-openid-scope': true },
    sends: {
      redirect_uris: ['https://chat.example/oauth/clients/mcp:notes/callback'],
      token_endpoint_auth_method: 'client_secret_post',
      grant_types: CODE_AND_REFRESH,
      response_types: ['code'],
      scope: EVERY_SCOPE,
      client_name: 'Open WebUI',
    },
    gets: { scope: EVERY_SCOPE, token_endpoint_auth_method: 'client_secret_post' },
  },
  {
    name: 'Claude Code, as servers of others report it',
    sends: {
      client_name: 'Claude Code (notes)',
      redirect_uris: ['http://localhost:54212/callback'],
      grant_types: CODE_AND_REFRESH,
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    gets: { grant_types: CODE_AND_REFRESH, token_endpoint_auth_method: 'none' },
  },
  {
    name: 'ChatGPT, as servers of others report it',
    sends: {
      client_name: 'ChatGPT',
      redirect_uris: ['https://chatgpt.com/connector_platform_oauth_redirect'],
      grant_types: CODE_AND_REFRESH,
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    gets: { grant_types: CODE_AND_REFRESH, token_endpoint_auth_method: 'none' },
  },
  {
    name: 'Claude, which names the grant of assertions too, as servers of others report it',
    source: 'better-auth/better-auth pull request 11175, and a report at anthropics/claude-ai-mcp',
    settings: { 'registration.open-other-grants': 'drop' },
    sends: {
      client_name: 'Claude',
      redirect_uris: ['https://claude.ai/api/mcp/auth_callback'],
      grant_types: [...CODE_AND_REFRESH, 'urn:ietf:params:oauth:grant-type:jwt-bearer'],
      response_types: ['code'],
      token_endpoint_auth_method: 'client_secret_post',
    },
    gets: { grant_types: CODE_AND_REFRESH, token_endpoint_auth_method: 'client_secret_post' },
  },
];

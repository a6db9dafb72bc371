import { decided, must, type Specification } from './requirement.ts';

const OVERVIEW = 'Overview';
const SECURITY = 'Security Considerations';

export const mcpAuthorization: Specification = {
  name: 'MCP Authorization 2026-07-28',
  title: 'Authorization of the Model Context Protocol',
  scope:
    'The sentences about authorisation servers, as the profile mcp keeps them (docs/operate/profiles.md). Client ID Metadata Documents have a table of their own. Sentences about MCP clients and MCP servers are left out.',
  requirements: [
    must(
      'mcp-overview-1',
      OVERVIEW,
      'The server implements OAuth 2.1 for confidential and public clients.',
      'PROFILES',
    ),
    must(
      'mcp-overview-2',
      OVERVIEW,
      'The server has OAuth 2.0 Authorization Server Metadata or OpenID Connect Discovery; this one has both.',
      'providerMetadata',
    ),
    must(
      'mcp-overview-3',
      OVERVIEW,
      'Dynamic Client Registration is there for clients that need it (MAY); it is open, within limits.',
      'PROFILES',
    ),
    must(
      'mcp-response-1',
      'Authorization Response Validation',
      'iss is in authorisation responses, errors included (SHOULD), and the metadata say so (MUST).',
      'authorizationMetadata',
    ),
    must(
      'mcp-resource-1',
      'Resource Parameter Implementation',
      'The access token is for the resource of the request.',
      'requestedAudience',
    ),
    must(
      'mcp-refresh-1',
      'Refresh Tokens',
      'offline_access is in scopes_supported, and a client gets it that asks for it and has the consent of its end-user.',
      'requestableScope',
    ),
    must('mcp-security-1', SECURITY, 'Refresh tokens of public clients are rotated.', 'isRotated'),
    must('mcp-security-2', SECURITY, 'code_challenge_methods_supported is in both documents.', 'REGISTRABLE'),
    must('mcp-security-3', SECURITY, 'Each code is for a challenge of the method S256.', 'codeChallenge'),
    must(
      'mcp-security-4',
      SECURITY,
      'Redirection URIs are compared exactly with registered values.',
      'isRegisteredRedirectUri',
    ),
    decided(
      'mcp-security-5',
      SECURITY,
      'All redirection URIs are localhost or https.',
      'decision 47: native clients in the field have private schemes (cursor://…); they must use PKCE, and the schemes are judged by a table',
    ),
    decided(
      'mcp-security-6',
      SECURITY,
      'All endpoints are served over https.',
      'the issuer must be https in production; the development mode accepts http on loopback',
      'issuerProblem',
    ),
  ],
};

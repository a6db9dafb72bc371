import { DEVICE_GRANT } from '../spec/grant-types.ts';
import { AGENT_SCOPE, type FieldClient, MCP_CLIENTS } from './mcp-clients-in-the-field.ts';

export { AGENT_SCOPE, type FieldClient };

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

const GRADES = 'https://purl.imsglobal.org/spec/lti-ags/scope';
const TOOL_CONFIGURATION = 'https://purl.imsglobal.org/spec/lti-tool-configuration';

/** Makes the request of an LTI tool: a client of the implicit grant with a key, and a configuration for platforms of learning. */
const tool = (name: string, source: string, { scope }: { readonly scope: string }): FieldClient => ({
  name: `${name} (LTI Dynamic Registration)`,
  source,
  token: ['client-reg'],
  sends: {
    application_type: 'web',
    response_types: ['id_token'],
    grant_types: ['implicit', 'client_credentials'],
    initiate_login_uri: 'https://tool.example/login',
    redirect_uris: ['https://tool.example/launch'],
    client_name: 'Quiz',
    jwks_uri: 'https://tool.example/keys',
    logo_uri: 'https://tool.example/logo.png',
    token_endpoint_auth_method: 'private_key_jwt',
    scope,
    [TOOL_CONFIGURATION]: {
      domain: 'tool.example',
      target_link_uri: 'https://tool.example/',
      custom_parameters: { course: '$Context.id' },
      claims: ['iss', 'sub', 'name', 'email'],
      messages: [
        {
          type: 'LtiDeepLinkingRequest',
          placements: ['https://canvas.instructure.com/lti/assignment_selection'],
          supported_types: ['ltiResourceLink'],
        },
      ],
    },
  },
  gets: { grant_types: ['implicit', 'client_credentials'], scope: scope.trim() },
  loses: [TOOL_CONFIGURATION],
});

export const FIELD_CLIENTS: readonly FieldClient[] = [
  ...MCP_CLIENTS,
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
    name: 'the Solid library of Inrupt 5.0 in a browser',
    source: 'inrupt/solid-client-authn-js packages/oidc-browser/src/dcr/clientRegistrar.ts, registerClient',
    sends: {
      client_name: 'Notes in a pod',
      application_type: 'web',
      redirect_uris: ['https://notes.example/'],
      subject_type: 'public',
      token_endpoint_auth_method: 'client_secret_basic',
      id_token_signed_response_alg: 'ES256',
      grant_types: ['authorization_code', 'refresh_token'],
    },
    gets: { id_token_signed_response_alg: 'ES256', client_secret_expires_at: 0, subject_type: 'public' },
  },
  {
    name: 'AppAuth for Android 0.11, a native application with a secret of its own',
    source: 'openid/AppAuth-Android app/java/net/openid/appauthdemo/LoginActivity.java, RegistrationRequest',
    sends: {
      redirect_uris: ['net.openid.appauthdemo:/oauth2redirect'],
      application_type: 'native',
      token_endpoint_auth_method: 'client_secret_basic',
    },
    // Where there is a secret or a token, AppAuth refuses a response without the member beside it.
    gets: { client_secret_expires_at: 0, application_type: 'native', response_types: ['code'] },
  },
  {
    name: 'IdentityModel for .NET, whose document has every member',
    source: 'DuendeSoftware/foss identity-model, DynamicClientRegistrationDocument',
    sends: {
      redirect_uris: ['https://application.example/signin-oidc'],
      response_types: [],
      grant_types: [],
      application_type: null,
      contacts: [],
      client_name: 'Application',
      logo_uri: null,
      jwks_uri: null,
      jwks: null,
      sector_identifier_uri: null,
      subject_type: null,
      scope: null,
      post_logout_redirect_uris: [],
      frontchannel_logout_session_required: null,
      software_statement: null,
      id_token_signed_response_alg: null,
      require_signed_request_object: null,
      token_endpoint_auth_method: null,
      default_max_age: null,
      default_acr_values: [],
      initiate_login_uri: null,
      request_uris: [],
    },
    gets: { grant_types: ['authorization_code'], token_endpoint_auth_method: 'client_secret_basic' },
    loses: ['contacts', 'logo_uri', 'default_acr_values', 'request_uris', 'post_logout_redirect_uris'],
  },
  {
    name: 'Element in a browser, with the Matrix library for JavaScript 42',
    source:
      'matrix-org/matrix-js-sdk src/oauth/index.ts, registerClient; element-hq/element-web src/BasePlatform.ts',
    sends: {
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      client_name: 'Element',
      client_uri: 'https://app.element.io',
      redirect_uris: ['https://app.element.io/?no_universal_links=true'],
      application_type: 'web',
      grant_types: ['authorization_code', 'refresh_token', DEVICE_GRANT],
      logo_uri: 'https://app.element.io/vector-icons/1024.png',
    },
    gets: { grant_types: ['authorization_code', 'refresh_token'], application_type: 'web' },
  },
  {
    name: 'Element on a desktop',
    source: 'element-hq/element-web ElectronPlatform, getOidcCallbackUrl',
    sends: {
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      client_name: 'Element',
      client_uri: 'https://element.io',
      redirect_uris: ['io.element.desktop:/vector/webapp/?no_universal_links=true'],
      application_type: 'native',
      grant_types: ['authorization_code', 'refresh_token'],
    },
    gets: { application_type: 'native', token_endpoint_auth_method: 'none' },
  },
  {
    name: 'the sample registrar of Spring Authorization Server',
    source: 'spring-projects/spring-authorization-server docs, sample/registration/ClientRegistrar.java',
    token: ['client-reg:grant:code', 'client-reg:scope'],
    sends: {
      client_name: 'client-1',
      grant_types: ['authorization_code'],
      redirect_uris: ['https://client.example.org/callback', 'https://client.example.org/callback2'],
      scope: 'openid email profile',
    },
    gets: { scope: 'openid email profile', client_name: 'client-1' },
  },
  {
    name: 'Moodle, whose version is a number',
    source: 'moodle/moodle lib/classes/oauth2/service/moodlenet.php, client_registration',
    token: ['client-reg'],
    sends: {
      client_name: 'School',
      client_uri: 'https://moodle.example',
      logo_uri: 'https://moodle.example/pix/f/moodle-256.png',
      tos_uri: 'https://moodle.example',
      policy_uri: 'https://moodle.example',
      software_id: 'moodle',
      software_version: 2_024_100_700.05,
      redirect_uris: ['https://moodle.example/admin/oauth2callback.php'],
      token_endpoint_auth_method: 'client_secret_basic',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      scope: 'openid profile email address phone offline_access',
    },
    gets: { software_version: '2024100700.05', scope: 'openid profile email address phone offline_access' },
  },
  tool('ltijs 5.9', 'Cvmcosta/ltijs src/Provider/Services/DynamicRegistration.js, register', {
    scope: `${GRADES}/lineitem.readonly ${GRADES}/lineitem ${GRADES}/score`,
  }),
  tool('a tool whose scope ends with a space', 'the LTI registration controller of R. Feldhausen, config', {
    scope: `${GRADES}/score `,
  }),
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

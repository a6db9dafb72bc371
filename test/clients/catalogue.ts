/** Client software that journeys run, and the recipes that they run it with. `docs/reference/client-software.md` is made from it. */
export interface CataloguedClient {
  readonly name: string;
  /** A package of `package.json`, or the version in Debian 12 that was tried last. */
  readonly from: { readonly npm: string } | { readonly debian: string; readonly version: string };
  readonly shown: string;
  /** Files of `recipes`. */
  readonly recipes: readonly [string, ...string[]];
  /** Members of the registration beside `client_name` and `redirect_uris`. */
  readonly registration?: string;
  /** The path of its redirect URI, where the recipe does not name it. */
  readonly callback?: string;
  readonly notes?: readonly string[];
}

const SIGN_IN = 'code flow, UserInfo';
const WITH_PKCE = 'code flow with PKCE, UserInfo';
const ALL = `registration with an initial access token, ${WITH_PKCE}, sign-out at the server`;
const SCOPE_CLAIMS =
  'The ID token of a code flow has no profile (OpenID Connect Core 1.0 §5.4). The recipe asks UserInfo. With `id-token.scope-claims: token-endpoint` the library works without that line.';

export const CLIENTS: readonly CataloguedClient[] = [
  {
    name: 'mod_auth_openidc',
    from: { debian: 'libapache2-mod-auth-openidc', version: '2.4.12.3' },
    shown: 'dynamic registration, code flow, sign-out at the server, front-channel and back-channel logout',
    recipes: ['apache.conf', 'apache-dynamic.conf'],
    registration:
      '`backchannel_logout_uri` (`…/protected/callback?logout=backchannel`) or `frontchannel_logout_uri` (`…?logout=get`)',
    notes: [
      'To register itself it needs `registration.allow-open-registration`, or a `registration_token` in the `.conf` file of the provider.',
      'It registers the implicit grant, too. So `OIDCRedirectURI` has https and no loopback host (OpenID Connect Dynamic Client Registration 1.0 §2).',
      'Back-channel logout to a private network needs `outbound.allow-networks`, and a name that a name server knows.',
    ],
  },
  {
    name: 'nginx with njs',
    from: { debian: 'libnginx-mod-http-js', version: '0.7.9' },
    shown: 'code flow, introspection of each request, logout',
    recipes: ['nginx.conf', 'nginx.js'],
    registration:
      '`grant_types` `authorization_code` and `client_credentials`, `scope` `openid ISSUER/token/introspect`',
    notes: ['Add `Secure` to the cookies as soon as nginx serves https.'],
  },
  {
    name: 'oidc-agent',
    from: { debian: 'oidc-agent-cli', version: '4.2.6' },
    shown:
      'dynamic registration with an initial access token, code flow with PKCE, device grant, refresh tokens',
    recipes: ['oidc-agent.sh', 'oidc-agent-device.sh'],
    notes: [
      'With `--flow=device` it asks for the `response_types` `token` without the implicit grant. It is registered without that.',
      'Without `--redirect-uri` it also asks for `edu.kit.data.oidc-agent:/redirect`, and is registered as a native application.',
    ],
  },
  {
    name: 'openid-client 6',
    from: { npm: 'openid-client' },
    shown: ALL,
    recipes: ['openid-client.mjs', 'openid-client-registration.mjs'],
  },
  {
    name: 'openid-client 5',
    from: { npm: 'openid-client-5' },
    shown: ALL,
    recipes: ['openid-client-5.mjs', 'openid-client-5-registration.mjs'],
  },
  { name: 'oauth4webapi', from: { npm: 'oauth4webapi' }, shown: WITH_PKCE, recipes: ['oauth4webapi.mjs'] },
  {
    name: 'passport-openidconnect',
    from: { npm: 'passport-openidconnect' },
    shown: SIGN_IN,
    recipes: ['passport-openidconnect.mjs'],
    notes: [SCOPE_CLAIMS],
  },
  {
    name: 'passport-oauth2',
    from: { npm: 'passport-oauth2' },
    shown: WITH_PKCE,
    recipes: ['passport-oauth2.mjs'],
  },
  {
    name: 'Auth.js',
    from: { npm: '@auth/express' },
    shown: WITH_PKCE,
    recipes: ['auth-js.mjs'],
    callback: '/auth/callback/chancery',
    notes: ['Next.js and the other frameworks of Auth.js take the same provider object.', SCOPE_CLAIMS],
  },
  {
    name: 'better-auth',
    from: { npm: 'better-auth' },
    shown: WITH_PKCE,
    recipes: ['better-auth.mjs'],
    callback: '/api/auth/callback/chancery',
  },
  {
    name: 'express-openid-connect',
    from: { npm: 'express-openid-connect' },
    shown: 'code flow with PKCE, and the implicit grant with form_post; sign-out at the server',
    recipes: ['express-openid-connect.mjs', 'express-openid-connect-implicit.mjs'],
    callback: '/callback',
    registration:
      'for the second recipe `response_types` `id_token`, `grant_types` `implicit`, `token_endpoint_auth_method` `none`',
  },
  {
    name: 'oidc-client-ts',
    from: { npm: 'oidc-client-ts' },
    shown: 'in Chromium: code flow with PKCE, renewal without a page, sign-out at the server',
    recipes: ['oidc-client-ts.html'],
    registration: '`token_endpoint_auth_method` `none`, `post_logout_redirect_uris`',
  },
  {
    name: 'grant',
    from: { npm: 'grant' },
    shown: WITH_PKCE,
    recipes: ['grant.mjs'],
    callback: '/connect/chancery/callback',
  },
  { name: 'simple-oauth2', from: { npm: 'simple-oauth2' }, shown: SIGN_IN, recipes: ['simple-oauth2.mjs'] },
  {
    name: '@badgateway/oauth2-client',
    from: { npm: '@badgateway/oauth2-client' },
    shown: WITH_PKCE,
    recipes: ['badgateway-oauth2-client.mjs'],
  },
  {
    name: '@fastify/oauth2',
    from: { npm: '@fastify/oauth2' },
    shown: WITH_PKCE,
    recipes: ['fastify-oauth2.mjs'],
  },
  {
    name: '@hapi/bell',
    from: { npm: '@hapi/bell' },
    shown: WITH_PKCE,
    recipes: ['hapi-bell.mjs'],
    callback: '/login',
  },
  {
    name: 'Authlib',
    from: { debian: 'python3-authlib', version: '1.2.0' },
    shown:
      'code flow with PKCE; client credentials, introspection and revocation with all four authentication methods',
    recipes: ['authlib-website.py', 'authlib-service.py'],
    registration:
      'for the second recipe `grant_types` `client_credentials`, `scope` `ISSUER/token/introspect`, `token_endpoint_auth_method`, `jwks`',
    notes: [
      'With `client-authentication.assertion-audience: legacy` Authlib needs no audience: the server then takes the token endpoint, too.',
    ],
  },
  {
    name: 'requests-oauthlib',
    from: { debian: 'python3-requests-oauthlib', version: '1.3.0' },
    shown: SIGN_IN,
    recipes: ['requests-oauthlib.py'],
  },
  {
    name: "Ruby's openid_connect",
    from: { debian: 'ruby-openid-connect', version: '1.2.0' },
    shown: 'registration with an initial access token, code flow, ID token, UserInfo',
    recipes: ['openid-connect.rb', 'openid-connect-registration.rb'],
  },
  {
    name: "Ruby's oauth2",
    from: { debian: 'ruby-oauth2', version: '1.4.4' },
    shown: SIGN_IN,
    recipes: ['oauth2.rb'],
  },
  {
    name: 'OmniAuth with omniauth_openid_connect',
    from: { debian: 'ruby-omniauth-openid-connect', version: '0.10.0' },
    shown: 'discovery, code flow, UserInfo',
    recipes: ['omniauth.rb'],
    callback: '/auth/chancery/callback',
    notes: [
      'GitLab and other programs in Ruby sign people in with it. They take the options of `provider` in their own settings.',
    ],
  },
  {
    name: "Perl's Net::OAuth2",
    from: { debian: 'libnet-oauth2-perl', version: '0.67' },
    shown: SIGN_IN,
    recipes: ['net-oauth2.pl'],
  },
  {
    name: "Go's x/oauth2 with go-oidc",
    from: { debian: 'golang-github-coreos-go-oidc-dev', version: '2.1.0' },
    shown: 'code flow, ID token, UserInfo',
    recipes: ['go-oidc.go'],
  },
];

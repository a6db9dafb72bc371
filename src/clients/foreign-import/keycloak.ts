import type { JsonValue } from '../../spec/json.ts';
import {
  type ForeignClient,
  type ForeignRegistry,
  isEmpty,
  isObject,
  type Members,
  type SkippedClient,
  textOf,
  textsOf,
} from './foreign-client.ts';
import { isInert, ruleOf } from './keycloak-attributes.ts';

type Representation = { readonly [name: string]: JsonValue };

/** Clients that each realm has for Keycloak itself. */
const OWN_CLIENTS: ReadonlySet<string> = new Set([
  'account',
  'account-console',
  'admin-cli',
  'broker',
  'realm-management',
  'security-admin-console',
]);

/** Scope values that stand for claims which Keycloak adds, and that no client asks for. */
const OWN_SCOPES: ReadonlySet<string> = new Set(['acr', 'basic', 'microprofile-jwt', 'roles', 'web-origins']);

const METHODS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'client-secret': 'client_secret_basic',
    'client-secret-jwt': 'client_secret_jwt',
    'client-jwt': 'private_key_jwt',
    'client-x509': 'tls_client_auth',
  }),
);

/** Members of a client that the conversion reads. */
const READ: ReadonlySet<string> = new Set([
  'clientId',
  'name',
  'description',
  'rootUrl',
  'baseUrl',
  'redirectUris',
  'publicClient',
  'bearerOnly',
  'enabled',
  'protocol',
  'secret',
  'standardFlowEnabled',
  'implicitFlowEnabled',
  'directAccessGrantsEnabled',
  'serviceAccountsEnabled',
  'attributes',
  'clientAuthenticatorType',
  'defaultClientScopes',
  'optionalClientScopes',
  'protocolMappers',
  'frontchannelLogout',
]);

/** Members that state nothing about how a client is served: names of the database, and defaults of every client. */
const INERT: ReadonlySet<string> = new Set([
  'id',
  'surrogateAuthRequired',
  'nodeReRegistrationTimeout',
  'notBefore',
  'fullScopeAllowed',
  'access',
  'origin',
  'alwaysDisplayInConsole',
  'type',
]);

const WORDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    consentRequired: 'consentRequired: this server asks for consent by its own rule',
    authorizationServicesEnabled: 'authorizationServicesEnabled: there are no UMA policies here',
    authorizationSettings: 'authorizationSettings: there are no UMA policies here',
    adminUrl: 'adminUrl: this server has no calls to adapters',
    authenticationFlowBindingOverrides: 'authenticationFlowBindingOverrides: there are no flows here',
  }),
);

/** Reads a realm export of Keycloak: one realm, or a list of them. */
export function keycloakRegistry(content: JsonValue): ForeignRegistry | undefined {
  const realms = (Array.isArray(content) ? content : [content]) as readonly JsonValue[];
  const parts = realms.filter(isObject).filter(({ clients }) => Array.isArray(clients));
  if (parts.length === 0) return undefined;
  return {
    clients: parts.flatMap((realm) =>
      (realm['clients'] as readonly JsonValue[]).filter(isObject).map((one) => converted(one, realm)),
    ),
    lost: parts.flatMap(realmLosses),
  };
}

function realmLosses(realm: Representation): readonly string[] {
  const count = (value: JsonValue | undefined): number =>
    Array.isArray(value) ? value.length : isObject(value) ? Object.values(value).flat().length : 0;
  const name = textOf(realm['realm']) ?? 'without name';
  const { roles } = realm;
  const realmRoles = isObject(roles) ? count(roles['realm']) : 0;
  const clientRoles = isObject(roles) ? count(roles['client']) : 0;
  const parts: readonly (readonly [number, string])[] = [
    [realmRoles, 'roles of the realm'],
    [clientRoles, 'roles of clients'],
    [count(realm['groups']), 'groups'],
    [count(realm['users']), 'users'],
    [count(realm['identityProviders']), 'identity providers'],
    [count(realm['clientScopes']), 'definitions of client scopes'],
    [count(realm['scopeMappings']) + count(realm['clientScopeMappings']), 'scope mappings'],
    [count(realm['authenticationFlows']), 'authentication flows'],
  ];
  const found = parts.filter(([number]) => number > 0).map(([number, what]) => `${number} ${what}`);
  return found.length === 0 ? [] : [`realm ${name}: not carried over: ${found.join(', ')}`];
}

function converted(client: Representation, realm: Representation): ForeignClient | SkippedClient {
  const client_id = textOf(client['clientId']) ?? '';
  const skipped = reasonToSkip(client, client_id, textOf(realm['realm']));
  if (skipped !== undefined) return { client_id, skipped };
  const changed: string[] = [];
  const lost: string[] = [];
  const notes = { changed, lost };
  const attributes = isObject(client['attributes']) ? client['attributes'] : {};
  const grant_types = grants(client, attributes, notes);
  const root = textOf(client['rootUrl']);
  const redirect_uris = addresses(textsOf(client['redirectUris']), 'redirectUris', root, notes);
  const metadata: Members = {
    client_name: shownName(client, client_id),
    description: textOf(client['description']),
    client_uri: page(textOf(client['baseUrl']) ?? root, root, notes),
    ...(grant_types.includes('authorization_code') || grant_types.includes('implicit')
      ? { redirect_uris }
      : {}),
    grant_types,
    ...responseTypes(grant_types),
    token_endpoint_auth_method: methodOf(client, notes),
    scope: scopeOf(client, grant_types, notes),
    ...fromAttributes(attributes, client, redirect_uris, root, notes),
  };
  losses(client, notes);
  return { client_id, metadata, ...secretOf(client, notes), changed, lost };
}

interface Notes {
  readonly changed: string[];
  readonly lost: string[];
}

function reasonToSkip(
  client: Representation,
  client_id: string,
  realm: string | undefined,
): string | undefined {
  if (client_id === '') return 'has no clientId';
  const protocol = textOf(client['protocol']) ?? 'openid-connect';
  const isOwn = OWN_CLIENTS.has(client_id) || (realm === 'master' && client_id.endsWith('-realm'));
  if (isOwn) return 'is a client of Keycloak itself';
  if (protocol !== 'openid-connect') return `has the protocol ${protocol}: this server has no SAML clients`;
  if (client['bearerOnly'] === true)
    return 'is bearer-only: a resource server. If it introspects tokens, register it for client_credentials';
  if (client['enabled'] === false) return 'is disabled';
  return undefined;
}

/** Keycloak writes names that its pages translate as `${client_name}`. */
function shownName(client: Representation, client_id: string): string {
  const name = textOf(client['name']);
  return name === undefined || name.startsWith('${') ? client_id : name;
}

const FLOWS: readonly (readonly [member: string, grant: string])[] = [
  ['standardFlowEnabled', 'authorization_code'],
  ['implicitFlowEnabled', 'implicit'],
  ['directAccessGrantsEnabled', 'password'],
  ['serviceAccountsEnabled', 'client_credentials'],
];

function grants(client: Representation, attributes: Representation, { lost }: Notes): readonly string[] {
  // An export that was written by hand may leave defaults out: the standard flow is on.
  const isOn = (member: string): boolean =>
    client[member] === true || (member === 'standardFlowEnabled' && client[member] === undefined);
  const found = FLOWS.flatMap(([member, grant]) => (isOn(member) ? [grant] : []));
  if (attributes['oauth2.device.authorization.grant.enabled'] === 'true')
    lost.push('the device authorisation grant');
  if (attributes['oidc.ciba.grant.enabled'] === 'true') lost.push('the CIBA grant');
  if (attributes['standard.token.exchange.enabled'] === 'true') lost.push('token exchange');
  if (client['serviceAccountsEnabled'] === true)
    lost.push('roles of the service account: give the client scope values');
  const refreshes = found.includes('authorization_code') || found.includes('password');
  return refreshes && attributes['use.refresh.tokens'] !== 'false' ? [...found, 'refresh_token'] : found;
}

/** A client of both flows has the response types of both. */
function responseTypes(grant_types: readonly string[]): Members {
  if (!grant_types.includes('implicit')) return {};
  const code = grant_types.includes('authorization_code') ? ['code'] : [];
  return { response_types: [...code, 'id_token', 'token id_token'] };
}

function methodOf(client: Representation, { lost }: Notes): string | undefined {
  if (client['publicClient'] === true) return 'none';
  const type = textOf(client['clientAuthenticatorType']);
  const method = METHODS.get(type ?? 'client-secret');
  if (method !== undefined) return method;
  lost.push(`the client authenticator ${type ?? ''}: the client gets client_secret_basic`);
  return 'client_secret_basic';
}

function scopeOf(
  client: Representation,
  grant_types: readonly string[],
  { changed }: Notes,
): string | undefined {
  const named = [...textsOf(client['defaultClientScopes']), ...textsOf(client['optionalClientScopes'])];
  const own = named.filter((value) => OWN_SCOPES.has(value));
  if (own.length > 0)
    changed.push(`scope: left out ${own.join(' ')}, which stand for claims that Keycloak adds`);
  const signsIn = grant_types.some((grant) => grant !== 'client_credentials' && grant !== 'refresh_token');
  const values = new Set([
    ...(signsIn ? ['openid'] : []),
    ...named.filter((value) => !OWN_SCOPES.has(value)),
  ]);
  return [...values].join(' ') || undefined;
}

const MASKED = /^\*+$/u;

function secretOf(client: Representation, { changed }: Notes): { readonly client_secret?: string } {
  const secret = textOf(client['secret']);
  if (client['publicClient'] === true || secret === undefined) return {};
  if (!MASKED.test(secret) && !secret.startsWith('${')) return { client_secret: secret };
  changed.push('the export has no secret (asterisks or a placeholder): the client gets a new one');
  return {};
}

/** Returns addresses that this server can compare exactly. */
function addresses(
  values: readonly string[],
  member: string,
  root: string | undefined,
  { changed, lost }: Notes,
): readonly string[] {
  return values.flatMap((value) => {
    const whole = value.startsWith('/') && root !== undefined ? root.replace(/\/$/u, '') + value : value;
    if (whole.includes('*')) {
      lost.push(`${member} ${value}: redirection URIs are compared exactly here; list each address`);
      return [];
    }
    if (whole.startsWith('/') || whole.includes('${')) {
      lost.push(`${member} ${value}: it is no address without a base`);
      return [];
    }
    if (whole !== value) changed.push(`${member} ${value}: is ${whole} with the root URL`);
    return [whole];
  });
}

function page(value: string | undefined, root: string | undefined, { lost }: Notes): string | undefined {
  if (value === undefined) return undefined;
  const whole = value.startsWith('/') && root !== undefined ? root.replace(/\/$/u, '') + value : value;
  if (/^https?:\/\//u.test(whole) && !whole.includes('${')) return whole;
  lost.push(`the home URL ${value}: it is no address without a base`);
  return undefined;
}

function fromAttributes(
  attributes: Representation,
  client: Representation,
  redirect_uris: readonly string[],
  root: string | undefined,
  notes: Notes,
): Members {
  const found: { [member: string]: JsonValue } = {};
  for (const [name, value] of Object.entries(attributes)) {
    const text = typeof value === 'string' ? value : undefined;
    if (text === undefined || isInert(name, text)) continue;
    const rule = ruleOf(name);
    if (rule === undefined) notes.lost.push(`the attribute ${name}`);
    else Object.assign(found, rule(text, attributes));
  }
  const logout = textOf(attributes['post.logout.redirect.uris']);
  if (logout === '+') found['post_logout_redirect_uris'] = redirect_uris;
  else if (logout !== undefined && logout !== '-')
    found['post_logout_redirect_uris'] = addresses(
      logout.split('##'),
      'post.logout.redirect.uris',
      root,
      notes,
    );
  if (client['frontchannelLogout'] === true && textOf(attributes['frontchannel.logout.url']) === undefined)
    delete found['frontchannel_logout_session_required'];
  return found;
}

const PAIRWISE = 'oidc-sha256-pairwise-sub-mapper';

function losses(client: Representation, { changed, lost }: Notes): void {
  for (const [name, value] of Object.entries(client)) {
    if (READ.has(name) || INERT.has(name) || isEmpty(value)) continue;
    if (name === 'webOrigins' && textsOf(value).every((origin) => origin === '+')) continue;
    if (name === 'webOrigins')
      changed.push('webOrigins: this server answers scripts of every origin at the token endpoint');
    else lost.push(WORDS.get(name) ?? name);
  }
  const mappers = Array.isArray(client['protocolMappers']) ? client['protocolMappers'].filter(isObject) : [];
  if (mappers.some(({ protocolMapper }) => protocolMapper === PAIRWISE))
    changed.push('pairwise subjects: register subject_type pairwise; the values of sub become others');
  const names = mappers.flatMap(({ name, protocolMapper }) =>
    protocolMapper === PAIRWISE ? [] : (textOf(name) ?? []),
  );
  if (names.length > 0) lost.push(`${names.length} protocol mappers: ${names.join(', ')}`);
}

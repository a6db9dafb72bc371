import type { ConformanceModule } from './module.ts';
import { BRAZIL_MODULES } from './modules/brazil.ts';
import { CLAIMS_MODULES } from './modules/claims.ts';
import { CORE_MODULES } from './modules/core.ts';
import { DISCOVERY_MODULES } from './modules/discovery.ts';
import { DYNAMIC_MODULES } from './modules/dynamic.ts';
import { FAPI_MODULES } from './modules/fapi.ts';
import { MTLS_MODULES } from './modules/fapi-mtls.ts';
import { FAPI_OBJECT_MODULES } from './modules/fapi-requests.ts';
import { FEDERATION_MODULES } from './modules/federation.ts';
import { LOGOUT_MODULES } from './modules/logout.ts';
import { REFRESH_MODULES } from './modules/refresh.ts';
import { REQUEST_OBJECT_MODULES } from './modules/request-objects.ts';
import { SESSION_MODULES } from './modules/sessions.ts';
import type { Variant } from './world.ts';

/** A certification plan of the suite: its modules with their variants, in its order. */
export interface Plan {
  /** The suite's `testPlanName`. */
  readonly name: string;
  /** The certification profile. */
  readonly profile: string;
  readonly entries: readonly PlanEntry[];
}

export interface PlanEntry {
  readonly modules: readonly string[];
  readonly variant: Variant;
}

const MODULES: ReadonlyMap<string, ConformanceModule> = new Map(
  [
    ...CORE_MODULES,
    ...CLAIMS_MODULES,
    ...SESSION_MODULES,
    ...REQUEST_OBJECT_MODULES,
    ...REFRESH_MODULES,
    ...DYNAMIC_MODULES,
    ...DISCOVERY_MODULES,
    ...LOGOUT_MODULES,
    ...FEDERATION_MODULES,
    ...BRAZIL_MODULES,
    ...FAPI_MODULES,
    ...FAPI_OBJECT_MODULES,
  ].map((module) => [module.name, module]),
);

export function moduleNamed(name: string): ConformanceModule {
  const module = MODULES.get(name);
  if (module === undefined) throw new Error(`no module ${name}`);
  return module;
}

const BASIC: Variant = {
  response_type: 'code',
  response_mode: 'default',
  client_auth_type: 'client_secret_basic',
  client_registration: 'dynamic_client',
};

const of = (response_type: string, client_auth_type = 'client_secret_basic'): Variant => ({
  ...BASIC,
  response_type,
  client_auth_type,
});

const named = (...words: readonly string[]): readonly string[] => words.map((word) => `oidcc-${word}`);

const USERINFO = named('userinfo-get', 'userinfo-post-header', 'userinfo-post-body');
const SCOPES = named('scope-profile', 'scope-email', 'scope-address', 'scope-phone', 'scope-all');
/** Requests that every certificate of the core includes. */
const REQUESTS = [
  ...named(
    'display-page',
    'display-popup',
    'prompt-login',
    'prompt-none-not-logged-in',
    'prompt-none-logged-in',
  ),
  ...named(
    'max-age-1',
    'max-age-10000',
    'ensure-request-with-unknown-parameter-succeeds',
    'id-token-hint',
    'login-hint',
  ),
  ...named('ui-locales', 'claims-locales', 'ensure-request-with-acr-values-succeeds'),
];
const CODE_REUSE = named('codereuse', 'codereuse-30seconds');
const REQUEST_OBJECTS = named(
  'request-uri-unsigned-supported-correctly-or-rejected-as-unsupported',
  'unsigned-request-object-supported-correctly-or-rejected-as-unsupported',
);
const NONCE_FAILS = named('ensure-request-without-nonce-fails');
const NONCE_SUCCEEDS = named('ensure-request-without-nonce-succeeds-for-code-flow');

const BASIC_ENTRIES: readonly PlanEntry[] = [
  {
    modules: [
      ...named('server', 'response-type-missing', 'idtoken-signature', 'idtoken-unsigned'),
      ...USERINFO,
      ...NONCE_SUCCEEDS,
      ...SCOPES,
      ...named('alternate-happy-flow'),
      ...REQUESTS,
      ...CODE_REUSE,
      ...named('ensure-registered-redirect-uri', 'ensure-post-request-succeeds'),
    ],
    variant: BASIC,
  },
  { modules: named('server-client-secret-post'), variant: of('code', 'client_secret_post') },
  {
    modules: [
      ...REQUEST_OBJECTS,
      ...named('claims-essential', 'ensure-request-object-with-redirect-uri', 'refresh-token'),
      ...named('ensure-request-with-valid-pkce-succeeds'),
    ],
    variant: BASIC,
  },
];

const IMPLICIT_MODULES: readonly string[] = [
  ...named('server', 'idtoken-signature'),
  ...NONCE_FAILS,
  ...SCOPES,
  ...named('alternate-happy-flow'),
  ...REQUESTS,
  ...named('ensure-registered-redirect-uri'),
  ...REQUEST_OBJECTS,
  ...named('ensure-request-object-with-redirect-uri', 'claims-essential'),
];

const IMPLICIT_ENTRIES: readonly PlanEntry[] = [
  { modules: IMPLICIT_MODULES, variant: of('id_token') },
  { modules: IMPLICIT_MODULES, variant: of('id_token token') },
  { modules: [...USERINFO, ...named('response-type-missing')], variant: of('id_token token') },
];

/** One of the three runs of the hybrid plan. The first has a few modules more. */
function hybridRun(response_type: string, first: boolean): readonly PlanEntry[] {
  return [
    {
      modules: [
        ...named('server'),
        ...(first ? named('response-type-missing') : []),
        ...named('idtoken-signature'),
        ...USERINFO,
        ...(response_type === 'code token' ? NONCE_SUCCEEDS : NONCE_FAILS),
        ...SCOPES,
        ...(first ? named('alternate-happy-flow') : []),
        ...REQUESTS,
        ...CODE_REUSE,
        ...named('ensure-registered-redirect-uri'),
      ],
      variant: of(response_type),
    },
    { modules: named('server-client-secret-post'), variant: of(response_type, 'client_secret_post') },
    {
      modules: [
        ...REQUEST_OBJECTS,
        ...named('claims-essential', 'ensure-request-object-with-redirect-uri', 'refresh-token'),
        ...(first ? named('ensure-request-with-valid-pkce-succeeds') : []),
      ],
      variant: of(response_type),
    },
  ];
}

const HYBRID_ENTRIES: readonly PlanEntry[] = [
  ...hybridRun('code id_token', true),
  ...hybridRun('code token', false),
  ...hybridRun('code id_token token', false),
];

const PRIVATE_KEY_JWT = of('code', 'private_key_jwt');

const DYNAMIC_ENTRIES: readonly PlanEntry[] = [
  {
    modules: [
      ...named(
        'idtoken-rs256',
        'idtoken-unsigned',
        'userinfo-rs256',
        'ensure-redirect-uri-in-authorization-request',
      ),
      ...named(
        'redirect-uri-query-OK',
        'redirect-uri-query-mismatch',
        'redirect-uri-query-added',
        'redirect-uri-regfrag',
      ),
      ...named(
        'discovery-endpoint-verification',
        'server',
        'registration-logo-uri',
        'registration-policy-uri',
      ),
      ...named(
        'registration-tos-uri',
        'registration-jwks-uri',
        'registration-sector-uri',
        'registration-sector-bad',
      ),
      ...named(
        'server-rotate-keys',
        'refresh-token-rp-key-rotation',
        'request-uri-unsigned',
        'request-uri-signed-rs256',
      ),
      ...named(
        'ensure-request-object-with-redirect-uri',
        'refresh-token',
        'ensure-client-assertion-with-iss-aud-succeeds',
      ),
    ],
    variant: PRIVATE_KEY_JWT,
  },
];

const RP_INITIATED = 'rp-initiated-logout';
const RP_INITIATED_ENTRIES: readonly PlanEntry[] = [
  {
    modules: [
      ...named(`${RP_INITIATED}-discovery-endpoint-verification`, RP_INITIATED),
      ...named(`${RP_INITIATED}-bad-post-logout-redirect-uri`, `${RP_INITIATED}-modified-id-token-hint`),
      ...named(`${RP_INITIATED}-no-id-token-hint`, `${RP_INITIATED}-no-params`),
      ...named(
        `${RP_INITIATED}-no-post-logout-redirect-uri`,
        `${RP_INITIATED}-no-state`,
        `${RP_INITIATED}-only-state`,
      ),
      ...named(
        `${RP_INITIATED}-query-added-to-post-logout-redirect-uri`,
        `${RP_INITIATED}-bad-id-token-hint`,
      ),
    ],
    variant: BASIC,
  },
];

/** `AbstractFormPostTestPlan` of the suite: the same modules with `response_mode=form_post`. */
function formPost(entries: readonly PlanEntry[]): readonly PlanEntry[] {
  return entries.map(({ modules, variant }) => ({
    modules,
    variant: { ...variant, response_mode: 'form_post' },
  }));
}

/** The operator registers the clients beforehand. The suite leaves out the modules that need registration. */
function withStaticClients(entries: readonly PlanEntry[]): readonly PlanEntry[] {
  return entries.map(({ modules, variant }) => {
    const fixed: Variant = { ...variant, client_registration: 'static_client' };
    return { modules: modules.filter((name) => moduleNamed(name).notFor?.(fixed) !== true), variant: fixed };
  });
}

function plan(name: string, profile: string, entries: readonly PlanEntry[]): Plan {
  return { name: `oidcc-${name}-certification-test-plan`, profile, entries };
}

export const PLANS: readonly Plan[] = [
  plan('basic', 'Basic OP', BASIC_ENTRIES),
  {
    ...plan('basic', 'Basic OP, static clients', withStaticClients(BASIC_ENTRIES)),
    name: 'oidcc-basic-certification-test-plan static_client',
  },
  plan('implicit', 'Implicit OP', IMPLICIT_ENTRIES),
  plan('hybrid', 'Hybrid OP', HYBRID_ENTRIES),
  plan('config', 'Config OP', [
    {
      modules: named('discovery-endpoint-verification'),
      variant: { ...BASIC, client_registration: 'static_client' },
    },
  ]),
  plan('dynamic', 'Dynamic OP', DYNAMIC_ENTRIES),
  plan('formpost-basic', 'Form Post OP', formPost(BASIC_ENTRIES)),
  plan('formpost-implicit', 'Form Post OP', formPost(IMPLICIT_ENTRIES)),
  plan('formpost-hybrid', 'Form Post OP', formPost(HYBRID_ENTRIES)),
  plan('3rdparty-init-login', '3rd Party-Init OP', [
    { modules: named('3rd_party-init-login', '3rd_party-init-login-nohttps'), variant: BASIC },
  ]),
  plan(RP_INITIATED, 'RP-Initiated OP', RP_INITIATED_ENTRIES),
  plan(`backchannel-${RP_INITIATED}`, 'Back-Channel OP', [
    {
      modules: named('backchannel-logout-discovery-endpoint-verification', 'backchannel-rp-initiated-logout'),
      variant: BASIC,
    },
  ]),
  plan(`frontchannel-${RP_INITIATED}`, 'Front-Channel OP', [
    {
      modules: named(
        'frontchannel-logout-discovery-endpoint-verification',
        'frontchannel-rp-initiated-logout',
      ),
      variant: BASIC,
    },
  ]),
  {
    name: 'openid-federation-entity-joined-to-test-federation-op-test-plan',
    profile: 'OpenID Federation (alpha in the suite)',
    entries: [{ modules: FEDERATION_MODULES.map(({ name }) => name), variant: PRIVATE_KEY_JWT }],
  },
  {
    name: 'fapi2-security-profile-final-test-plan',
    profile: 'FAPI 2.0 Security Profile, DPoP',
    entries: [
      {
        modules: FAPI_MODULES.map(({ name }) => name),
        variant: { ...PRIVATE_KEY_JWT, fapi_request_method: 'unsigned' },
      },
    ],
  },
  {
    name: 'fapi2-security-profile-final-test-plan mtls',
    profile: 'FAPI 2.0 Security Profile, certificates for authentication and binding',
    entries: [
      {
        modules: MTLS_MODULES,
        variant: { ...of('code', 'mtls'), fapi_request_method: 'unsigned', sender_constrain: 'mtls' },
      },
    ],
  },
  {
    name: 'fapi2-message-signing-final-test-plan',
    profile: 'FAPI 2.0 Message Signing, DPoP, signed requests, JARM',
    entries: [
      {
        modules: [...FAPI_MODULES, ...FAPI_OBJECT_MODULES].map(({ name }) => name),
        variant: { ...PRIVATE_KEY_JWT, fapi_request_method: 'signed_non_repudiation' },
      },
    ],
  },
  {
    name: 'fapi2-security-profile-final-brazil-dcr-test-plan',
    profile: 'FAPI 2.0 Brazil DCR, without its certificates',
    entries: [{ modules: BRAZIL_MODULES.map(({ name }) => name), variant: PRIVATE_KEY_JWT }],
  },
];

import type { AuthenticationNeeds } from '../clients/client-authentication/method.ts';
import type { ClientJwtNeeds } from '../clients/issued-jwt/client-jwt.ts';
import type { RegistryNeeds } from '../clients/registry-needs.ts';
import type { Settings } from '../config/settings.ts';
import { clientDelete } from '../endpoints/client-delete/endpoint.ts';
import { clientList } from '../endpoints/client-list/endpoint.ts';
import { clientRead } from '../endpoints/client-read/endpoint.ts';
import { ADDRESSES, clientRegistration } from '../endpoints/client-registration/endpoint.ts';
import { clientUpdate } from '../endpoints/client-update/endpoint.ts';
import type { Endpoint } from '../endpoints/contract.ts';
import { directAuthorization } from '../endpoints/direct-authorization/endpoint.ts';
import { authorizationServerContract, contract as openidContract } from '../endpoints/discovery/contract.ts';
import { discovery } from '../endpoints/discovery/endpoint.ts';
import { type CertificateSupport, providerMetadata } from '../endpoints/discovery/provider-metadata.ts';
import {
  type FederationRegistrationNeeds,
  federationRegistration,
} from '../endpoints/federation-registration/endpoint.ts';
import { introspection } from '../endpoints/introspection/endpoint.ts';
import { jwkSet } from '../endpoints/jwk-set/endpoint.ts';
import { revocation } from '../endpoints/revocation/endpoint.ts';
import { signedJwkSet } from '../endpoints/signed-jwk-set/endpoint.ts';
import { token } from '../endpoints/token/endpoint.ts';
import type { AssertionGrantNeeds } from '../grants/assertion-grant.ts';
import type { DirectAuthorizationNeeds } from '../grants/direct-authorization/authorize-directly.ts';
import { offeredGrants } from '../grants/grants.ts';
import type { Site } from '../http/router.ts';
import type { ServerKeys } from '../keys/server-keys.ts';
import type { ServerKeyStore } from '../ports/server-key-store.ts';
import { federationEndpoints, federationMembers, signedKeySetNeeds } from './federation.ts';
import { certificateTrust, masterTokens } from './settings.ts';
import type { OpenedAuthorization } from './sign-in.ts';

export interface IssuerNeeds {
  readonly settings: Settings;
  readonly registry: RegistryNeeds;
  readonly direct: DirectAuthorizationNeeds;
  readonly keys: ServerKeys;
  readonly removedKeys: ServerKeyStore['removed'];
  readonly authentication: AuthenticationNeeds;
  readonly clientJwts: ClientJwtNeeds;
  /** Undefined without a federation. */
  readonly federation: FederationRegistrationNeeds | undefined;
  /** Undefined where nobody's assertions are grants. */
  readonly assertions: AssertionGrantNeeds | undefined;
  readonly authorization: OpenedAuthorization;
  readonly logout: readonly Endpoint[];
}

/** Everything that stands below one issuer. Discovery, at its three addresses, is derived from the rest (decision 3). */
export function issuerSite(needs: IssuerNeeds): Site {
  const { issuer } = needs.registry;
  const { settings } = needs;
  const own = endpoints(needs);
  const issuerPath = new URL(issuer).pathname.replace(/\/$/, '');
  const metadata = {
    ...providerMetadata(
      issuer,
      own,
      offeredGrants({ assertions: needs.assertions, endUsers: needs.authorization.endUsers }),
      {
        certificates: certificateSupport(settings),
        canSign: (algorithm) => needs.keys.canSign(algorithm),
        languages: needs.authorization.languages,
      },
    ),
    ...federationMembers(settings),
  };
  const maxAge = settings['key-set.max-age'];
  const infix = { ...authorizationServerContract, path: `${authorizationServerContract.path}${issuerPath}` };
  return {
    issuerPath,
    endpoints: [
      ...own,
      discovery(openidContract, metadata, maxAge),
      discovery(authorizationServerContract, metadata, maxAge),
      ...federationEndpoints(
        { issuer, settings, keys: needs.keys, clock: needs.registry.clock, removed: needs.removedKeys },
        metadata,
      ),
    ],
    endpointsOutsideIssuer: issuerPath === '' ? [] : [discovery(infix, metadata, maxAge)],
    allowedOrigins: settings['cors.origins'],
  };
}

function certificateSupport(settings: Settings): CertificateSupport {
  const aliasOrigin = settings['client-authentication.mtls-origin'];
  return { trust: certificateTrust(settings), ...(aliasOrigin === 'none' ? {} : { aliasOrigin }) };
}

function endpoints({
  settings,
  registry,
  direct,
  keys,
  authentication,
  clientJwts,
  assertions,
  authorization,
  logout,
  federation,
}: IssuerNeeds): readonly Endpoint[] {
  const { issuer, accessTokens } = registry;
  const form = { parameters: settings['limits.form-parameters'] };
  const advertised = settings['registration.advertise'];
  return [
    clientRegistration(registry, { ...ADDRESSES.clients, advertised: advertised === 'clients' }),
    clientRegistration(registry, { ...ADDRESSES.register, advertised: advertised === 'register' }),
    clientList(registry),
    clientRead(registry),
    clientUpdate(registry),
    clientDelete(registry),
    directAuthorization({
      ...direct,
      masterTokens: masterTokens(settings['direct-authorization.token-sha256']),
      bearerTokenLengthMax: settings['limits.bearer-token'],
      json: registry.settings.json,
    }),
    token({ ...direct, assertions, endUsers: authorization.endUsers, authentication, form }),
    ...authorization.endpoints,
    introspection({
      issuer,
      authentication,
      accessTokens,
      form,
      clock: authentication.clock,
      clientJwts,
      audience: settings['introspection.audience'],
      legacyJwt: settings['introspection.legacy-jwt'],
    }),
    revocation({ ...direct, authentication, form }),
    jwkSet({ keys, clock: registry.clock, maxAge: settings['key-set.max-age'] }),
    signedJwkSet(signedKeySetNeeds({ issuer, settings, keys, clock: registry.clock })),
    federationRegistration(federation),
    ...logout,
  ];
}

import { applications, applicationsWithdraw } from '../endpoints/applications/endpoint.ts';
import { authorization, postedAuthorization } from '../endpoints/authorization/endpoint.ts';
import { backchannelApi, backchannelApiOutcome } from '../endpoints/backchannel-api/endpoint.ts';
import { backchannelAuthentication } from '../endpoints/backchannel-authentication/endpoint.ts';
import { backchannelRequests, backchannelRequestsForm } from '../endpoints/backchannel-requests/endpoint.ts';
import { clientDelete, clientDeleteAtRegister } from '../endpoints/client-delete/endpoint.ts';
import { clientList } from '../endpoints/client-list/endpoint.ts';
import { clientLogo } from '../endpoints/client-logo/endpoint.ts';
import { clientRead, clientReadAtRegister } from '../endpoints/client-read/endpoint.ts';
import { clientRegistration, clientRegistration201 } from '../endpoints/client-registration/endpoint.ts';
import { clientUpdate, clientUpdateAtRegister } from '../endpoints/client-update/endpoint.ts';
import { consoleEndpoints } from '../endpoints/console/endpoint.ts';
import type { Endpoint } from '../endpoints/contract.ts';
import { deviceAuthorization } from '../endpoints/device-authorization/endpoint.ts';
import { deviceVerification, deviceVerificationForm } from '../endpoints/device-verification/endpoint.ts';
import { directAuthorization } from '../endpoints/direct-authorization/endpoint.ts';
import { authorizationServerContract, contract as openidContract } from '../endpoints/discovery/contract.ts';
import { discovery } from '../endpoints/discovery/endpoint.ts';
import { providerMetadata } from '../endpoints/discovery/provider-metadata.ts';
import { endSession, endSessionForm } from '../endpoints/end-session/endpoint.ts';
import { endSessionConfirmation } from '../endpoints/end-session-confirmation/endpoint.ts';
import { externalSignIn, externalSignInOutcome } from '../endpoints/external-sign-in/endpoint.ts';
import { disabledFederationRegistration } from '../endpoints/federation-registration/disabled.ts';
import { globalTokenRevocation } from '../endpoints/global-token-revocation/endpoint.ts';
import { interaction, interactionChoice } from '../endpoints/interaction/endpoint.ts';
import { introspection } from '../endpoints/introspection/endpoint.ts';
import { jwkSet } from '../endpoints/jwk-set/endpoint.ts';
import { openApi } from '../endpoints/open-api/endpoint.ts';
import { pageAsset } from '../endpoints/page-asset/endpoint.ts';
import { protectedResources } from '../endpoints/protected-resource/endpoint.ts';
import { pushedAuthorizationRequest } from '../endpoints/pushed-authorization-request/endpoint.ts';
import { revocation } from '../endpoints/revocation/endpoint.ts';
import { revocationFeedEndpoint } from '../endpoints/revocation-feed/endpoint.ts';
import { signedJwkSet } from '../endpoints/signed-jwk-set/endpoint.ts';
import { contract as startPageContract } from '../endpoints/start-page/contract.ts';
import { startPage, startPageToken } from '../endpoints/start-page/endpoint.ts';
import { token } from '../endpoints/token/endpoint.ts';
import { postedUserinfo, userinfo } from '../endpoints/userinfo/endpoint.ts';
import { webfinger } from '../endpoints/webfinger/endpoint.ts';
import { offeredGrants } from '../grants/grants.ts';
import { issuersFor } from '../grants/trusted-jwt.ts';
import type { Site } from '../http/router.ts';
import { supportedAcrValues } from '../sessions/acr-values.ts';
import {
  CIBA_GRANT,
  DEVICE_GRANT,
  type GrantType,
  JWT_BEARER_GRANT,
  TOKEN_EXCHANGE_GRANT,
} from '../spec/grant-types.ts';
import { ID_JAG_PROFILE, ID_JAG_TYPE } from '../spec/token-types.ts';
import type { Issuer } from './issuer.ts';
import { acceptedMethods, certificateTrust, offersFrontChannelLogout } from './settings.ts';

/** Opens one endpoint; undefined where the settings switch it off. */
type Open<Parts> = (parts: Parts) => Endpoint | undefined;

const offersDevices = ({ settings }: Issuer): boolean =>
  settings['authorization.grant-types'].includes(DEVICE_GRANT);

const offersBackchannel = ({ settings }: Issuer): boolean =>
  settings['ciba.enabled'] && settings['authorization.grant-types'].includes(CIBA_GRANT);

const offersBackchannelApi = (issuer: Issuer): boolean =>
  offersBackchannel(issuer) && issuer.externalUrl !== undefined;

const backchannelParts = (issuer: Issuer) => ({
  ...issuer,
  ...issuer.jose,
  replays: issuer.storage.replays,
  pairwiseSecret: issuer.keys.pairwiseSecret,
});

/** Every endpoint below an issuer, in the order in which discovery names them. */
const ENDPOINTS: readonly Open<Issuer>[] = [
  ({ registry, settings }) => clientRegistration({ ...registry, settings }),
  ({ registry, settings }) => clientRegistration201({ ...registry, settings }),
  ({ registry }) => clientList(registry),
  ({ registry }) => clientRead(registry),
  ({ registry }) => clientReadAtRegister(registry),
  ({ registry }) => clientUpdate(registry),
  ({ registry }) => clientUpdateAtRegister(registry),
  ({ registry }) => clientDelete(registry),
  ({ registry }) => clientDeleteAtRegister(registry),
  directAuthorization,
  token,
  authorization,
  postedAuthorization,
  interaction,
  interactionChoice,
  (issuer) => (issuer.externalUrl === undefined ? undefined : externalSignIn(issuer)),
  (issuer) => (issuer.externalUrl === undefined ? undefined : externalSignInOutcome(issuer)),
  pageAsset,
  startPage,
  (issuer) => (issuer.development === undefined ? undefined : startPageToken(issuer)),
  (issuer) =>
    issuer.settings['pages.logos'] === 'none'
      ? undefined
      : // Anyone may name any client here, so none is resolved again for it.
        clientLogo({ ...issuer, clients: issuer.documents.clients }),
  pushedAuthorizationRequest,
  (issuer) => (offersDevices(issuer) ? deviceAuthorization(issuer) : undefined),
  (issuer) => (offersDevices(issuer) ? deviceVerification(issuer) : undefined),
  (issuer) => (offersDevices(issuer) ? deviceVerificationForm(issuer) : undefined),
  (issuer) => (offersBackchannel(issuer) ? backchannelAuthentication(backchannelParts(issuer)) : undefined),
  (issuer) => (offersBackchannel(issuer) ? backchannelRequests(issuer) : undefined),
  (issuer) => (offersBackchannel(issuer) ? backchannelRequestsForm(issuer) : undefined),
  (issuer) => (offersBackchannelApi(issuer) ? backchannelApi(issuer) : undefined),
  (issuer) => (offersBackchannelApi(issuer) ? backchannelApiOutcome(issuer) : undefined),
  userinfo,
  postedUserinfo,
  introspection,
  (issuer) => (issuer.settings['revocation-feed.enabled'] ? revocationFeedEndpoint(issuer) : undefined),
  revocation,
  (issuer) =>
    issuer.settings['global-revocation.token-sha256'].length > 0 ? globalTokenRevocation(issuer) : undefined,
  jwkSet,
  ({ entity, ...issuer }) => signedJwkSet(entity && { ...issuer, document: entity.document }),
  ({ entity }) => entity?.registration ?? disabledFederationRegistration,
  applications,
  applicationsWithdraw,
  (issuer) => (issuer.settings['logout.endpoint'] ? endSession(issuer) : undefined),
  (issuer) => (issuer.settings['logout.endpoint'] ? endSessionForm(issuer) : undefined),
  (issuer) => (issuer.settings['logout.endpoint'] ? endSessionConfirmation(issuer) : undefined),
];

interface Described extends Issuer {
  /** Derived from the endpoints that stand (decision 3). */
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Documents about the endpoints above. */
const DOCUMENTS: readonly Open<Described>[] = [
  ({ metadata, maxAge }) => discovery(openidContract, metadata, maxAge),
  ({ metadata, maxAge }) => discovery(authorizationServerContract, metadata, maxAge),
  ({ entity, metadata }) => entity?.configuration(metadata),
  ({ entity }) => entity?.historicalKeys,
  (issuer) => (issuer.settings['webfinger.domains'].length > 0 ? webfinger(issuer) : undefined),
];

/** Loads the administration API when a request first asks for it, or at the start where it stands below an issuer. */
const administrationApi = async () => await import('./admin-endpoints.ts');

/** Loads what stands below an issuer with these settings only. */
async function lateParts({ settings }: Pick<Issuer, 'settings'>) {
  return {
    administration: settings['admin.listeners'] === 'both' ? await administrationApi() : undefined,
    signals: settings['signals.enabled'] ? await import('./signals.ts') : undefined,
  };
}

/** Returns everything that stands below one issuer. */
export async function siteOf(issuer: Issuer): Promise<Site> {
  return siteWith(issuer, await lateParts(issuer));
}

function siteWith(issuer: Issuer, late: Awaited<ReturnType<typeof lateParts>>): Site {
  const { settings, maxAge } = issuer;
  const signals = late.signals?.signalEndpoints(issuer) ?? [];
  const own = [...opened(ENDPOINTS, issuer), ...signals];
  const metadata = metadataOf(issuer, own);
  const administration =
    late.administration === undefined
      ? []
      : [...late.administration.adminEndpoints(issuer, () => pathsOf(standing)), ...ownConsole(issuer)];
  const transmitter = late.signals === undefined ? [] : [late.signals.signalsMetadata(issuer, own)];
  const resources = protectedResources({
    ...issuer,
    takesCertificates: certificateTrust(settings) !== 'none',
  });
  const documents = [...opened(DOCUMENTS, { ...issuer, metadata }), ...transmitter, ...resources];
  const standing: readonly Endpoint[] = [...own, ...documents, ...administration];
  const issuerPath = new URL(issuer.issuer).pathname.replace(/\/$/, '');
  return {
    issuerPath,
    endpoints: settings['openapi.enabled']
      ? [...standing, openApi(issuer.issuer, standing, maxAge)]
      : standing,
    endpointsOutsideIssuer:
      issuerPath === ''
        ? []
        : [
            ...[discovery(authorizationServerContract, metadata, maxAge), ...transmitter, ...resources].map(
              (endpoint) => withPathBehind(endpoint, issuerPath),
            ),
            // A person may leave the slash at the end out.
            { ...startPage(issuer), contract: { ...startPageContract, path: issuerPath } },
          ],
    allowedOrigins: settings['cors.origins'],
  };
}

/** The console of the default tenant, which administers all. */
const ownConsole = ({ console }: Issuer): readonly Endpoint[] =>
  console === undefined ? [] : consoleEndpoints(console);

/**
 * Puts the path of the issuer behind the well-known string (RFC 8414 §3.1, RFC 9728 §3.1, OpenID Shared Signals Framework 1.0
 * §7.2.1).
 */
function withPathBehind(endpoint: Endpoint, issuerPath: string): Endpoint {
  const { contract } = endpoint;
  const path = contract.path.replace(/^\/\.well-known\/[^/]+/u, (wellKnown) => wellKnown + issuerPath);
  return { ...endpoint, contract: { ...contract, path } };
}

const pathsOf = (endpoints: readonly Endpoint[]): readonly string[] =>
  endpoints.map(({ contract }) => contract.path);

/** Returns what stands on the management listener for one issuer. */
export async function managementSiteOf(issuer: Issuer): Promise<Site> {
  const { adminEndpoints } = await administrationApi();
  const late = await lateParts(issuer);
  return {
    issuerPath: '',
    endpoints: adminEndpoints(issuer, () => pathsOf(siteWith(issuer, late).endpoints)),
    allowedOrigins: [],
  };
}

/** Returns the signed entity configuration of an issuer, with the provider metadata of its endpoints; undefined without a federation. */
export async function ownStatement(issuer: Issuer): Promise<string | undefined> {
  return await issuer.entity?.statement(metadataOf(issuer, opened(ENDPOINTS, issuer)));
}

function opened<Parts>(rows: readonly Open<Parts>[], parts: Parts): readonly Endpoint[] {
  return rows.flatMap((open) => open(parts) ?? []);
}

function metadataOf(issuer: Issuer, endpoints: readonly Endpoint[]): Described['metadata'] {
  const { settings, keys, pages, detailTypes } = issuer;
  const aliasOrigin = settings['client-authentication.mtls-origin'];
  const offered = offeredGrants(issuer);
  const offers = (grant: GrantType): boolean => offered.some(({ grant_type }) => grant_type === grant);
  const { assertions } = issuer;
  const takesIdJags = assertions !== undefined && issuersFor(assertions, ['id-jag']).length > 0;
  const trust = certificateTrust(settings);
  return {
    ...providerMetadata(issuer.issuer, endpoints, offered, {
      certificates: { trust, ...(aliasOrigin === 'none' ? {} : { aliasOrigin }) },
      canSign: (algorithm) => keys.canSign(algorithm),
      languages: pages.languages,
      frontChannelLogout: offersFrontChannelLogout(settings),
      acrValues: supportedAcrValues(settings),
      requestsByReference: issuer.referenced !== undefined,
      methods: acceptedMethods(settings),
      algorithms: settings['signatures.algorithms'],
      responseModes: settings['authorization.response-modes'],
      pushedRequests: settings['authorization.pushed-requests'] === 'all-clients',
      signedRequests: settings['authorization.signed-requests'] === 'all-clients',
      grantTypes: settings['authorization.grant-types'],
      dpop: settings['dpop.enabled'],
      deliveryModes: offersBackchannel(issuer) ? settings['ciba.delivery-modes'] : [],
      detailTypes: [...detailTypes.byName.keys()],
      clientDocuments: settings['registration.client-id-metadata-documents'],
      chainingTypes: offers(TOKEN_EXCHANGE_GRANT) ? [ID_JAG_TYPE] : [],
      grantProfiles: offers(JWT_BEARER_GRANT) && takesIdJags ? [ID_JAG_PROFILE] : [],
    }),
    ...issuer.federation?.federationMembers(settings),
  };
}

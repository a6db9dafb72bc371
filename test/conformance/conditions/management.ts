import { objectOf } from '../http.ts';
import { type Check, expect, expectSame, ModuleSkipped, present, shown, strings } from '../verdict.ts';
import type { Json, World } from '../world.ts';
import { lastReply, manage } from './registration.ts';

/** Members of a response that are no metadata of the request (RFC 7592 §2.2). */
const NOT_SENT_BACK: ReadonlySet<string> = new Set([
  'registration_access_token',
  'registration_client_uri',
  'client_secret_expires_at',
  'client_id_issued_at',
]);

function update(change: (world: World) => Json): Check {
  return (world) => {
    world.configuration_request = { ...world.configuration_request, ...change(world) };
  };
}

/** The redirect URIs that the directory states for this client. */
function stated({ site }: World): readonly string[] {
  return [`${site.browserUrl}/callback`, `${site.browserUrl}/callback?dummy1=lorem&dummy2=ipsum`];
}

function sameAsRegistered(member: string): Check {
  return (world) => expectSame(objectOf(lastReply(world))[member], world.client[member], member);
}

export const MANAGEMENT = {
  async FAPIBrazilCallDirectorySoftwareStatementEndpointWithBearerToken(world) {
    const { directory } = world.target;
    if (directory === undefined) throw new ModuleSkipped('this provider trusts no directory of the modules');
    world.software_statement = await directory.statement({
      software_id: world.site.browserUrl,
      redirect_uris: stated(world),
    });
  },
  AddSoftwareStatementToDynamicRegistrationRequest(world) {
    world.dynamic_registration_request['software_statement'] = present(
      world.software_statement,
      'software statement',
    );
  },
  AddClientCredentialsGrantTypeToDynamicRegistrationRequest({ dynamic_registration_request: request }) {
    request['grant_types'] = [...strings(request['grant_types']), 'client_credentials'];
  },
  AddInitialAccessToken(world) {
    world.initial_access_token = present(world.target.operatorToken, 'token of the operator');
  },
  RemoveRedirectUrisFromDynamicClientRegistrationEndpointRequest({ dynamic_registration_request: request }) {
    delete request['redirect_uris'];
  },
  CreateBadRedirectUri(world) {
    world.redirect_uri = `${world.site.browserUrl}/bad_redirect#fragment`;
  },
  ClientManagementEndpointAndAccessTokenRequired({ client }) {
    expect(typeof client['registration_client_uri'] === 'string', 'no registration_client_uri');
    expect(typeof client['registration_access_token'] === 'string', 'no registration_access_token');
  },
  CheckClientIdFromClientConfigurationEndpoint: sameAsRegistered('client_id'),
  CheckClientConfigurationUriFromClientConfigurationEndpoint: sameAsRegistered('registration_client_uri'),
  CheckRedirectUrisFromClientConfigurationEndpoint(world) {
    const returned = strings(objectOf(lastReply(world))['redirect_uris']);
    expect(
      returned.includes(world.redirect_uri),
      `redirect_uris ${shown(returned)} lack ${world.redirect_uri}`,
    );
  },
  /** An update may give another token, which is the one to use from then on (RFC 7592 §3). */
  CheckClientConfigurationAccessTokenFromClientConfigurationEndpoint(world) {
    const { registration_access_token: token } = objectOf(lastReply(world));
    expect(typeof token === 'string', `registration_access_token is ${shown(token)}`);
    world.client['registration_access_token'] = token;
  },
  CheckNoClientIdFromClientConfigurationEndpoint: (world) =>
    expect(!('client_id' in objectOf(lastReply(world))), 'the error names the client'),
  UseInvalidRegistrationAccessToken(world) {
    world.kept_token = world.client['registration_access_token'];
    world.client['registration_access_token'] = 'ivegotthisterriblepaininallthediodesdownmyleftside';
  },
  UseOwnRegistrationAccessToken(world) {
    world.client['registration_access_token'] = world.kept_token;
  },
  async UnregisterDynamicallyRegisteredClientExpectingFailure(world) {
    await manage('DELETE')(world);
    expectSame(lastReply(world).status, 401, 'the status of DELETE');
  },
  CreateClientConfigurationRequestFromDynamicClientRegistrationResponse(world) {
    const kept = Object.entries(world.client).filter(([name]) => !NOT_SENT_BACK.has(name));
    world.configuration_request = Object.fromEntries(kept);
  },
  AddSoftwareStatementToClientConfigurationRequest: update(({ software_statement }) => ({
    software_statement,
  })),
  AddRedirectUriQuerySuffix(world) {
    world.redirect_uri = stated(world)[1] ?? '';
  },
  AddRedirectUriToClientConfigurationRequest: update(({ redirect_uri }) => ({
    redirect_uris: [redirect_uri],
  })),
  RemoveSoftwareStatementFromClientConfigurationRequest: (world) =>
    void delete world.configuration_request?.['software_statement'],
  InvalidateSoftwareStatementSignature(world) {
    const parts = present(world.software_statement, 'software statement').split('.');
    const broken = Buffer.from(parts[2] ?? '', 'base64url').map((byte) => byte ^ 0x5a);
    world.software_statement = [parts[0], parts[1], Buffer.from(broken).toString('base64url')].join('.');
  },
  UpdateClientConfiguration: manage('PUT', ({ configuration_request }) => configuration_request),
} satisfies Readonly<Record<string, Check>>;

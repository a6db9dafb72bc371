import { randomUUID } from 'node:crypto';
import { CompactEncrypt, decodeJwt, exportJWK, generateKeyPair, importJWK, SignJWT } from 'jose';
import { header, objectOf } from '../http.ts';
import { type Check, expect, expectSame, ModuleSkipped, present, shown, strings, text } from '../verdict.ts';
import type { Json, World } from '../world.ts';
import { entropyOf, expectSignature, keysOf, readJwt } from './keys.ts';

const STATEMENT_TYPE = 'application/entity-statement+jwt';
const CONFIGURATION = '/.well-known/openid-federation';
const REQUEST_LIFETIME_S = 300;
const STATEMENT_LIFETIME_S = 3600;
const ENTROPY_MIN = 96;

function now(): number {
  return Math.floor(Date.now() / 1000);
}

function claim(name: string, value: (world: World) => unknown): Check {
  return (world) => {
    world.request_object_claims[name] = value(world);
  };
}

function without(name: string): Check {
  return ({ request_object_claims: claims }) => void delete claims[name];
}

async function sign({ client_key, request_object_claims }: World, more: Json = {}): Promise<string> {
  const { privateKey, publicJwk } = present(client_key, 'client key');
  return await new SignJWT(request_object_claims)
    .setProtectedHeader({
      alg: 'RS256',
      kid: text(publicJwk.kid, 'kid'),
      typ: 'oauth-authz-req+jwt',
      ...more,
    })
    .sign(privateKey);
}

/** The relying party's own entity configuration. `iss` may be another, for the module that wants it wrong. */
async function publishEntity(world: World, iss: (entity: string) => string): Promise<void> {
  const federation = world.target.federation;
  if (federation === undefined)
    throw new ModuleSkipped('this provider belongs to no federation of the modules');
  const entity = world.site.fetchUrl;
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'entity', use: 'sig', alg: 'ES256' }] };
  world.client_key = world.nextKey();
  const { publicJwk } = world.client_key;
  const metadata = {
    openid_relying_party: {
      client_registration_types: ['automatic'],
      response_types: ['code'],
      redirect_uris: [`${world.site.browserUrl}/callback`],
      jwks_uri: `${entity}/jwks`,
      token_endpoint_auth_method: 'private_key_jwt',
    },
  };
  world.entity = entity;
  world.client = { client_id: entity };
  world.redirect_uri = `${world.site.browserUrl}/callback`;
  world.site.publish('/jwks', 'application/json', JSON.stringify({ keys: [publicJwk] }));
  const configuration = await new SignJWT({ jwks, metadata, authority_hints: [federation.anchor] })
    .setProtectedHeader({ alg: 'ES256', kid: 'entity', typ: 'entity-statement+jwt' })
    .setIssuer(iss(entity))
    .setSubject(entity)
    .setIssuedAt()
    .setExpirationTime(now() + STATEMENT_LIFETIME_S)
    .sign(privateKey);
  world.site.publish(CONFIGURATION, STATEMENT_TYPE, configuration);
  world.trust_chain = [configuration, await federation.vouch(entity, jwks), await federation.configuration()];
}

function query(world: World, clientId: string): string {
  const { scope, response_type } = world.request_object_claims;
  const parameters = {
    client_id: clientId,
    scope: text(scope, 'scope'),
    response_type: text(response_type, 'response_type'),
    request: present(world.request_object, 'request object'),
  };
  return `${text(world.server['authorization_endpoint'], 'authorization_endpoint')}?${new URLSearchParams(parameters).toString()}`;
}

function entityConfiguration({ entity_statement: statement }: World) {
  return present(statement, 'entity configuration');
}

export const FEDERATION = {
  async CallEntityStatementEndpointAndReturnFullResponse(world) {
    if (world.target.federation === undefined)
      throw new ModuleSkipped('this provider belongs to no federation of the modules');
    world.discovery = await world.target.send(`${world.target.issuer}${CONFIGURATION}`);
    expectSame(world.discovery.status, 200, 'the status');
  },
  EnsureContentTypeEntityStatementJwt: ({ discovery }) =>
    expectSame(
      header(present(discovery, 'entity configuration'), 'content-type').split(';')[0],
      STATEMENT_TYPE,
      'the content type',
    ),
  ExtractJWTFromFederationEndpointResponse(world) {
    world.entity_statement = readJwt(
      present(world.discovery, 'entity configuration').text,
      'the entity configuration',
    );
  },
  ValidateEntityStatementIss: (world) =>
    expectSame(entityConfiguration(world).claims['iss'], world.target.issuer, 'iss'),
  ValidateEntityStatementSub: (world) =>
    expectSame(entityConfiguration(world).claims['sub'], world.target.issuer, 'sub'),
  ValidateEntityStatementIat: (world) =>
    expect(Number(entityConfiguration(world).claims['iat']) <= now() + 300, 'iat is in the future'),
  ValidateEntityStatementExp: (world) =>
    expect(Number(entityConfiguration(world).claims['exp']) > now(), 'the entity configuration has expired'),
  EnsureEntityStatementJwksDoesNotContainPrivateOrSymmetricKeys(world) {
    for (const key of keysOf(entityConfiguration(world).claims['jwks'] as Json))
      expect(key.kty !== 'oct' && !('d' in key), 'a private or symmetric key');
  },
  CheckDistinctKeyIdValueInEntityStatementJWKs(world) {
    const kids = keysOf(entityConfiguration(world).claims['jwks'] as Json).map(({ kid }) => kid);
    expect(new Set(kids).size === kids.length && kids.every(Boolean), `kids: ${shown(kids)}`);
  },
  async VerifyEntityStatementSignature(world) {
    const statement = entityConfiguration(world);
    await expectSignature({ ...world, server_jwks: statement.claims['jwks'] as Json }, statement);
    expectSame(statement.header['typ'], 'entity-statement+jwt', 'typ');
  },
  ValidateAuthorityHints(world) {
    const { authority_hints: hints } = entityConfiguration(world).claims;
    expect(hints === undefined || strings(hints).length > 0, `authority_hints is ${shown(hints)}`);
  },
  ValidateAbsenceOfMetadataPolicy(world) {
    for (const name of ['metadata_policy', 'constraints', 'crit'])
      expect(!(name in entityConfiguration(world).claims), `an entity configuration with ${name}`);
  },
  EnsureEntityIsOpenIdProvider(world) {
    const metadata = entityConfiguration(world).claims['metadata'] as Json | undefined;
    expect(typeof metadata?.['openid_provider'] === 'object', 'no metadata of the type openid_provider');
    world.server = {
      ...(metadata['openid_provider'] as Json),
      issuer: entityConfiguration(world).claims['iss'],
    };
  },
  ValidateClientRegistrationTypesSupported: ({ server }) =>
    expect(
      strings(server['client_registration_types_supported']).includes('automatic'),
      'no automatic registration',
    ),
  ValidateFederationRegistrationEndpoint({ server }) {
    if (strings(server['client_registration_types_supported']).includes('explicit'))
      expect(
        URL.canParse(text(server['federation_registration_endpoint'], 'federation_registration_endpoint')),
        'no URL',
      );
  },
  GenerateEntityConfigurationForOPTest: async (world) => await publishEntity(world, (entity) => entity),
  GenerateEntityConfigurationWithOtherIss: async (world) =>
    await publishEntity(world, (entity) => `${entity}/1`),
  SkipIfNoEncryptedRequestObjects({ server }) {
    if (!strings(server['request_object_encryption_alg_values_supported']).includes('RSA-OAEP'))
      throw new ModuleSkipped('no encrypted request objects');
  },
  CreateRequestObjectClaims(world) {
    const entity = present(world.entity, 'entity');
    world.request_object_claims = {
      client_id: entity,
      scope: 'openid',
      response_type: 'code',
      redirect_uri: world.redirect_uri,
      iss: entity,
      aud: world.target.issuer,
      jti: randomUUID(),
      exp: now() + REQUEST_LIFETIME_S,
    };
    world.authorization_endpoint_request = world.request_object_claims;
  },
  CreateRequestObjectClaimsWithSameJti(world) {
    const { jti } = world.request_object_claims;
    FEDERATION.CreateRequestObjectClaims(world);
    world.request_object_claims['jti'] = jti;
  },
  async SignRequestObjectWithFederationTrustChain(world) {
    world.request_object = await sign(world);
  },
  async SignRequestObjectWithTrustChainInHeader(world) {
    world.request_object = await sign(world, { trust_chain: present(world.trust_chain, 'trust chain') });
  },
  async SignRequestObjectWithOtherKeys(world) {
    const own = present(world.client_key, 'client key');
    const other = world.nextKey();
    world.client_key = { privateKey: other.privateKey, publicJwk: own.publicJwk };
    world.request_object = await sign(world);
    world.client_key = own;
  },
  InvalidateRequestObjectSignature(world) {
    const parts = present(world.request_object, 'request object').split('.');
    const signature = Buffer.from(parts[2] ?? '', 'base64url').map((byte) => byte ^ 0x5a);
    world.request_object = [parts[0], parts[1], Buffer.from(signature).toString('base64url')].join('.');
  },
  async EncryptRequestObject(world) {
    const jwk = keysOf(world.server_jwks).find(({ kty, use }) => kty === 'RSA' && use === 'enc');
    const key = present(jwk, 'RSA key for encryption');
    world.request_object = await new CompactEncrypt(
      Buffer.from(present(world.request_object, 'request object')),
    )
      .setProtectedHeader({
        alg: 'RSA-OAEP',
        enc: 'A256GCM',
        cty: 'JWT',
        ...(key.kid === undefined ? {} : { kid: key.kid }),
      })
      .encrypt(await importJWK(key, 'RSA-OAEP'));
  },
  AddInvalidAudToRequestObject: claim('aud', () => 'https://www.other.example'),
  AddInvalidExpToRequestObject: claim('exp', () => now() - REQUEST_LIFETIME_S),
  AddInvalidIssToRequestObject: claim('iss', ({ entity }) => `${entity}/INVALID`),
  AddInvalidClientIdToRequestObject: claim('client_id', ({ entity }) => `${entity}/INVALID`),
  AddSubToRequestObject: claim('sub', ({ entity }) => entity),
  RemoveAudFromRequestObject: without('aud'),
  RemoveExpFromRequestObject: without('exp'),
  RemoveIssFromRequestObject: without('iss'),
  RemoveJtiFromRequestObject: without('jti'),
  CreateQueryParametersForAuthorizationRequest(world) {
    world.redirect = query(world, text(world.request_object_claims['client_id'], 'client_id'));
  },
  AddInvalidClientIdToQueryParameters(world) {
    world.redirect = query(world, `${world.entity}/INVALID`);
  },
  async CallPAREndpoint(world) {
    const endpoint = text(
      world.server['pushed_authorization_request_endpoint'],
      'pushed_authorization_request_endpoint',
    );
    const form = {
      ...world.token_endpoint_request,
      request: present(world.request_object, 'request object'),
    };
    world.pushed = await world.target.send(endpoint, { form });
  },
  ClearTokenEndpointRequest(world) {
    world.token_endpoint_request = {};
  },
  CheckPAREndpointResponse201WithNoError: ({ pushed }) =>
    expectSame(`${pushed?.status}`, '201', `the status (${pushed?.text})`),
  EnsurePARContentTypeJson: ({ pushed }) =>
    expect(header(present(pushed, 'PAR response'), 'content-type').startsWith('application/json'), 'no JSON'),
  CheckForRequestUriValue: ({ pushed }) =>
    void text(objectOf(present(pushed, 'PAR response'))['request_uri'], 'request_uri'),
  CheckForPARResponseExpiresIn: ({ pushed }) =>
    expect(Number(objectOf(present(pushed, 'PAR response'))['expires_in']) > 0, 'expires_in'),
  EnsureMinimumRequestUriEntropy({ pushed }) {
    const uri = text(objectOf(present(pushed, 'PAR response'))['request_uri'], 'request_uri');
    expect(entropyOf(uri) > ENTROPY_MIN, `request_uri has ${entropyOf(uri).toFixed(0)} bits`);
  },
  ExtractRequestUriFromPARResponse(world) {
    const request_uri = text(objectOf(present(world.pushed, 'PAR response'))['request_uri'], 'request_uri');
    const parameters = new URLSearchParams({ client_id: present(world.entity, 'entity'), request_uri });
    world.redirect = `${text(world.server['authorization_endpoint'], 'authorization_endpoint')}?${parameters.toString()}`;
  },
  async ExpectEntityConfigurationRequest({ site }) {
    present(await site.until(CONFIGURATION), 'request for the entity configuration');
  },
  ExpectNoSignInPage: ({ landed }) => expect(landed?.shown.length === 0, 'the person was asked to sign in'),
  ExpectIdTokenOfEntity: ({ id_token, entity }) =>
    expectSame(decodeJwt(present(id_token, 'ID token').value).aud, entity, 'aud'),
} satisfies Readonly<Record<string, Check>>;

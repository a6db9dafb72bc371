import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { JWT_BEARER_GRANT, TOKEN_EXCHANGE_GRANT } from '../../src/spec/grant-types.ts';
import { ACCESS_TOKEN_TYPE, ID_JAG_TYPE, ID_TOKEN_TYPE_URI, JWT_TYPE } from '../../src/spec/token-types.ts';
import { credentialsOf, type Enterprise, GATEWAY, LEDGER, NOTES, startEnterprise } from './enterprise.ts';

/** Clients of another author exchange tokens (RFC 8693), and act for a person at another server (ID-JAG). */
const insecure = { [oauth.allowInsecureRequests]: true } as const;
let enterprise: Enterprise;

before(async () => {
  enterprise = await startEnterprise();
});
after(async () => await enterprise.stop());

// proves rfc8693-2.1-1, rfc8693-2.2.1-1, rfc8693-4.1-1
test('openid-client exchanges the token that a service received, and introspection says inactive once the first one is revoked (RFC 8693 §2)', async () => {
  const { gateway, wiki, idp, signIn } = enterprise;
  const { access_token } = await signIn();
  const exchanged = await openid.genericGrantRequest(gateway, TOKEN_EXCHANGE_GRANT, {
    subject_token: access_token,
    subject_token_type: ACCESS_TOKEN_TYPE,
    resource: LEDGER,
  });
  assert.deepEqual([exchanged['issued_token_type'], exchanged.scope], [ACCESS_TOKEN_TYPE, 'read']);
  const { client_id } = credentialsOf(gateway);
  const first = await openid.tokenIntrospection(gateway, access_token);
  const said = await openid.tokenIntrospection(gateway, exchanged.access_token);
  assert.deepEqual(
    [said.sub, said.aud, said['act']],
    [first.sub, [LEDGER], { sub: client_id, iss: idp.issuer }],
  );
  assert.deepEqual([first.aud, first['act']], [[GATEWAY], undefined]);
  await openid.tokenRevocation(wiki, access_token);
  assert.deepEqual(await openid.tokenIntrospection(gateway, exchanged.access_token), { active: false });
  await assert.rejects(
    openid.genericGrantRequest(gateway, TOKEN_EXCHANGE_GRANT, {
      subject_token: access_token,
      subject_token_type: ACCESS_TOKEN_TYPE,
    }),
    (failure) => failure instanceof openid.ResponseBodyError && failure.error === 'invalid_request',
  );
});

test('oauth4webapi exchanges a token of its own for a self-contained one, with its own token as the actor (RFC 8693 §2.1)', async () => {
  const { gateway, idp } = enterprise;
  const issuer = new URL(idp.issuer);
  const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure));
  assert.ok(server.grant_types_supported?.includes(TOKEN_EXCHANGE_GRANT));
  const { client_id, client_secret } = credentialsOf(gateway);
  const client = { client_id };
  const authentication = oauth.ClientSecretBasic(client_secret);
  const { access_token } = await openid.clientCredentialsGrant(gateway, { scope: 'read' });
  const answer = await oauth.genericTokenEndpointRequest(
    server,
    client,
    authentication,
    TOKEN_EXCHANGE_GRANT,
    {
      subject_token: access_token,
      subject_token_type: ACCESS_TOKEN_TYPE,
      actor_token: access_token,
      actor_token_type: ACCESS_TOKEN_TYPE,
      requested_token_type: JWT_TYPE,
      audience: LEDGER,
    },
    insecure,
  );
  const exchanged = await oauth.processGenericTokenEndpointResponse(server, client, answer);
  assert.equal(exchanged['issued_token_type'], JWT_TYPE);
  const request = new Request(LEDGER, { headers: { authorization: `Bearer ${exchanged.access_token}` } });
  const claims = await oauth.validateJwtAccessToken(server, request, LEDGER, insecure);
  assert.deepEqual([claims.sub, claims.client_id, claims.scope], [client_id, client_id, 'read']);
});

// proves id-jag-3-1, id-jag-4.4-1
test('openid-client turns an ID token into a grant, and the grant into a token of another server, for the same person (draft-ietf-oauth-identity-assertion-authz-grant-01 §4)', async () => {
  const { wiki, connector, chat, idp, signIn } = enterprise;
  assert.deepEqual(wiki.serverMetadata()['identity_chaining_requested_token_types_supported'], [ID_JAG_TYPE]);
  const profiles = connector.serverMetadata()['authorization_grant_profiles_supported'];
  assert.deepEqual(profiles, ['urn:ietf:params:oauth:grant-profile:id-jag']);
  const { id_token = '' } = await signIn();
  const server = wiki.serverMetadata();
  const { client_id, client_secret } = credentialsOf(wiki);
  const answer = await oauth.genericTokenEndpointRequest(
    server,
    { client_id },
    oauth.ClientSecretBasic(client_secret),
    TOKEN_EXCHANGE_GRANT,
    {
      requested_token_type: ID_JAG_TYPE,
      subject_token: id_token,
      subject_token_type: ID_TOKEN_TYPE_URI,
      audience: chat.issuer,
      resource: NOTES,
    },
    insecure,
  );
  // The library takes the types of access tokens alone, unless it is told others.
  const recognizedTokenTypes = { n_a: () => undefined };
  const grant = await oauth.processGenericTokenEndpointResponse(server, { client_id }, answer, {
    recognizedTokenTypes,
  });
  assert.deepEqual([grant['issued_token_type'], grant.scope], [ID_JAG_TYPE, 'notes:read']);
  const assertion = grant.access_token;
  const token = await openid.genericGrantRequest(connector, JWT_BEARER_GRANT, { assertion });
  const said = await openid.tokenIntrospection(connector, token.access_token);
  const { sub } = (await openid.tokenIntrospection(connector, token.access_token)) as {
    readonly sub: string;
  };
  const person = JSON.parse(Buffer.from(id_token.split('.')[1] ?? '', 'base64url').toString()) as {
    sub: string;
  };
  assert.deepEqual([sub, said.aud, said.scope], [`staff:${person.sub}`, [NOTES], 'notes:read']);
  await assert.rejects(
    openid.genericGrantRequest(connector, JWT_BEARER_GRANT, { assertion }),
    /OAuth|error/u,
  );
  assert.notEqual(idp.issuer, chat.issuer);
});

import { type TestsIn, testsIn } from './requirement.ts';

/** Of an endpoint's tests by status, as they lie beside it. */
const endpoint =
  (folder: string) =>
  (status: number): TestsIn =>
    testsIn(`src/endpoints/${folder}/${status}.test.ts`);

export const registration = endpoint('client-registration');
export const read = endpoint('client-read');
export const update = endpoint('client-update');
export const deletion = endpoint('client-delete');
/** What GET, PUT and DELETE of a registration refuse alike; the files 401, 403 and 404 of each run them. */
export const clientRefusals = testsIn('src/testing/client-refusals.ts');
export const token = endpoint('token');
export const introspection = endpoint('introspection');
export const authorization = endpoint('authorization');
export const authorizationModules = testsIn('src/endpoints/authorization/conformance.test.ts');
export const interaction = endpoint('interaction');
export const pushedRequests = endpoint('pushed-authorization-request');
export const userinfo = endpoint('userinfo');
export const codes = testsIn('src/endpoints/token/authorization-code.test.ts');
export const passwords = testsIn('src/endpoints/token/password.test.ts');
export const tokenLimits = endpoint('token')(429);
export const authorizationRequests = testsIn(
  'src/grants/authorization/receive-authorization-request.test.ts',
);
export const requestObjects = testsIn('src/grants/authorization/request-object.test.ts');
export const authorizationResponses = testsIn('src/grants/authorization/authorization-response.test.ts');
export const nextSteps = testsIn('src/grants/authorization/next-step.test.ts');
export const signIn = testsIn('test/journeys/sign-in.test.ts');
export const hostileAuthorization = testsIn('test/hostile/authorization.program.test.ts');
export const discovery = testsIn('src/endpoints/discovery/200.test.ts');
export const assertions = testsIn('src/endpoints/token/client-assertion.test.ts');
export const secretAssertions = testsIn('src/endpoints/token/client-secret-jwt.test.ts');
export const keyAssertions = testsIn('src/endpoints/token/private-key-jwt.test.ts');
export const introspectionAssertions = testsIn('src/endpoints/introspection/client-assertion.test.ts');
export const introspectionJwts = testsIn('src/endpoints/introspection/jwt-answer.test.ts');
export const introspectionAudience = testsIn('src/endpoints/introspection/token-audience.test.ts');
export const clientJwts = testsIn('src/clients/issued-jwt/issue-id-token.test.ts');
export const idTokens = testsIn('src/tokens/id-token.test.ts');
export const idTokenHints = testsIn('src/tokens/id-token-hint.test.ts');
export const pairwiseSubjects = testsIn('src/clients/issued-jwt/pairwise-subject.test.ts');
export const jwtGrants = testsIn('src/endpoints/token/jwt-bearer.test.ts');
export const samlGrants = testsIn('src/endpoints/token/saml2-bearer.test.ts');
export const samlVerifier = testsIn('src/saml/assertion-verifier.test.ts');
export const refreshTokens = testsIn('src/endpoints/token/refresh-token.test.ts');
export const resources = testsIn('src/endpoints/token/resource.test.ts');
export const revocation = endpoint('revocation');
export const endSession = endpoint('end-session');
export const endSessionAnswer = endpoint('end-session-confirmation');
export const logoutRequests = testsIn('src/sessions/logout-request.test.ts');
export const logoutDelivery = testsIn('src/sessions/logout-delivery.test.ts');
export const logoutConformance = testsIn('test/journeys/logout-conformance.test.ts');
export const logoutJourney = testsIn('test/journeys/logout.test.ts');
export const outboundForms = testsIn('src/outbound/forms.test.ts');
export const selfContainedTokens = testsIn('src/tokens/self-contained-token.test.ts');
export const directGrants = testsIn('src/endpoints/direct-authorization/grants.test.ts');
export const statements = testsIn('src/endpoints/client-registration/software-statement.test.ts');
export const statementRules = testsIn('src/clients/registration/software-statement.test.ts');
export const tlsClients = testsIn('src/endpoints/token/tls-client-auth.test.ts');
export const selfSignedClients = testsIn('src/endpoints/token/self-signed-tls-client-auth.test.ts');
export const boundTokens = testsIn('src/endpoints/token/certificate-bound-tokens.test.ts');
export const certificates = testsIn('src/keys/certificate.test.ts');
export const distinguishedNames = testsIn('src/spec/distinguished-name.test.ts');
export const byteSequences = testsIn('src/spec/byte-sequence.test.ts');

/** Against the started program. */
export const mutualTls = testsIn('test/journeys/mutual-tls.test.ts');
export const tlsListeners = testsIn('test/journeys/tls-listeners.test.ts');
export const certificateHeader = testsIn('test/journeys/client-cert-header.test.ts');
export const registering = testsIn('test/journeys/registration-conformance.test.ts');
export const managing = testsIn('test/journeys/management-conformance.test.ts');
export const fetching = testsIn('test/journeys/registration-fetches.test.ts');
export const tokens = testsIn('test/journeys/token-conformance.test.ts');
export const tokenJourneys = testsIn('test/journeys/tokens.test.ts');
export const starting = testsIn('test/journeys/starting.test.ts');
export const openidClient = testsIn('test/journeys/openid-client.test.ts');
export const oauth4webapi = testsIn('test/journeys/oauth4webapi.test.ts');
export const assertionGrants = testsIn('test/journeys/assertion-grants.test.ts');
export const assertionGrantAttacks = testsIn('test/hostile/assertion-grant.program.test.ts');
export const hostileManagement = testsIn('test/hostile/client-management.program.test.ts');
export const hostilePolicy = testsIn('test/hostile/registration-policy.program.test.ts');
export const hostileIntrospection = testsIn('test/hostile/introspection.program.test.ts');
export const hostileTokens = testsIn('test/hostile/access-token-jwt.program.test.ts');
export const hostileAssertions = testsIn('test/hostile/client-assertion.program.test.ts');

import { decided, must, type Specification, testsIn } from './requirement.ts';

const statement = testsIn('src/federation/examine-statement.test.ts');
const chain = testsIn('src/federation/trust-chain/resolve-trust.test.ts');
const limits = testsIn('src/federation/trust-chain/limits.test.ts');
const policyOfChain = testsIn('src/federation/trust-chain/policy-of-a-chain.test.ts');
const figure = testsIn('src/federation/trust-chain/figure-4.test.ts');
const operators = testsIn('src/federation/metadata-policy/operators.test.ts');
const policy = testsIn('src/federation/metadata-policy/metadata-policy.test.ts');
const vectors = testsIn('src/federation/metadata-policy/vectors.test.ts');
const properties = testsIn('src/federation/metadata-policy/properties.test.ts');
const marks = testsIn('src/federation/trust-marks/trust-mark.test.ts');
const configuration = testsIn('src/endpoints/entity-configuration/200.test.ts');
const historicalKeys = testsIn('src/endpoints/federation-historical-keys/200.test.ts');
const signedKeys = testsIn('src/endpoints/signed-jwk-set/200.test.ts');
const entity = testsIn('test/journeys/federation-entity.test.ts');
const registration = testsIn('src/federation/registration/registration.test.ts');
const registered = testsIn('src/endpoints/federation-registration/200.test.ts');
const malformed = testsIn('src/endpoints/federation-registration/400.test.ts');
const untrusted = testsIn('src/endpoints/federation-registration/401.test.ts');
const unknownAnchor = testsIn('src/endpoints/federation-registration/404.test.ts');
const ends = testsIn('src/clients/upkeep/prune-clients.test.ts');
const journey = testsIn('test/journeys/federation-registration.test.ts');
const automatic = testsIn('test/journeys/federation-automatic.test.ts');
const authorities = testsIn('test/hostile/federation-authorities.test.ts');

export const openidFederation: Specification = {
  title: 'OpenID Federation 1.0',
  scope:
    'Of the Final specification what an OpenID provider does with other people’s statements (§3.2, §4, §6, §7, §10) and says about itself (§9, §5.2.1), and the registration of relying parties, automatic and explicit (§12). The endpoints of federation authorities (§8) are not offered.',
  requirements: [
    must(
      '§3.2 1–3',
      'An entity statement is a signed JWT of type entity-statement+jwt with an acceptable alg, never none.',
      statement('…: no signed JWT', 'a request whose header has …', 'a statement signed with …'),
    ),
    must(
      '§3.2 4–6',
      'sub is the entity in question, iss an entity identifier; the issuer of a subordinate statement is among the authority_hints of its subject.',
      statement('a request with …', 'a subordinate statement by an entity that its subject'),
      chain('a subordinate statement …: no chain'),
    ),
    must(
      '§3.2 7, 8',
      'Now lies between iat and exp, with a small leeway.',
      statement('times may differ by a minute'),
    ),
    must(
      '§3.2 9, §3.1.1',
      'jwks is there and a valid JWK set; every key has a unique kid.',
      statement('jwks …: form', 'every key of the federation has a kid'),
    ),
    must(
      '§3.2 10–12',
      'kid names a key of the issuer’s configuration, and the signature holds with it.',
      statement('a statement signed with a key that is not in its jwks'),
      chain('a subordinate statement …: no chain'),
    ),
    must(
      '§3.2 13, §13.4',
      'Critical claims are understood, or the statement is refused.',
      statement('a request with …'),
    ),
    must(
      '§3.2 14–23, 26, 27',
      'Each claim is in its kind of statement and of its form.',
      statement('a request with …', 'a subordinate statement with …', 'aud may be required'),
    ),
    must(
      '§3.2 24, 25, §4.3, §4.4',
      'trust_chain and peer_trust_chain are in no statement of a chain.',
      statement('no statement of a chain may carry a chain', 'a request whose header has …'),
    ),
    must(
      '§4, §10.2',
      'A chain is linked by iss and sub, signed by the keys of the next statement, and ends in the configured keys of a trust anchor.',
      figure('the trust chain of Figure 4', '…; with one statement left out'),
      chain(
        'a chain over an intermediate',
        'an anchor is its configured keys',
        'an anchor’s statement signed with a key',
        'a subject signed with a key that its superior does not',
        'an intermediate whose configuration',
        'an anchor is its whole identifier',
      ),
    ),
    must(
      '§6.1.2',
      'A policy has three levels of objects; names may have language tags.',
      policy('each of the three levels', 'a parameter with a language tag'),
    ),
    must(
      '§6.1.3.1',
      'Seven operators, each with its values, merge, action and allowed combinations, in their order.',
      vectors('every one of the 2,019 public vectors'),
      operators(
        'operators are applied in the order',
        'value assigns',
        'add adds',
        'default is for',
        'one_of: a present',
        'subset_of keeps',
        'superset_of: a present',
        'essential: the parameter',
        '… with a value of a type',
        '…: allowed on its condition',
      ),
    ),
    must('§6.1.3.1.8', 'scope is processed as an array of strings.', policy('scope is a list of words')),
    must(
      '§6.1.3.2',
      'Operators that are not understood are ignored, unless they are critical: then the chain is invalid.',
      policy('an operator that is not understood', '…, but a critical one'),
    ),
    must(
      '§6.1.4.1',
      'Policies are merged from the most superior statement downwards; what cannot be merged makes the chain invalid.',
      policy('the example of the specification', 'what a superior forbids'),
      properties('merging is associative', 'what passes a merged policy'),
      policyOfChain('policies that contradict each other'),
    ),
    must(
      '§3.1.1, §6.1.4.2',
      'The immediate superior’s metadata is applied before the policy; metadata that does not comply makes the chain invalid.',
      policyOfChain(
        'the immediate superior’s metadata',
        'policies go from the anchor downwards',
        'metadata that does not comply',
      ),
    ),
    must(
      '§6.2',
      'max_path_length, naming_constraints and allowed_entity_types of each statement are applied by themselves.',
      policyOfChain(
        'max_path_length counts',
        'naming_constraints … of the anchor',
        'of an intermediate, they concern',
        'allowed_entity_types takes',
      ),
      chain('a subject that is no relying party'),
    ),
    must(
      '§7.3',
      'A trust mark is of its type, for its holder, by an issuer in which trust was established, and signed by it.',
      marks('a mark of the required type', 'a required mark with …', 'an empty list of issuers'),
    ),
    must(
      '§7.2.2',
      'A mark of a type with an owner has a delegation that holds.',
      marks('where the type has an owner'),
    ),
    decided(
      '§7.3',
      'Marks are validated.',
      'only those that a setting requires (security catalogue H-215); their status endpoint (MAY) is not asked',
      marks('without the mark', 'one that holds is enough'),
    ),
    must(
      '§10.1',
      'No statement is fetched twice; a hint that leads into a loop is not used.',
      chain('a loop is left', 'an authority that says something else'),
      authorities('an authority that says something else'),
    ),
    must(
      '§10.4',
      'The chain expires with the first of its statements.',
      chain('the chain expires with the first'),
    ),
    decided(
      '§10.3',
      'One of several valid chains is chosen.',
      'the shortest; of equals the one whose anchor is configured first',
      chain(
        'of two chains the shorter',
        'of two chains of one length',
        'where the shorter chain does not hold',
      ),
    ),
    must(
      '§18.1',
      'The number of authority_hints that are followed has a limit (SHOULD).',
      limits('of more than five hints', 'a net of diamonds'),
      authorities('a hundred identical questions', 'an authority that …'),
    ),
    must(
      '§9, §9.2',
      'The entity configuration stands at the well-known address: 200, application/entity-statement+jwt.',
      configuration(
        'GET /.well-known/openid-federation: 200',
        'claims without a value',
        'it is signed with RS256',
      ),
      entity('the started program publishes', 'without a federation'),
    ),
    must(
      '§8.7',
      'Keys of the past are told with the time of their end and why they were revoked, signed with a federation key of today.',
      historicalKeys('GET /federation/historical-keys: 200'),
      entity('the started program publishes'),
    ),
    must(
      '§5.2.1',
      'The signed JWK set has typ jwk-set+jwt, kid, iss, sub and keys, and is signed with a federation key.',
      signedKeys('GET /jwks.jwt with a federation'),
      entity('the started program publishes'),
    ),
    must(
      '§8.9, §12.2.2',
      'A registration request is examined with all rules for statements and its aud; a chain that comes along may save look-ups; what is refused has a code.',
      registration(
        'a request in each of the three media types',
        'a chain that comes along, in the body',
        '… with …: refused',
        'policies that refuse',
      ),
    ),
    must(
      '§12.2.3',
      'The answer has iss, sub, aud, iat, exp, trust_anchor, authority_hints with the immediate superior, and metadata; its type is its own.',
      registration('the answer of OpenID Federation 1.0', 'the answer in the interface’s dialect'),
      registered('…: 200 with the answer of OpenID'),
    ),
    must(
      '§5.1.3, §5.2.2',
      'The provider metadata names its issuer, the registration endpoint, the types of registration and the organisation.',
      journey('discovery and the entity configuration name'),
    ),
    must(
      '§12.1.1.1',
      'A request object of an entity has aud, iss, client_id, exp and jti, and no sub; it is signed with a key of the metadata and taken once.',
      automatic(
        'openid-federation-automatic-client-registration-with-jar-and-get',
        'openid-federation-automatic-client-registration-with-jar-and-post',
        'openid-federation-automatic-client-registration-invalid-…',
        'openid-federation-automatic-client-registration-invalid-duplicate',
        'a request that is neither signed nor pushed',
      ),
    ),
    must(
      '§12.1.1.2',
      'A pushed request is authenticated with a key of the metadata.',
      automatic('openid-federation-automatic-client-registration-with-par', 'with another key nobody pushes'),
    ),
    must(
      '§12.1.2, §12.1.3',
      'Without trust in the entity there is no redirection.',
      automatic('an entity …: no redirection'),
    ),
    must(
      '§12.2.1',
      'A request is a POST of an entity configuration or of a trust chain, with the server alone as aud.',
      registered('…: 200 with the answer of OpenID', 'a statement that is signed with …'),
      malformed('Content-Type …: 400', 'a body of …: 400'),
      untrusted('a statement …: 401'),
    ),
    must(
      '§12.2.2',
      'A registration of the entity that was there before ends with a new one.',
      registered(
        'a renewal ends the registration',
        '20 renewals at once',
        'a renewal under a narrower policy',
      ),
      journey('a stranger registers'),
    ),
    must(
      '§12.2.2, §6.1.4.2',
      'What the policies leave of the metadata is checked as client metadata; what is not acceptable is refused.',
      malformed('metadata with …: 400', 'a policy that would make', 'a policy that takes redirect_uris'),
    ),
    must(
      '§12.2.3',
      'The secret does not expire before the registration; there is no registration access token (SHOULD NOT).',
      registered('a registration lives as long as …', '…: 200 with the answer of OpenID'),
      ends('what manages a registration'),
    ),
    must(
      '§12.3',
      'A registration is not used longer than its trust chain.',
      registered('a registration lives as long as …'),
      ends('a token lives no longer', 'at its end a client is nobody', 'the sweep ends who has expired'),
      journey('at its end the registration'),
    ),
    decided(
      '§12.2',
      'A statement may be sent again until it expires.',
      'it is taken once and must be recent: the configuration of a relying party is public (decision 35)',
      untrusted(
        'a statement is taken once',
        'of 20 requests with one statement',
        'a failure of the authorities',
      ),
    ),
    must(
      '§8.9',
      'A refusal has a code and a description.',
      unknownAnchor('no way leads to a configured anchor'),
      untrusted('no chain to a configured anchor', 'a policy that the metadata'),
    ),
  ],
};

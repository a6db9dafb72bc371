import { decided, must, type Specification } from './requirement.ts';

export const openidFederation: Specification = {
  title: 'OpenID Federation 1.0',
  scope:
    'Of the Final specification what an OpenID provider does with other people’s statements (§3.2, §4, §6, §7, §10) and says about itself (§9, §5.2.1), and the registration of relying parties, automatic and explicit (§12). The endpoints of federation authorities (§8) are not offered.',
  requirements: [
    must(
      'openid-federation-3.2-1',
      '§3.2 1–3',
      'An entity statement is a signed JWT of type entity-statement+jwt with an acceptable alg, never none.',
    ),
    must(
      'openid-federation-3.2-2',
      '§3.2 4–6',
      'sub is the entity in question, iss an entity identifier; the issuer of a subordinate statement is among the authority_hints of its subject.',
    ),
    must('openid-federation-3.2-3', '§3.2 7, 8', 'Now lies between iat and exp, with a small leeway.'),
    must(
      'openid-federation-3.2-4',
      '§3.2 9, §3.1.1',
      'jwks is there and a valid JWK set; every key has a unique kid.',
    ),
    must(
      'openid-federation-3.2-5',
      '§3.2 10–12',
      'kid names a key of the issuer’s configuration, and the signature holds with it.',
    ),
    must(
      'openid-federation-3.2-6',
      '§3.2 13, §13.4',
      'Critical claims are understood, or the statement is refused.',
    ),
    must(
      'openid-federation-3.2-7',
      '§3.2 14–23, 26, 27',
      'Each claim is in its kind of statement and of its form.',
    ),
    must(
      'openid-federation-3.2-8',
      '§3.2 24, 25, §4.3, §4.4',
      'trust_chain and peer_trust_chain are in no statement of a chain.',
    ),
    must(
      'openid-federation-4-1',
      '§4, §10.2',
      'A chain is linked by iss and sub, signed by the keys of the next statement, and ends in the configured keys of a trust anchor.',
    ),
    must(
      'openid-federation-6.1.2-1',
      '§6.1.2',
      'A policy has three levels of objects; names may have language tags.',
    ),
    must(
      'openid-federation-6.1.3.1-1',
      '§6.1.3.1',
      'Seven operators, each with its values, merge, action and allowed combinations, in their order.',
    ),
    must('openid-federation-6.1.3.1.8-1', '§6.1.3.1.8', 'scope is processed as an array of strings.'),
    must(
      'openid-federation-6.1.3.2-1',
      '§6.1.3.2',
      'Operators that are not understood are ignored, unless they are critical: then the chain is invalid.',
    ),
    must(
      'openid-federation-6.1.4.1-1',
      '§6.1.4.1',
      'Policies are merged from the most superior statement downwards; what cannot be merged makes the chain invalid.',
    ),
    must(
      'openid-federation-3.1.1-1',
      '§3.1.1, §6.1.4.2',
      'The immediate superior’s metadata is applied before the policy; metadata that does not comply makes the chain invalid.',
    ),
    must(
      'openid-federation-6.2-1',
      '§6.2',
      'max_path_length, naming_constraints and allowed_entity_types of each statement are applied by themselves.',
    ),
    must(
      'openid-federation-7.3-1',
      '§7.3',
      'A trust mark is of its type, for its holder, by an issuer in which trust was established, and signed by it.',
    ),
    must(
      'openid-federation-7.2.2-1',
      '§7.2.2',
      'A mark of a type with an owner has a delegation that holds.',
    ),
    decided(
      'openid-federation-7.3-2',
      '§7.3',
      'Marks are validated.',
      'only those that a setting requires (security catalogue H-215); their status endpoint (MAY) is not asked',
    ),
    must(
      'openid-federation-10.1-1',
      '§10.1',
      'No statement is fetched twice; a hint that leads into a loop is not used.',
    ),
    must('openid-federation-10.4-1', '§10.4', 'The chain expires with the first of its statements.'),
    decided(
      'openid-federation-10.3-1',
      '§10.3',
      'One of several valid chains is chosen.',
      'the shortest; of equals the one whose anchor is configured first',
    ),
    must(
      'openid-federation-18.1-1',
      '§18.1',
      'The number of authority_hints that are followed has a limit (SHOULD).',
    ),
    must(
      'openid-federation-9-1',
      '§9, §9.2',
      'The entity configuration stands at the well-known address: 200, application/entity-statement+jwt.',
    ),
    must(
      'openid-federation-8.7-1',
      '§8.7',
      'Keys of the past are told with the time of their end and why they were revoked, signed with a federation key of today.',
    ),
    must(
      'openid-federation-5.2.1-1',
      '§5.2.1',
      'The signed JWK set has typ jwk-set+jwt, kid, iss, sub and keys, and is signed with a federation key.',
    ),
    must(
      'openid-federation-8.9-1',
      '§8.9, §12.2.2',
      'A registration request is examined with all rules for statements and its aud; a chain that comes along may save look-ups; what is refused has a code.',
    ),
    must(
      'openid-federation-12.2.3-1',
      '§12.2.3',
      'The answer has iss, sub, aud, iat, exp, trust_anchor, authority_hints with the immediate superior, and metadata; its type is its own.',
    ),
    must(
      'openid-federation-5.1.3-1',
      '§5.1.3, §5.2.2',
      'The provider metadata names its issuer, the registration endpoint, the types of registration and the organisation.',
    ),
    must(
      'openid-federation-12.1.1.1-1',
      '§12.1.1.1',
      'A request object of an entity has aud, iss, client_id, exp and jti, and no sub; it is signed with a key of the metadata and taken once.',
    ),
    must(
      'openid-federation-12.1.1.2-1',
      '§12.1.1.2',
      'A pushed request is authenticated with a key of the metadata.',
    ),
    must(
      'openid-federation-12.1.2-1',
      '§12.1.2, §12.1.3',
      'Without trust in the entity there is no redirection.',
    ),
    must(
      'openid-federation-12.2.1-1',
      '§12.2.1',
      'A request is a POST of an entity configuration or of a trust chain, with the server alone as aud.',
    ),
    must(
      'openid-federation-12.2.2-1',
      '§12.2.2',
      'A registration of the entity that was there before ends with a new one.',
    ),
    must(
      'openid-federation-12.2.2-2',
      '§12.2.2, §6.1.4.2',
      'What the policies leave of the metadata is checked as client metadata; what is not acceptable is refused.',
    ),
    must(
      'openid-federation-12.2.3-2',
      '§12.2.3',
      'The secret does not expire before the registration; there is no registration access token (SHOULD NOT).',
    ),
    must('openid-federation-12.3-1', '§12.3', 'A registration is not used longer than its trust chain.'),
    decided(
      'openid-federation-12.2-1',
      '§12.2',
      'A statement may be sent again until it expires.',
      'it is taken once and must be recent: the configuration of a relying party is public (decision 35)',
    ),
    must('openid-federation-8.9-2', '§8.9', 'A refusal has a code and a description.'),
  ],
};

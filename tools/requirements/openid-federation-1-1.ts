import { decided, type Specification } from './requirement.ts';

const SAME = 'the same sentences as in OpenID Federation 1.0, whose page has the proofs';

export const openidFederation11: Specification = {
  name: 'OpenID Federation 1.1',
  scope:
    'Draft 05 (27 April 2026), compared with OpenID Federation 1.0 sentence by sentence. It is the protocol-independent half of that text and says of itself that it adds no function. The rows are the sections that differ; the others have the same sentences.',
  requirements: [
    decided(
      'federation11-3-1',
      '§3',
      'The sentence that implementations SHOULD verify RS256 has gone; federations SHOULD name the algorithms that their members must have.',
      'nine algorithms are verified, RS256 among them',
      'STATEMENT_ALGORITHMS',
    ),
    decided(
      'federation11-3.1.1-1',
      '§3.1.1',
      'jwks may be absent from the configuration of a leaf if a profile permits that.',
      'no profile that this server knows permits it: jwks is required, as in 1.0',
      'jwksCheck',
    ),
    decided(
      'federation11-5.1-1',
      '§5.1',
      'Only federation_entity is defined; the entity types of OpenID Connect and OAuth 2.0 moved to the other specification.',
      SAME,
    ),
    decided(
      'federation11-8.4-1',
      '§8.4.1',
      'The sentence that a request with client authentication is a POST has gone from the trust mark status request, which is a POST anyway.',
      'nothing changes for one who asks',
    ),
    decided(
      'federation11-8.9-1',
      '§8.9',
      'The error codes that exist elsewhere are named as such; none is added.',
      SAME,
      'src/federation/registration/registration-refusal.ts',
    ),
    decided(
      'federation11-12-1',
      '§12',
      'Client registration moved to OpenID Federation for OpenID Connect 1.1.',
      'see the page of that specification',
    ),
    decided(
      'federation11-18.1-1',
      '§18.1',
      'The paragraph about denial of service names the resolve endpoint alone; registration moved with its section.',
      'this server has no resolve endpoint; the limits of a search are those of 1.0',
      'searchUpwards',
    ),
  ],
};

export const openidFederationConnect11: Specification = {
  name: 'OpenID Federation for OpenID Connect 1.1',
  scope:
    'Draft 05 (15 April 2026), compared with OpenID Federation 1.0 sentence by sentence. It is the half of that text about OpenID Connect and OAuth 2.0, and says of itself that it adds no function. The section numbers of §12 are those of 1.0. The rows are the sections that differ.',
  requirements: [
    decided(
      'federation-connect11-3-1',
      '§3',
      'Implementations SHOULD verify RS256, which OpenID Connect Core 1.0 requires.',
      'it is one of nine algorithms',
      'STATEMENT_ALGORITHMS',
    ),
    decided(
      'federation-connect11-3.1.1-1',
      '§3.1.1, §3.1.2',
      'aud and trust_anchor of explicit registration stand in sections of their own (§3.1.4 and §3.1.5 of 1.0).',
      SAME,
      'audienceCheck',
      'trustAnchorCheck',
    ),
    decided(
      'federation-connect11-3.2-1',
      '§3.2',
      'A mistake of 1.0 is mended: the aud of a registration response, not of the request, is a relying party.',
      'read that way from the beginning',
      'registrationStatement',
    ),
    decided(
      'federation-connect11-5.1-1',
      '§5.1.1 to §5.1.5',
      'The entity types of relying party, provider, authorisation server, client and protected resource, renumbered.',
      SAME,
    ),
    decided(
      'federation-connect11-12.1.1.1.2-1',
      '§12.1.1.1.2',
      'The chains of a requestor are resolved if its client identifier is a URL that is not registered, or is not registered by means of its entity configuration.',
      'a client of another kind keeps its identifier: an entity that claims it is refused (H-222)',
      'src/federation/registration/register-automatically.ts',
    ),
    decided(
      'federation-connect11-12.1.3-1',
      '§12.1.3',
      'The error codes of OpenID Federation 1.1 §8.9 are used in authentication error responses; 1.0 said that they may be.',
      'without trust in the entity there is no redirection, so no such response is sent',
    ),
    decided(
      'federation-connect11-12.2-1',
      '§12.2',
      'Explicit registration has the same sentences.',
      'each condition of test/federation-conformance holds for both texts',
      'registerExplicitly',
    ),
    decided(
      'federation-connect11-15.1-1',
      '§15.1',
      'application/explicit-registration-response+jwt is the one media type that is defined here.',
      SAME,
    ),
  ],
};

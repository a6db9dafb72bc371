import type { AuthenticatedClient } from '../clients/client-authentication/authenticate-client.ts';
import type { SamlAssertion, SamlRefusal, SubjectConfirmation } from '../ports/saml-assertion-verifier.ts';
import {
  type AssertionGrantNeeds,
  invalidAssertion,
  requireAssertion,
  type SamlIssuer,
  tokenEndpoints,
  trustedIssuer,
  useAssertion,
} from './assertion-grant.ts';
import type { Grant } from './grant.ts';
import { issueToken } from './issue-token.ts';

const BEARER = 'urn:oasis:names:tc:SAML:2.0:cm:bearer';

/** Issues a token for a SAML 2.0 assertion of a trusted issuer, which stands for the authorisation of its subject (RFC 7522 §2.1). */
export const saml2Bearer: Grant = {
  grant_type: 'urn:ietf:params:oauth:grant-type:saml2-bearer',
  parameters: ['assertion', 'scope'],
  isOffered: ({ assertions }) => assertions !== undefined && assertions.samlIssuers.length > 0,
  async handle(needs, client, parameters) {
    const text = requireAssertion(parameters['assertion']);
    if (needs.assertions === undefined) throw invalidAssertion('has an issuer that is not trusted here');
    const { issuer, assertion } = verifySaml(needs.assertions, client, text);
    const asserted = {
      issuer,
      subject: subjectOf(assertion, issuer),
      id: assertion.id,
      expires_at: validUntil(needs.assertions, assertion, issuer),
    };
    const { sub, scope } = await useAssertion(
      needs.assertions,
      'saml-grant',
      client,
      asserted,
      parameters['scope'],
    );
    return { ...(await issueToken(needs, client, { sub, scope, resource: parameters['resource'] })), sub };
  },
};

function verifySaml(
  { samlLengthMax, samlVerifier, samlIssuers }: AssertionGrantNeeds,
  client: AuthenticatedClient,
  text: string,
): { readonly issuer: SamlIssuer; readonly assertion: SamlAssertion } {
  if (text.length > samlLengthMax) throw invalidAssertion('is too large');
  const claimed = samlVerifier.claimedIssuer(text);
  if ('reason' in claimed) throw invalidAssertion(REFUSALS[claimed.reason], claimed.reason);
  const issuer = trustedIssuer(samlIssuers, claimed.issuer, client);
  const verification = samlVerifier.verify(text, issuer);
  if (!verification.verified) throw invalidAssertion(REFUSALS[verification.reason], verification.reason);
  const { assertion } = verification;
  if (assertion.issuer !== issuer.issuer) throw invalidAssertion('has another issuer');
  return { issuer, assertion };
}

function subjectOf({ nameId, attributes }: SamlAssertion, { subjectFrom }: SamlIssuer): unknown {
  if (subjectFrom === undefined) return nameId;
  // RFC 7522 §3 rule 3: it "MUST contain a <Subject> element", even if an attribute names the subject.
  const [value, ...others] = nameId === undefined ? [] : (attributes.get(subjectFrom) ?? []);
  return others.length === 0 ? value : undefined;
}

/** Checks RFC 7522 §3 rules 2 and 4 to 7. @returns when the assertion ends, in seconds since the Unix epoch */
function validUntil(needs: AssertionGrantNeeds, assertion: SamlAssertion, issuer: SamlIssuer): number {
  const { conditions, issueInstant, confirmations } = assertion;
  const now = needs.clock.now();
  if (conditions === undefined || conditions.hasUnknown) {
    throw invalidAssertion('lacks Conditions, or has a condition that is not supported');
  }
  requireAudience(needs, conditions.audienceRestrictions, issuer);
  const problem = timesProblem(needs, conditions, now);
  if (problem !== undefined) throw invalidAssertion(problem);
  if (issueInstant > now + needs.clockSkew) throw invalidAssertion('is not valid yet');
  if (issueInstant < now - needs.lifetimeMax - needs.clockSkew) throw invalidAssertion('is too old');
  const ends = confirmations.flatMap((one) => confirmedUntil(needs, one, now) ?? []);
  if (ends.length === 0)
    throw invalidAssertion('has no bearer confirmation that is valid now at this token endpoint');
  const end = Math.min(conditions.notOnOrAfter ?? Number.POSITIVE_INFINITY, Math.max(...ends));
  if (end > now + needs.lifetimeMax + needs.clockSkew) throw invalidAssertion('is valid for too long');
  return end;
}

/**
 * Checks that each audience restriction names this server (SAML 2.0 Core §2.5.1.4). Refuses further audiences: several could
 * use the assertion against each other.
 */
function requireAudience(
  needs: AssertionGrantNeeds,
  restrictions: readonly (readonly string[])[],
  { audiences }: SamlIssuer,
): void {
  const { audience, issuer: own } = needs;
  const names = new Set([own, ...audiences, ...(audience === 'legacy' ? tokenEndpoints(needs) : [])]);
  const isMet = (restriction: readonly string[]): boolean =>
    restriction.some((one) => names.has(one)) && (audience === 'legacy' || restriction.length === 1);
  if (restrictions.length === 0 || !restrictions.every(isMet)) {
    throw invalidAssertion('is for another audience');
  }
}

interface Times {
  readonly notBefore: number | undefined;
  readonly notOnOrAfter: number | undefined;
}

function timesProblem(
  { clockSkew }: AssertionGrantNeeds,
  { notBefore, notOnOrAfter }: Times,
  now: number,
): string | undefined {
  if (notOnOrAfter !== undefined && now >= notOnOrAfter + clockSkew) return 'has expired';
  return notBefore !== undefined && notBefore > now + clockSkew ? 'is not valid yet' : undefined;
}

/**
 * Returns when a bearer confirmation for this token endpoint ends (RFC 7522 §3 rule 5); undefined for a confirmation that does
 * not count.
 */
function confirmedUntil(
  needs: AssertionGrantNeeds,
  confirmation: SubjectConfirmation,
  now: number,
): number | undefined {
  const { method, recipient, notOnOrAfter } = confirmation;
  const isOurs = method === BEARER && recipient !== undefined && tokenEndpoints(needs).includes(recipient);
  return isOurs && timesProblem(needs, confirmation, now) === undefined ? notOnOrAfter : undefined;
}

const REFUSALS: Readonly<Record<SamlRefusal, string>> = {
  encoding: 'is not XML in base64url',
  xml: 'must be XML of limited size and depth, without document type, comments, processing instructions and CDATA',
  assertion: 'must be a single SAML 2.0 assertion without repeated elements',
  'signature-form': 'must have exactly one enveloped signature, which covers the whole assertion',
  algorithm: 'has a signature algorithm that is not accepted',
  signature: 'has an invalid signature',
};

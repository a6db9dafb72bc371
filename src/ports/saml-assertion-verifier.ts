import type { KeyObject } from 'node:crypto';
import type { XmlSigningAlgorithm } from '../spec/jose-algorithms.ts';

declare const verified: unique symbol;

/** `NotOnOrAfter`, `NotBefore` and `Recipient` of a confirmation (SAML 2.0 Core §2.4.1.2). Seconds since the Unix epoch. */
export interface SubjectConfirmation {
  readonly method: string;
  readonly recipient: string | undefined;
  readonly notBefore: number | undefined;
  readonly notOnOrAfter: number | undefined;
}

/** SAML 2.0 Core §2.5. */
export interface SamlConditions {
  readonly notBefore: number | undefined;
  readonly notOnOrAfter: number | undefined;
  /** Each restriction must be met; it is by any of its audiences. */
  readonly audienceRestrictions: readonly (readonly string[])[];
  /** "If the assertion contains a condition that is not understood, … the validity cannot be determined" (§2.5.1.1). */
  readonly hasUnknown: boolean;
}

/** What an assertion says whose signature holds. Only the implementation of `SamlAssertionVerifier` makes one. */
export interface SamlAssertion {
  readonly id: string;
  readonly issuer: string;
  /** Seconds since the Unix epoch. */
  readonly issueInstant: number;
  readonly nameId: string | undefined;
  readonly confirmations: readonly SubjectConfirmation[];
  readonly conditions: SamlConditions | undefined;
  /** Values that are text, by the attribute's `Name`. */
  readonly attributes: ReadonlyMap<string, readonly string[]>;
  readonly [verified]: true;
}

/** Why an assertion does not hold. */
export type SamlRefusal =
  /** Not base64url of UTF-8. */
  | 'encoding'
  /** Not XML without document type, entities, comments, processing instructions and CDATA, within the limits. */
  | 'xml'
  /** Not one assertion of version 2.0, or one that says something twice. */
  | 'assertion'
  /** Not signed as a whole, by one enveloped signature of its own, in the one way that is accepted. */
  | 'signature-form'
  | 'algorithm'
  | 'signature';

export type SamlVerification =
  | { readonly verified: true; readonly assertion: SamlAssertion }
  | { readonly verified: false; readonly reason: SamlRefusal };

export interface SamlKeys {
  /** Those of the issuer; a key that the assertion brings is never used. */
  readonly keys: readonly KeyObject[];
  readonly algorithms: readonly XmlSigningAlgorithm[];
}

export interface SamlAssertionVerifier {
  /**
   * Verifies a SAML 2.0 assertion in base64url (RFC 7522 §2.1) and reads it from the octets that were signed, and from
   * nothing else. Never throws. Times, audiences and recipients are the caller's to judge.
   */
  verify(assertion: string, keys: SamlKeys): SamlVerification;
  /** What the assertion says its issuer is: unverified, to find the keys, and for nothing else. */
  claimedIssuer(assertion: string): { readonly issuer: string } | { readonly reason: SamlRefusal };
}

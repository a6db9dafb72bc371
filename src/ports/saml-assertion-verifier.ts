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
  /** All restrictions must hold. One matching audience satisfies a restriction. */
  readonly audienceRestrictions: readonly (readonly string[])[];
  /** "If the assertion contains a condition that is not understood, … the validity cannot be determined" (§2.5.1.1). */
  readonly hasUnknown: boolean;
}

/** The content of a verified assertion. Only an implementation of `SamlAssertionVerifier` creates it. */
export interface SamlAssertion {
  readonly id: string;
  readonly issuer: string;
  /** Seconds since the Unix epoch. */
  readonly issueInstant: number;
  readonly nameId: string | undefined;
  readonly confirmations: readonly SubjectConfirmation[];
  readonly conditions: SamlConditions | undefined;
  /** Text values by the attribute's `Name`. */
  readonly attributes: ReadonlyMap<string, readonly string[]>;
  readonly [verified]: true;
}

/** The reason why an assertion is refused. */
export type SamlRefusal =
  /** Not base64url of UTF-8. */
  | 'encoding'
  /** Not XML within the limits, or XML with a document type, entities, comments, processing instructions or CDATA. */
  | 'xml'
  /** Not one assertion of version 2.0, or one with a repeated element. */
  | 'assertion'
  /** Not signed as a whole by one enveloped signature in the accepted form. */
  | 'signature-form'
  | 'algorithm'
  | 'signature';

export type SamlVerification =
  | { readonly verified: true; readonly assertion: SamlAssertion }
  | { readonly verified: false; readonly reason: SamlRefusal };

export interface SamlKeys {
  /** The issuer's keys. Keys inside the assertion are never used. */
  readonly keys: readonly KeyObject[];
  readonly algorithms: readonly XmlSigningAlgorithm[];
}

export interface SamlAssertionVerifier {
  /**
   * Verifies a SAML 2.0 assertion in base64url (RFC 7522 §2.1) and reads it from the signed octets only. Never throws.
   * The caller checks times, audiences and recipients.
   */
  verify(assertion: string, keys: SamlKeys): SamlVerification;
  /** Returns the unverified issuer of an assertion. Use it only to find the keys. */
  claimedIssuer(assertion: string): { readonly issuer: string } | { readonly reason: SamlRefusal };
}

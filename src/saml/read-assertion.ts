import type { SamlAssertion, SamlConditions, SubjectConfirmation } from '../ports/saml-assertion-verifier.ts';
import { attributeOf, childrenOf, hasElementContent, isNamed, textOf, type XmlElement } from './xml.ts';

const SAML = 'urn:oasis:names:tc:SAML:2.0:assertion';

const UNDERSTOOD_CONDITIONS = new Set(['AudienceRestriction', 'OneTimeUse', 'ProxyRestriction']);

/** SAML 2.0 Core §1.3.3: UTC without a time zone. Fractions of a second are accepted and ignored. */
const DATE_TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d{1,9})?Z$/;

/** Refuses an assertion because a part is repeated or malformed. */
class AssertionRefused extends Error {
  override readonly name = 'AssertionRefused';
}

/** Tells whether the document is one assertion and contains no other that could be mistaken for it. */
export function isSoleAssertion(root: XmlElement, all: Iterable<XmlElement>): boolean {
  const assertions = [...all].filter(({ local }) => /^(Encrypted)?Assertion$/i.test(local));
  return (
    assertions.length === 1 && isNamed(root, SAML, 'Assertion') && attributeOf(root, 'Version') === '2.0'
  );
}

/** Returns the issuer (SAML 2.0 Core §2.2.5); undefined unless there is exactly one, with text only. */
export function issuerOf(root: XmlElement): string | undefined {
  const [issuer, ...others] = childrenOf(root, SAML, 'Issuer');
  return issuer === undefined || others.length > 0 ? undefined : textOf(issuer);
}

/**
 * Reads the statements of an assertion (SAML 2.0 Core §2.3.3). Returns undefined if a part is repeated or malformed.
 */
export function readAssertion(root: XmlElement): Omit<SamlAssertion, symbol> | undefined {
  try {
    const id = attributeOf(root, 'ID');
    const issuer = issuerOf(root);
    const issueInstant = timeOf(root, 'IssueInstant');
    if (id === undefined || issuer === undefined || issuer === '' || issueInstant === undefined)
      return undefined;
    if (!hasElementContent(root)) return undefined;
    const subject = only(root, 'Subject');
    const nameId = subject === undefined ? undefined : only(subject, 'NameID');
    return {
      id,
      issuer,
      issueInstant,
      nameId: nameId === undefined ? undefined : textOf(nameId),
      confirmations: subject === undefined ? [] : confirmationsOf(subject),
      conditions: conditionsOf(only(root, 'Conditions')),
      attributes: attributesOf(root),
    };
  } catch (failure) {
    if (failure instanceof AssertionRefused) return undefined;
    throw failure;
  }
}

function only(parent: XmlElement, local: string): XmlElement | undefined {
  const [element, ...others] = childrenOf(parent, SAML, local);
  if (others.length > 0) throw new AssertionRefused(`${local} is repeated`);
  return element;
}

function confirmationsOf(subject: XmlElement): readonly SubjectConfirmation[] {
  return childrenOf(subject, SAML, 'SubjectConfirmation').map((confirmation) => {
    const data = only(confirmation, 'SubjectConfirmationData');
    return {
      method: attributeOf(confirmation, 'Method') ?? '',
      recipient: data === undefined ? undefined : attributeOf(data, 'Recipient'),
      notBefore: data === undefined ? undefined : timeOf(data, 'NotBefore'),
      notOnOrAfter: data === undefined ? undefined : timeOf(data, 'NotOnOrAfter'),
    };
  });
}

function conditionsOf(conditions: XmlElement | undefined): SamlConditions | undefined {
  if (conditions === undefined) return undefined;
  return {
    notBefore: timeOf(conditions, 'NotBefore'),
    notOnOrAfter: timeOf(conditions, 'NotOnOrAfter'),
    audienceRestrictions: childrenOf(conditions, SAML, 'AudienceRestriction').map((restriction) =>
      childrenOf(restriction, SAML, 'Audience').map((audience) => textOf(audience) ?? ''),
    ),
    hasUnknown: conditions.children.some(
      ({ namespace, local }) => namespace !== SAML || !UNDERSTOOD_CONDITIONS.has(local),
    ),
  };
}

function attributesOf(root: XmlElement): ReadonlyMap<string, readonly string[]> {
  const attributes = new Map<string, readonly string[]>();
  for (const statement of childrenOf(root, SAML, 'AttributeStatement')) {
    for (const attribute of childrenOf(statement, SAML, 'Attribute')) {
      const name = attributeOf(attribute, 'Name') ?? '';
      const values = childrenOf(attribute, SAML, 'AttributeValue').flatMap((value) => textOf(value) ?? []);
      attributes.set(name, [...(attributes.get(name) ?? []), ...values]);
    }
  }
  return attributes;
}

/** Reads a time attribute as seconds since the Unix epoch; undefined if it is absent. */
function timeOf(element: XmlElement, attribute: string): number | undefined {
  const given = attributeOf(element, attribute);
  if (given === undefined) return undefined;
  const seconds = DATE_TIME.exec(given)?.[1];
  const time = Date.parse(`${seconds ?? ''}Z`);
  // Date.parse turns 30 February into a day of March; such a time is refused.
  if (Number.isNaN(time) || !new Date(time).toISOString().startsWith(seconds ?? '')) {
    throw new AssertionRefused(`${attribute} is not a time`);
  }
  return time / 1000;
}

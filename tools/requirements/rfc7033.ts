import { must, type Specification } from './requirement.ts';

export const rfc7033: Specification = {
  name: 'RFC 7033',
  title: 'WebFinger',
  scope:
    'The sentences that bind a resource that names an issuer (OpenID Connect Discovery 1.0 §2). TLS (§9.1) is the business of the listener or its proxy.',
  requirements: [
    must('rfc7033-4.2-1', '§4.2', 'The answer of a known resource is a JRD.', 'webfinger'),
    must('rfc7033-4.2-2', '§4.2', 'A resource that is absent or malformed is a bad request.', 'webfinger'),
    must(
      'rfc7033-4.2-3',
      '§4.2',
      'A resource that the server knows nothing about is not found.',
      'webfinger',
    ),
    must('rfc7033-4.3-1', '§4.3', '`rel` limits the links of the answer, and nothing else.', 'webfinger'),
    must('rfc7033-4.4-1', '§4.4', 'The JRD names its subject; a link has `rel` and `href`.', 'webfinger'),
    must(
      'rfc7033-5-1',
      '§5',
      'Scripts of other origins may read the answer.',
      'src/endpoints/webfinger/contract.ts',
    ),
    must('rfc7033-10.2-1', '§10.2', 'The media type is application/jrd+json.', 'webfinger'),
  ],
};

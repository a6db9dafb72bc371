import { client, must, type Specification } from './requirement.ts';

export const rfc9449: Specification = {
  name: 'RFC 9449',
  title: 'OAuth 2.0 Demonstrating Proof of Possession (DPoP)',
  scope:
    'Every sentence that binds the authorisation server, and the server as the protected resource of its own endpoints.',
  requirements: [
    client('rfc9449-4.2-1', '§4.2', 'The client makes a new proof, with a jti of its own, for each request.'),
    must(
      'rfc9449-4.3-1',
      '§4.3',
      'A proof is accepted only if all twelve checks hold: one header, a JWT with typ, alg and jwk, a valid signature, no private key, htm, htu, nonce, iat, ath and the key of the token.',
      'readDpopProof',
      'verifyDpopProof',
    ),
    must(
      'rfc9449-5-1',
      '§5',
      'A token request with a valid proof gets a token that is bound to the key; an invalid proof is invalid_dpop_proof.',
      'tokenConfirmation',
      'src/endpoints/token/endpoint.ts',
    ),
    must('rfc9449-5-2', '§5', 'token_type of the response is DPoP if the token is bound.', 'tokenTypeOf'),
    must(
      'rfc9449-5-3',
      '§5',
      'Refresh tokens of public clients are bound to the key, and a refresh needs a proof of it.',
      'src/grants/prepare-grant.ts',
      'src/grants/refresh-token.ts',
    ),
    must(
      'rfc9449-5.1-1',
      '§5.1',
      'Metadata has dpop_signing_alg_values_supported.',
      'src/endpoints/discovery/provider-metadata.ts',
    ),
    must(
      'rfc9449-5.2-1',
      '§5.2',
      'A client with dpop_bound_access_tokens gets no token without a proof.',
      'tokenConfirmation',
    ),
    must('rfc9449-6.1-1', '§6, §6.1', 'A bound JWT access token has cnf with jkt.', 'tokenConfirmation'),
    must(
      'rfc9449-6.2-1',
      '§6.2',
      'Introspection of a bound token has cnf with jkt, and token_type DPoP (decision 51).',
      'src/tokens/access-token.ts',
    ),
    must(
      'rfc9449-7.1-1',
      '§7, §7.1',
      'A protected resource accepts a bound token with the scheme DPoP and a proof with its ath.',
      'requireHolder',
    ),
    must(
      'rfc9449-7.1-2',
      '§7.1',
      'A 401 has a DPoP challenge with algs, and error and error_description where they apply.',
      'dpopChallenge',
    ),
    must(
      'rfc9449-7.2-1',
      '§7.2',
      'A bound token is refused as a bearer token, and a bearer token with the scheme DPoP.',
      'requireHolder',
    ),
    must(
      'rfc9449-8-1',
      '§8',
      'A server that wants its nonce answers use_dpop_nonce with DPoP-Nonce, and accepts a proof with that nonce.',
      'src/tokens/dpop-proof.ts',
    ),
    must(
      'rfc9449-8-2',
      '§8',
      'Nonces cannot be predicted, and all servers of a tenant accept them.',
      'dpopNonce',
    ),
    must('rfc9449-8.2-1', '§8.2', 'The server gives a new nonce before the client needs it.', 'nextNonce'),
    must(
      'rfc9449-9-1',
      '§9',
      'A protected resource that wants a nonce answers 401 use_dpop_nonce with DPoP-Nonce.',
      'src/endpoints/userinfo/endpoint.ts',
    ),
    must(
      'rfc9449-10-1',
      '§10',
      'A code of a request with dpop_jkt is good with a proof of this key only.',
      'src/grants/authorization-code.ts',
    ),
    must(
      'rfc9449-10.1-1',
      '§10.1',
      'A pushed request with a proof is treated as if it had dpop_jkt of its key.',
      'src/endpoints/pushed-authorization-request/endpoint.ts',
    ),
    must(
      'rfc9449-10.1-2',
      '§10.1',
      'A pushed request whose dpop_jkt names another key than its proof is refused.',
      'src/endpoints/pushed-authorization-request/endpoint.ts',
    ),
    must(
      'rfc9449-11.1-1',
      '§11.1',
      'A proof is good for one request, on all servers, for as long as it would be accepted. A stranger stores nothing.',
      'takeDpopProof',
    ),
  ],
};

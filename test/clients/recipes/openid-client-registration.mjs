import * as client from 'openid-client';

const { ISSUER, INITIAL_ACCESS_TOKEN, BASE_URL } = process.env;

const configuration = await client.dynamicClientRegistration(
  new URL(ISSUER),
  { client_name: 'Website', redirect_uris: [`${BASE_URL}/callback`] },
  undefined,
  {
    initialAccessToken: INITIAL_ACCESS_TOKEN,
    // Only while the server has plain http.
    execute: ISSUER.startsWith('http:') ? [client.allowInsecureRequests] : [],
  },
);
// Keep all of it: the secret, and the token that manages the registration.
console.log(JSON.stringify(configuration.clientMetadata()));

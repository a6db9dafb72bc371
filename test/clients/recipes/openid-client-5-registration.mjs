// Version 5 of openid-client; in a project of its own it has its own name.
import { Issuer } from 'openid-client-5';

const { ISSUER, INITIAL_ACCESS_TOKEN, BASE_URL } = process.env;

const issuer = await Issuer.discover(ISSUER);
const client = await issuer.Client.register(
  { client_name: 'Website', redirect_uris: [`${BASE_URL}/callback`] },
  { initialAccessToken: INITIAL_ACCESS_TOKEN },
);
// Keep all of it: the secret, and the token that manages the registration.
console.log(JSON.stringify(client.metadata));

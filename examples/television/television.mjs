// Signs a person in on a device without a browser (RFC 8628), with tokens that only this process can use (DPoP, RFC 9449):
//   node examples/television/television.mjs --credentials FILE [--issuer URL]
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import * as openid from 'openid-client';

const { values: options } = parseArgs({
  options: {
    issuer: { type: 'string', default: 'http://127.0.0.1:8080' },
    credentials: { type: 'string', default: 'credentials.json' },
  },
});
const { client_id } = JSON.parse(readFileSync(options.credentials, 'utf8'));
const server = await openid.discovery(new URL(options.issuer), client_id, undefined, openid.None(), {
  // For http on one's own desk.
  execute: options.issuer.startsWith('http:') ? [openid.allowInsecureRequests] : [],
});
// A device that keeps its key, in a place where nothing can read it, can refresh its tokens after a restart.
const DPoP = openid.getDPoPHandle(server, await openid.randomDPoPKeyPair());

const print = (line) => process.stdout.write(`${line}\n`);

const begun = await openid.initiateDeviceAuthorization(server, { scope: 'openid profile offline_access' });
print(`Open ${begun.verification_uri} and enter ${begun.user_code}`);
try {
  const tokens = await openid.pollDeviceAuthorizationGrant(server, begun, undefined, { DPoP });
  const { sub } = tokens.claims();
  const person = await openid.fetchUserInfo(server, tokens.access_token, sub, { DPoP });
  print(`Signed in: ${person.preferred_username ?? sub}, with a token of the type ${tokens.token_type}`);
} catch (failure) {
  print(`Not signed in: ${failure.error ?? failure.message}`);
  process.exitCode = 1;
}

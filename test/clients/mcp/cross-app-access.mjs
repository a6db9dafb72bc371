// An application that acts for a person at the MCP server of another application, with the SDK as its documentation shows it:
// cross-app-access.mjs with REQUEST, a JSON object, in the environment. It prints the two answers of the other server, a line each.
import { discoverAndRequestJwtAuthGrant, exchangeJwtAuthGrant } from '@modelcontextprotocol/client';

const { grant, exchange } = JSON.parse(process.env.REQUEST);
const print = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

const { jwtAuthGrant, scope } = await discoverAndRequestJwtAuthGrant(grant);
print({ scope });
print(await exchangeJwtAuthGrant({ ...exchange, jwtAuthGrant }));
// A thief who has seen the grant comes too late.
await exchangeJwtAuthGrant({ ...exchange, jwtAuthGrant }).catch(({ message }) => print({ message }));

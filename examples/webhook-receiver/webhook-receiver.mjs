// Receives the events of a Chancery server and prints them. Start it with the address that the webhook has:
//   node webhook-receiver.mjs --issuer http://localhost:8090 --url http://localhost:9000/events --port 9000
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import { verifyDigest, verifySignature } from './message-signature.mjs';

const { values } = parseArgs({
  options: {
    issuer: { type: 'string', default: 'http://localhost:8090' },
    url: { type: 'string', default: 'http://localhost:9000/events' },
    port: { type: 'string', default: '9000' },
  },
});

/** A delivery that must be covered by its signature, or parts of it could be exchanged. */
const NEEDED = ['@method', '@target-uri', 'content-digest', 'chancery-delivery'];
const BODY_MAX = 1_048_576;
const NONCES_MAX = 10_000;

const print = (line) => process.stdout.write(`${line}\n`);

let keys = [];
async function keyOf(kid) {
  if (!keys.some((key) => key.kid === kid))
    keys = (await (await fetch(`${values.issuer}/jwks.json`)).json()).keys;
  return keys.find((key) => key.kid === kid);
}

const nonces = new Set();
const deliveries = new Set();

/** Throws unless the request is a delivery of our server, for this address, that was signed just now. */
async function verified(request, body) {
  const { headers } = request;
  verifyDigest(headers, body);
  const kid = /server=\([^)]*\)[^,]*;keyid="([^"]*)"/.exec(headers['signature-input'] ?? '')?.[1];
  const jwk = await keyOf(kid);
  const message = { method: request.method, url: values.url, headers };
  const { covered, parameters } = verifySignature(message, 'server', () => jwk && { jwk });
  const now = Math.floor(Date.now() / 1000);
  if (!NEEDED.every((name) => covered.includes(name))) throw new Error('too little is signed');
  if (parameters.tag !== 'chancery-webhook') throw new Error('the signature is for something else');
  if (!(parameters.created <= now + 60 && now < parameters.expires))
    throw new Error('the signature has expired');
  if (nonces.has(parameters.nonce)) throw new Error('the request was sent before');
  remember(nonces, parameters.nonce);
  return JSON.parse(body);
}

function remember(set, value) {
  set.add(value);
  if (set.size > NONCES_MAX) set.delete(set.values().next().value);
}

const server = createServer(async (request, response) => {
  try {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) {
      body += chunk;
      if (body.length > BODY_MAX) throw new Error('the body is too large');
    }
    const { delivery, missed, events } = await verified(request, body);
    // Each delivery arrives at least once: the second copy is accepted and dropped.
    if (!deliveries.has(delivery)) {
      for (const event of events) print(JSON.stringify(event));
      if (missed > 0) print(JSON.stringify({ missed }));
      remember(deliveries, delivery);
    }
    response.writeHead(204).end();
  } catch (refusal) {
    response.writeHead(400, { 'content-type': 'text/plain' }).end(`${refusal.message}\n`);
  }
});
server.listen(Number(values.port), () => print(`listens at port ${server.address().port}`));

// An external sign-in page (docs/sign-in.md). Chancery sends people here, with `sign-in.external-url`:
//   SIGN_IN_TOKEN=… node examples/external-sign-in/sign-in-page.mjs [--issuer URL] [--port PORT]
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';

const { values: options } = parseArgs({
  options: {
    issuer: { type: 'string', default: 'http://127.0.0.1:8080' },
    port: { type: 'string', default: '8092' },
  },
});

/** Stands for your own directory of end-users. */
const PEOPLE = {
  ada: { password: 'analytical engine', claims: { name: 'Ada Lovelace', preferred_username: 'ada' } },
};

const server = createServer(async (request, response) => {
  const { status = 200, html = '', ...headers } = await answer(request).catch(failed);
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...HEADERS, ...headers });
  response.end(`<!doctype html><html lang="en"><title>Our sign-in</title>${html}</html>`);
});
/** The address contains a handle, and no site may show this page in a frame. */
const HEADERS = { 'referrer-policy': 'no-referrer', 'x-frame-options': 'DENY', 'cache-control': 'no-store' };
server.once('error', ({ code }) => {
  process.stderr.write(`Cannot listen on port ${options.port} (${code}). --port PORT takes another.\n`);
  process.exit(1);
});
await new Promise((resolve) => server.listen(Number(options.port), '127.0.0.1', resolve));
process.stdout.write(`Sign-in page on http://localhost:${server.address().port}/\n`);

async function answer(request) {
  const address = new URL(request.url, 'http://localhost');
  if (address.pathname !== '/') return { status: 404 };
  const interaction = address.searchParams.get('interaction') ?? '';
  return request.method === 'POST' ? await chosen(request, interaction) : await form(interaction);
}

/** Shows the client and its request. The form holds a token that other sites cannot know. */
async function form(interaction, problem = '') {
  const { client, scope, login_hint = '' } = await chancery(interaction);
  const token = randomBytes(16).toString('hex');
  const field = (name, more) => `<label>${name} <input name="${name}" ${more}></label>`;
  return {
    'set-cookie': `form=${token}; HttpOnly; SameSite=Strict; Path=/`,
    html: `<h1>Our sign-in</h1><p>${escaped(client.name)} (${escaped(client.host)}) asks for: ${escaped(scope.join(', '))}</p>
      <p role="alert">${problem}</p><form method="post"><input type="hidden" name="token" value="${token}">
      ${field('username', `value="${escaped(login_hint)}"`)}${field('password', 'type="password"')}
      <button name="choice" value="sign-in">Sign in and allow</button>
      <button name="choice" value="cancel">Cancel</button></form>`,
  };
}

async function chosen(request, interaction) {
  const sent = new URLSearchParams(await text(request));
  const token = /(?:^|; )form=(\w+)/.exec(request.headers.cookie ?? '')?.[1] ?? '';
  if (token === '' || !same(token, sent.get('token') ?? ''))
    return { status: 400, html: '<h1>Not our form</h1>' };
  if (sent.get('choice') === 'cancel') return await back(interaction, { error: 'access_denied' });
  const person = Object.hasOwn(PEOPLE, sent.get('username')) ? PEOPLE[sent.get('username')] : undefined;
  if (!same(person?.password ?? '', sent.get('password') ?? '') || person === undefined)
    return await form(interaction, 'That is not right.');
  const { scope, claims } = await chancery(interaction);
  const consent = { scope, claims };
  const outcome = { subject: sent.get('username'), amr: ['pwd'], claims: person.claims, consent };
  return await back(interaction, outcome);
}

/** The address works in this browser only. */
async function back(interaction, outcome) {
  const { redirect_to } = await chancery(interaction, outcome);
  return { status: 303, location: redirect_to };
}

async function chancery(interaction, body) {
  const address = `${options.issuer}/interaction-api/${encodeURIComponent(interaction)}`;
  const headers = {
    authorization: `Bearer ${process.env.SIGN_IN_TOKEN}`,
    'content-type': 'application/json',
  };
  const sent = body === undefined ? { method: 'GET' } : { method: 'POST', body: JSON.stringify(body) };
  const answered = await fetch(address, { ...sent, headers });
  if (!answered.ok) throw new Error(`Chancery answered ${answered.status}`);
  return await answered.json();
}

function failed({ message }) {
  process.stderr.write(`${message}\n`);
  return {
    status: 400,
    html: '<h1>This sign-in is over</h1><p>Go back to the application and begin again.</p>',
  };
}

function same(one, other) {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function escaped(words) {
  return words.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}

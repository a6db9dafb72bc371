const cookie = (name, value) => `${name}=${value}; Path=/; HttpOnly; SameSite=Lax`;

function random() {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('base64url');
}

async function post(r, path, form) {
  const credentials = Buffer.from(`${r.variables.client_id}:${r.variables.client_secret}`);
  const body = Object.keys(form)
    .map((name) => `${name}=${encodeURIComponent(form[name])}`)
    .join('&');
  const answer = await ngx.fetch(`${r.variables.issuer}${path}`, {
    method: 'POST',
    headers: {
      Authorization: `Basic ${credentials.toString('base64')}`,
      'Content-Type': 'application/x-www-form-urlencoded',
    },
    body,
  });
  return answer.json();
}

function login(r) {
  const state = random();
  const redirect = encodeURIComponent(`${r.variables.base_url}/callback`);
  r.headersOut['Set-Cookie'] = [cookie('state', state)];
  r.return(
    302,
    `${r.variables.issuer}/authorize?response_type=code&client_id=${r.variables.client_id}` +
      `&redirect_uri=${redirect}&scope=openid&state=${state}`,
  );
}

async function callback(r) {
  if (r.args.state !== r.variables.cookie_state) return r.return(400, 'another state');
  const tokens = await post(r, '/token', {
    grant_type: 'authorization_code',
    code: r.args.code,
    redirect_uri: `${r.variables.base_url}/callback`,
  });
  r.headersOut['Set-Cookie'] = [cookie('token', tokens.access_token)];
  r.return(302, `${r.variables.base_url}/`);
}

// Asks the server each time: a person whose session has ended is out at once. The client's scope has the address of introspection.
async function signedIn(r) {
  const token = r.variables.cookie_token;
  const answer = token ? await post(r, '/token/introspect', { token }) : { active: false };
  r.return(answer.active ? 204 : 401);
}

export default { login, callback, signedIn };

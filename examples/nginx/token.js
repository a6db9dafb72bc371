// For nginx (njs): decides about the access token of a request.

/** Answers 204 if the request may pass, with its subject; otherwise 401 or 403, with a challenge (RFC 6750 §3). */
async function check(request) {
  const sent = request.headersIn.Authorization;
  if (sent === undefined) return refuse(request, 401, '');
  const bearer = /^Bearer +([\w.~+/-]+=*)$/i.exec(sent);
  if (bearer === null) return refuse(request, 401, 'error="invalid_token", ');
  const body = `token_type_hint=access_token&token=${encodeURIComponent(bearer[1])}`;
  const answer = await request.subrequest('/_introspect', { method: 'POST', body });
  if (answer.status !== 200) {
    request.error(`introspection: ${answer.status} ${answer.responseText}`);
    return request.return(500);
  }
  const token = JSON.parse(answer.responseText);
  if (!isForThisApi(token, request.variables.resource))
    return refuse(request, 401, 'error="invalid_token", ');
  const scope = request.variables.needed_scope;
  if (!token.scope.split(' ').includes(scope))
    return refuse(request, 403, `error="insufficient_scope", scope="${scope}", `);
  request.headersOut['X-Subject'] = encodeURIComponent(token.sub);
  request.return(204);
}

/** `cnf` binds a token to a key of its client. Nothing here checks such a proof, so these tokens are refused. */
function isForThisApi(token, resource) {
  return token.active === true && (token.aud || []).includes(resource) && token.cnf === undefined;
}

/** RFC 9728 §5.1: `resource_metadata`. */
function refuse(request, status, problem) {
  const metadata = `${request.variables.resource}/.well-known/oauth-protected-resource`;
  request.headersOut['WWW-Authenticate'] = `Bearer ${problem}resource_metadata="${metadata}"`;
  request.return(status);
}

export default { check };

import { basic } from '../http-subject.ts';
import type { Caller } from '../ours.ts';

/** How many of the first tokens are issued at once. */
const AT_ONCE = 16;

/** Lets the server issue access tokens over HTTP, because only it knows how to store them. */
export async function issueTokens(
  port: number,
  path: string,
  client: Caller & { readonly scope: string },
  count: number,
): Promise<readonly string[]> {
  const body = new URLSearchParams({ grant_type: 'client_credentials', scope: client.scope });
  const tokens: string[] = [];
  const issue = async (): Promise<void> => {
    while (tokens.length < count) {
      const { access_token } = (await post(port, path, client, body)) as { access_token: string };
      tokens.push(access_token);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, issue));
  return tokens.slice(0, count);
}

export async function introspectOnce(
  port: number,
  path: string,
  client: Caller,
  token: string,
): Promise<boolean> {
  const { active } = (await post(port, path, client, new URLSearchParams({ token }))) as { active: boolean };
  return active;
}

async function post(port: number, path: string, client: Caller, body: URLSearchParams): Promise<unknown> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { authorization: basic(client.client_id, client.client_secret) },
    body,
  });
  if (response.status !== 200)
    throw new Error(`${path} answered ${response.status} ${await response.text()}`);
  return await response.json();
}

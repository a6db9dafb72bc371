import type { AuthenticatedClient } from '../../clients/client-authentication/authenticate-client.ts';
import type { Settings } from '../../config/settings.ts';
import { digestOf } from '../../keys/digest.ts';
import type { Account, AccountDirectory } from '../../ports/account-directory.ts';
import { OAuthError } from '../../spec/errors.ts';
import type { Digest, Subject } from '../../spec/identifiers.ts';
import { loginName } from '../../spec/login-name.ts';
import type { Parameters } from '../../spec/parameters.ts';
import { type IdTokenHintNeeds, readIdTokenHint } from '../../tokens/id-token-hint.ts';

export interface HintNeeds {
  readonly directory: Pick<AccountDirectory, 'find' | 'findByLoginName'>;
  readonly idTokenHints: IdTokenHintNeeds;
  readonly settings: Settings;
}

/** The person that a hint names. */
export interface HintedPerson {
  /** Undefined if the hint names no account that is in use. */
  readonly account: Account | undefined;
  /** Names the person where requests are counted, in the same way with an account and without. */
  readonly key: Digest;
}

const HINTS = ['login_hint', 'id_token_hint', 'login_hint_token'] as const;

/**
 * Finds the person that the hint of a request names. A `login_hint` that names no account is not refused, because clients could find
 * out so who has one: no one is asked, and the request expires. An `id_token_hint` reveals nothing: the client knows its person.
 * @throws OAuthError invalid_request, unknown_user_id
 */
export async function hintedPerson(
  needs: HintNeeds,
  client: AuthenticatedClient,
  parameters: Parameters,
): Promise<HintedPerson> {
  const given = HINTS.filter((name) => parameters[name] !== undefined);
  // OpenID Connect CIBA Core 1.0 §7.1: "it is REQUIRED that the Client provides one (and only one) of the hints".
  if (given.length !== 1)
    throw new OAuthError('invalid_request', {
      error_description: `the request must have exactly one of login_hint and id_token_hint, not ${given.length} hints`,
    });
  const { login_hint, id_token_hint } = parameters;
  if (login_hint !== undefined) return await ofLoginHint(needs, login_hint);
  if (id_token_hint !== undefined) return await ofIdToken(needs, client, id_token_hint);
  throw new OAuthError('invalid_request', {
    error_description: 'login_hint_token is not supported; send login_hint or id_token_hint',
  });
}

/** People who sign in on the page of the operator are named by the subject that it reports. */
async function ofLoginHint({ directory, settings }: HintNeeds, login_hint: string): Promise<HintedPerson> {
  const found = await directory.findByLoginName(login_hint);
  const account =
    found === undefined && settings['sign-in.external-url'] !== 'none'
      ? await directory.find(login_hint as Subject)
      : found;
  return { account: inUse(account), key: digestOf(`login_hint ${spelledOnce(login_hint)}`) };
}

/**
 * Returns the hint in the one spelling that all spellings of a name have. The limit of a person counts hints, not accounts: a limit of
 * accounts would tell a client which spellings have the same one, and so which names have any.
 */
function spelledOnce(login_hint: string): string {
  const name = loginName(login_hint) ?? login_hint;
  return name.startsWith(ELSEWHERE) ? name.slice(ELSEWHERE.length) : name;
}

/** Begins the names of accounts that sign in on the page of the operator (`externalAccount`). */
const ELSEWHERE = 'external:';

/** A pairwise subject leads back to no account, by intent: such a client sends a `login_hint`. */
async function ofIdToken(
  { directory, idTokenHints }: HintNeeds,
  { stored, metadata }: AuthenticatedClient,
  id_token_hint: string,
): Promise<HintedPerson> {
  if (metadata['subject_type'] === 'pairwise')
    throw new OAuthError('unknown_user_id', {
      error_description: 'id_token_hint of a client with pairwise subjects names no account; send login_hint',
    });
  const hint = await readIdTokenHint(idTokenHints, id_token_hint);
  const isOwn = hint.holds && hint.client_id === stored.client_id;
  const account = isOwn ? inUse(await directory.find(hint.sub as Subject)) : undefined;
  if (account !== undefined) return { account, key: digestOf(`subject ${account.sub}`) };
  throw new OAuthError('unknown_user_id', {
    error_description: 'id_token_hint is no ID token of this client, or names no person of this server',
    ...(hint.holds ? {} : { detail: hint.reason }),
  });
}

const inUse = (account: Account | undefined): Account | undefined =>
  account?.disabled === false ? account : undefined;

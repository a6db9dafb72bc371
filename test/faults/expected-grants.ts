/** A grant with a refresh token that each use replaces (RFC 6749 §6). */
export interface ExpectedGrant {
  /** By refresh token: how many times its use was acknowledged. */
  readonly uses: Map<string, number>;
  readonly accessTokens: string[];
  /** Acknowledged: neither a token of it is good, nor will one be made. */
  ended: boolean;
  /** An operation on it has no known outcome: whether it is ended is not known. */
  open: boolean;
}

interface Issued {
  readonly access_token: string;
  readonly refresh_token: string;
}

export class ExpectedGrants {
  readonly byClient = new Map<string, ExpectedGrant[]>();
  readonly #byToken = new Map<string, ExpectedGrant>();

  add(client_id: string, issued: Issued): void {
    const grant: ExpectedGrant = { uses: new Map(), accessTokens: [], ended: false, open: false };
    const grants = this.byClient.get(client_id);
    if (grants === undefined) this.byClient.set(client_id, [grant]);
    else grants.push(grant);
    this.#take(client_id, grant, issued);
  }

  refresh(client_id: string, used: string, issued: Issued): void {
    const grant = this.#of(client_id, used);
    if (grant === undefined) return;
    grant.uses.set(used, (grant.uses.get(used) ?? 0) + 1);
    this.#take(client_id, grant, issued);
  }

  end(client_id: string, token: string): void {
    const grant = this.#of(client_id, token);
    if (grant !== undefined) grant.ended = true;
  }

  endAll(client_id: string): void {
    for (const grant of this.byClient.get(client_id) ?? []) grant.ended = true;
  }

  forget(client_id: string, token: string): void {
    const grant = this.#of(client_id, token);
    if (grant !== undefined) grant.open = true;
  }

  #take(client_id: string, grant: ExpectedGrant, { access_token, refresh_token }: Issued): void {
    grant.accessTokens.push(access_token);
    grant.uses.set(refresh_token, 0);
    this.#byToken.set(`${client_id} ${refresh_token}`, grant);
  }

  #of(client_id: string, token: string): ExpectedGrant | undefined {
    return this.#byToken.get(`${client_id} ${token}`);
  }
}

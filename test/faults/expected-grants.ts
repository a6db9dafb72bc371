/** A grant with a refresh token that each use replaces (RFC 6749 §6). */
export interface ExpectedGrant {
  /** By refresh token, in the order of their issue: how many times its use was acknowledged. */
  readonly uses: Map<string, number>;
  /** Refresh tokens whose use was refused. */
  readonly refused: Set<string>;
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
    const grant: ExpectedGrant = {
      uses: new Map(),
      refused: new Set(),
      accessTokens: [],
      ended: false,
      open: false,
    };
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

  refuse(client_id: string, token: string): void {
    this.#of(client_id, token)?.refused.add(token);
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

  forgetAll(client_id: string): void {
    for (const grant of this.byClient.get(client_id) ?? []) grant.open = true;
  }

  /**
   * Ends each grant whose refresh token was refused after its use (RFC 9700 §4.14.2). It looks at whole ledgers only: of two
   * requests that race, the refusal may be written before the answer that is its reason.
   * @returns the refusals that have no reason: the server has lost the token
   */
  settleRefusals(): readonly string[] {
    const lost: string[] = [];
    for (const [client_id, grants] of this.byClient) {
      for (const grant of grants) {
        if ([...grant.refused].some((token) => (grant.uses.get(token) ?? 0) > 0)) grant.ended = true;
        if (grant.ended || grant.open || grant.refused.size === 0) continue;
        lost.push(`${client_id}: a refresh token was refused, and the ledger knows no reason`);
      }
    }
    return lost;
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

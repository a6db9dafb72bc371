/** A request that the server refused a moment ago. */
export interface RecentRefusal {
  /** Seconds since the Unix epoch. */
  readonly at: number;
  readonly endpoint: string;
  readonly status: string;
  /** A reason of `docs/reference/refusals.md`. */
  readonly reason: string;
  readonly detail: string;
  readonly client: string;
}

/** Facts that the start page of a development server shows. It holds no secret. */
export interface DevelopmentFacts {
  readonly version: string;
  /** The folder with the data and the tokens. */
  readonly data: string;
  /** The address of health and metrics. */
  readonly management: string;
  /** The user name of the account that the banner prints. */
  readonly account: string;
  /** Returns the latest refusals, the newest first. */
  refusals(): readonly RecentRefusal[];
}

/** The time that a database remembers. Times are seconds since the Unix epoch. */
export interface RememberedTime {
  /** The latest time that a server has seen on a clock it trusted. */
  readonly latest: number;
  /** Seconds that servers have run with a doubtful clock since. 0 = the clock was not doubtful. */
  readonly waited: number;
  /** Grows with each confirmation by an operator. */
  readonly confirmation: number;
  /** The clock of the database server; undefined for an engine without a server. */
  readonly database: DatabaseTime | undefined;
}

export interface DatabaseTime {
  readonly now: number;
  /** Whether it is the clock of another machine, and so a second witness. */
  readonly independent: boolean;
}

/** The report of one server about its clock. */
export interface Sighting {
  readonly at: number;
  readonly waited: number;
  /** The confirmation that the server knows. */
  readonly confirmation: number;
}

export interface TimeMemory {
  /** Returns the remembered time; undefined before the first sighting. */
  remembered(): Promise<RememberedTime | undefined>;
  /**
   * Stores a sighting and returns the remembered time. The latest time never goes back, and never passes the clock of the
   * database server: one server with a wrong clock cannot set it wrong for the others. A sighting by a server that does not
   * know the last confirmation changes nothing.
   */
  note(sighting: Sighting): Promise<RememberedTime>;
  /** Sets the latest time, also back, and raises the confirmation. Servers follow at their next sighting. */
  confirm(at: number): Promise<void>;
}

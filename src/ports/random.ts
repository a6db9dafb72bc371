export interface Random {
  /** Returns characters uniform over [A-Za-z0-9], from the operating system's generator. */
  alphanumeric(length: number): string;
  bytes(count: number): Uint8Array;
}

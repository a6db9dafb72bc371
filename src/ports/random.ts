export interface Random {
  /** Uniform over [A-Za-z0-9], from the operating system's generator. */
  alphanumeric(length: number): string;
  bytes(count: number): Uint8Array;
}

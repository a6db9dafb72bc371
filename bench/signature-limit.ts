import { messageFrom, pin, SERVER_CPU, startScript, stopChild } from './processes/measured-process.ts';
import type { SignatureOptions, SignatureResult } from './processes/signatures.ts';
import type { Bench, Subject } from './subject.ts';

/** Opens one core that does nothing but sign, or verify, with Node's own cryptography. */
export function signatureLimit({ scale }: Bench, name: string, options: SignatureOptions): Subject {
  const child = startScript('signatures.ts', options);
  pin(child.pid ?? 0, SERVER_CPU);
  return {
    name,
    async measure() {
      child.send(scale.round_ms);
      const { signatures, seconds } = await messageFrom<SignatureResult>(child);
      return { value: signatures / seconds };
    },
    close: async () => await stopChild(child),
  };
}

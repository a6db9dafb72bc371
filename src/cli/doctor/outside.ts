import {
  clockFindings,
  cookieFindings,
  corsFindings,
  forwardingFindings,
  headerFindings,
  internalFindings,
} from './edge-checks.ts';
import { endpointFindings } from './endpoint-checks.ts';
import type { Finding } from './finding.ts';
import { keyFindings } from './key-checks.ts';
import { discover } from './metadata-checks.ts';
import { tlsFindings } from './tls-checks.ts';
import type { Visit } from './visit.ts';

export interface OutsideNeeds {
  readonly visit: Visit;
  /** Seconds since the Unix epoch. */
  readonly now: () => number;
}

/** Examines an issuer as a client sees it. Sends no credentials, and nothing that a server would keep. */
export async function outsideFindings(
  issuer: string,
  { visit, now }: OutsideNeeds,
): Promise<readonly Finding[]> {
  const [tls, discovered] = await Promise.all([tlsFindings(issuer, now()), discover(issuer, visit)]);
  const { metadata, answer, findings } = discovered;
  if (metadata === undefined || answer === undefined) return [...tls, ...findings];
  const rest = await Promise.all([
    keyFindings(metadata, visit),
    endpointFindings(metadata, visit),
    corsFindings(metadata, answer.url, visit),
    cookieFindings(metadata, visit),
    forwardingFindings(answer.url, visit),
    internalFindings(issuer, visit),
  ]);
  return [...tls, ...findings, ...headerFindings(answer), ...clockFindings(answer, now()), ...rest.flat()];
}

import { claimType } from '../../sessions/account-claims.ts';
import { calledWrongly } from '../command-failure.ts';

/** For `parseArgs` of commands that take claims of an account. */
export const CLAIM_OPTIONS = {
  email: { type: 'string' },
  claim: { type: 'string', multiple: true },
} as const;

interface ClaimValues {
  readonly email?: string | undefined;
  readonly claim?: readonly string[] | undefined;
}

export function claimsOf({ email, claim = [] }: ClaimValues): Readonly<Record<string, unknown>> {
  return { ...(email === undefined ? {} : { email }), ...Object.fromEntries(claim.map(namedValue)) };
}

/** `NAME=VALUE`: the value of a claim that is no text by its standard is JSON, and so is any other that reads as JSON. */
function namedValue(text: string): readonly [string, unknown] {
  const at = text.indexOf('=');
  if (at < 1) throw calledWrongly(`--claim takes NAME=VALUE, found ${JSON.stringify(text)}`);
  const [name, value] = [text.slice(0, at), text.slice(at + 1)];
  if (claimType(name) === 'string') return [name, value];
  try {
    return [name, JSON.parse(value) as unknown];
  } catch {
    return [name, value];
  }
}

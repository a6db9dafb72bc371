import { calledWrongly } from '../failure.ts';

export const isLoopbackHost = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/u.test(host);

/** Returns the issuer without a slash at its end. Throws CommandFailure for anything but an http or https URL. */
export function issuerOf(operand: string): string {
  const url = URL.parse(operand);
  if (url === null || !/^https?:$/u.test(url.protocol) || url.search !== '' || url.hash !== '')
    throw calledWrongly(
      `ISSUER must be an https URL without query and fragment, found ${JSON.stringify(operand)}`,
    );
  return operand.replace(/\/$/u, '');
}

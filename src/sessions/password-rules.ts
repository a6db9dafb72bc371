import type { LoginName } from '../spec/identifiers.ts';
import { loginName } from '../spec/login-name.ts';
import { opaqueString } from '../spec/opaque-string.ts';
import { isCommonPassword } from './refused-passwords.ts';

/** NIST SP 800-63B §5.1.1.2 asks for 8 at least and 64 at least as the most; no rule about which characters. */
const PASSWORD_CODE_POINTS = { min: 8, max: 128 } as const;

/** Longer texts are looked at no further: whatever they are, no account has them. */
const CODE_UNITS_MAX = PASSWORD_CODE_POINTS.max * 8;

/** A password in the form in which it is hashed; undefined for what no account can have. */
export function preparedPassword(text: string): string | undefined {
  if (text.length > CODE_UNITS_MAX) return undefined;
  const prepared = opaqueString(text);
  return prepared !== undefined && Array.from(prepared).length <= PASSWORD_CODE_POINTS.max
    ? prepared
    : undefined;
}

export type NewPassword = { readonly password: string } | { readonly refused: string };

/** A password that is to be set: in the form in which it is hashed, or why not, in words for its owner. */
export function newPassword(text: string, login_name: LoginName): NewPassword {
  const { min, max } = PASSWORD_CODE_POINTS;
  if (text.length > CODE_UNITS_MAX) return { refused: `the password is longer than ${max} characters` };
  const password = opaqueString(text);
  if (password === undefined) {
    return { refused: 'the password is empty, or has control, invisible or unassigned characters' };
  }
  const length = Array.from(password).length;
  if (length < min) return { refused: `the password is shorter than ${min} characters` };
  if (length > max) return { refused: `the password is longer than ${max} characters` };
  if (loginName(password) === login_name) return { refused: 'the password is the name of the account' };
  return isCommonPassword(password) ? { refused: 'the password is one of the commonest' } : { password };
}

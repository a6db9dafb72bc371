import type { LoginName } from '../spec/identifiers.ts';
import { loginName } from '../spec/login-name.ts';
import { opaqueString } from '../spec/opaque-string.ts';

/**
 * NIST SP 800-63B §5.1.1.2: at least 8 characters, and a maximum of at least 64; no rules about which
 * characters.
 */
const PASSWORD_CODE_POINTS = { min: 8, max: 128 } as const;

/** UTF-16 code units. Longer texts are not examined, because no account has such a password. */
const CODE_UNITS_MAX = PASSWORD_CODE_POINTS.max * 8;

/** Returns a password in the form that is hashed; undefined for a text that no account can have. */
export function preparedPassword(text: string): string | undefined {
  if (text.length > CODE_UNITS_MAX) return undefined;
  const prepared = opaqueString(text);
  return prepared !== undefined && Array.from(prepared).length <= PASSWORD_CODE_POINTS.max
    ? prepared
    : undefined;
}

export type NewPassword = { readonly password: string } | { readonly refused: string };

/**
 * Checks a new password.
 * @returns it in the form that is hashed, or why it is refused, in words for its owner
 */
export function newPassword(text: string, login_name: LoginName): NewPassword {
  const { min, max } = PASSWORD_CODE_POINTS;
  if (text.length > CODE_UNITS_MAX) return { refused: `the password is longer than ${max} characters` };
  const password = opaqueString(text);
  if (password === undefined) {
    return {
      refused:
        'the password is empty or has control, invisible or unassigned characters, or more than 30 combining marks in a row',
    };
  }
  const length = Array.from(password).length;
  if (length < min) return { refused: `the password is shorter than ${min} characters` };
  if (length > max) return { refused: `the password is longer than ${max} characters` };
  if (loginName(password) === login_name)
    return { refused: 'the password must differ from the name of the account' };
  return isCommonPassword(password) ? { refused: 'the password is too common' } : { password };
}

/**
 * The passwords of 8 characters and more that attackers try first; NIST SP 800-63B §5.1.1.2: "commonly-used,
 * expected".
 */
const COMMON: ReadonlySet<string> = new Set(
  `00000000 01234567 0123456789 0987654321 11111111 1111111111 11223344 1122334455 12121212 123123123 12312312
  123321123 12341234 123454321 12345678 123456789 1234567890 12345678910 123456789a 1234567a 1234567q 1234abcd 123qweasd
  12qwaszx 1q2w3e4r 1q2w3e4r5t 1q2w3e4r5t6y 1qaz2wsx 1qazxsw2 22222222 55555555 66666666 77777777 87654321 88888888
  987654321 99999999 a1b2c3d4 a1234567 a12345678 aa123456 aaaaaaaa abc12345 abcd1234 abcdefgh abcdefg1 access14
  admin123 admin1234 administrator asdfasdf asdfghjk asdfghjkl asdf1234 babygirl baseball basketball blink182 bonjour1
  butterfly changeme changeme1 charlie1 chocolate christin computer consumer danielle default1 demo1234 dragon12
  einstein elephant firebird football football1 garfield gateway1 hallo123 hello123 iloveyou iloveyou1 internet
  jennifer jordan23 killer12 lasvegas letmein1 letmein123 liverpool liverpool1 login123 lovelove manchester maverick
  mercedes metallica michael1 michelle midnight minecraft monkey12 mustang1 nintendo nothing1 p@ssw0rd p@ssword
  passw0rd passwort passwort1 password password! password. password0 password1 password1! password12 password123
  password1234 password2 pa55word pokemon1 princess princess1 qazwsxed q1w2e3r4 q1w2e3r4t5 qqqqqqqq qwer1234 qwerasdf
  qwert123 qwerty12 qwerty123 qwerty1234 qwertyui qwertyuiop qwertz123 qwertzui qwertzuiop samantha scorpion security
  shadow12 slipknot snowball spiderman starwars starwars1 stephanie summer12 sunshine sunshine1 superman superman1
  superuser test1234 testtest trustno1 victoria welcome1 welcome123 whatever william1 willkommen winter12 zaq12wsx
  zaq1zaq1 zxcvbnm1 zxcvbnm123`.split(/\s+/),
);

/** Says whether a password is a common one, without regard to case. */
function isCommonPassword(password: string): boolean {
  return COMMON.has(password.toLowerCase());
}

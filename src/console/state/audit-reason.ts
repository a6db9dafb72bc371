const LENGTH_MAX = 200;

/**
 * Returns the header that tells the audit why a change is made; none for no reason. A header holds visible ASCII only (RFC 9110
 * §5.5), so letters lose their marks, and other scripts become question marks.
 */
export function auditReason(text: string): { readonly 'audit-reason'?: string } {
  const plain = text
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll('ß', 'ss')
    .replaceAll(/[^\x20-\x7e]/gu, '?')
    .trim()
    .slice(0, LENGTH_MAX);
  return plain === '' ? {} : { 'audit-reason': plain };
}

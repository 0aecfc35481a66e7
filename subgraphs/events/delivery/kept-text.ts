/**
 * The kept bytes of a response as text. Text that is not UTF-8 has replacement characters. Null for a compressed response, which the
 * request does not accept and which is never decompressed.
 */
export function keptText(bytes: Buffer, encoding: string | string[] | undefined): string | null {
  if (encoding !== undefined && encoding !== '' && encoding !== 'identity') return null
  if (bytes.length === 0) return ''
  // `stream: true` omits a character that the bound has cut. PostgreSQL stores no NUL.
  return new TextDecoder().decode(bytes, { stream: true }).replaceAll('\0', '\uFFFD')
}

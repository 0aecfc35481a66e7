/** Characters that some file systems refuse. */
const unsafe = /[<>:"/\\|?*%\p{Cc}]|^\.|[. ]$/gu

const encoded = (sign: string): string =>
  [...Buffer.from(sign)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('')

/** The name of a component in the name of a file, on every system: what cannot be part of it is percent-encoded. */
export const encodedName = (name: string): string => name.replaceAll(unsafe, encoded)

/** The name in the name of a file, which may also be written without encoding. Null for a wrong encoding. */
export function decodedName(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll(/%(?![\da-f]{2})/gi, '%25')).normalize('NFC')
  } catch {
    return null
  }
}

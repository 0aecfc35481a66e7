import { isUtf8 } from 'node:buffer'

export type TextEncoding = 'UTF_8' | 'UTF_16LE' | 'UTF_16BE' | 'WINDOWS_1252'

export interface DetectedEncoding {
  readonly encoding: TextEncoding
  /** Bytes of the byte order mark, which are no text. */
  readonly markBytes: number
}

const marks: readonly (readonly [TextEncoding, readonly number[]])[] = [
  ['UTF_8', [0xef, 0xbb, 0xbf]],
  ['UTF_16LE', [0xff, 0xfe]],
  ['UTF_16BE', [0xfe, 0xff]],
]

/** Without the bytes of a character that goes on after the end. */
function withoutCutCharacter(bytes: Uint8Array): Uint8Array {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!
    if (byte < 0x80) return bytes
    if (byte >= 0xc0) {
      const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
      return length > back ? bytes.subarray(0, bytes.length - back) : bytes
    }
  }
  return bytes
}

/**
 * The encoding of a text by its first bytes: by its byte order mark; UTF-8 if the bytes are such; otherwise Windows-1252, in which spreadsheets save
 * texts without a mark.
 */
export function detectEncoding(start: Uint8Array): DetectedEncoding {
  for (const [encoding, mark] of marks)
    if (mark.every((byte, index) => start[index] === byte)) return { encoding, markBytes: mark.length }
  return { encoding: isUtf8(withoutCutCharacter(start)) ? 'UTF_8' : 'WINDOWS_1252', markBytes: 0 }
}

/** The byte order mark of a text whose encoding was named. */
export function markBytesOf(encoding: TextEncoding, start: Uint8Array): number {
  const mark = marks.find(([of]) => of === encoding)?.[1] ?? []
  return mark.length > 0 && mark.every((byte, index) => start[index] === byte) ? mark.length : 0
}

export const unitBytesOf = (encoding: TextEncoding): 1 | 2 => (encoding.startsWith('UTF_16') ? 2 : 1)

/** Converts the bytes of one record; null if they are not text in the encoding. */
export function decoderOf(encoding: TextEncoding): (bytes: Uint8Array) => string | null {
  const label = { UTF_8: 'utf-8', UTF_16LE: 'utf-16le', UTF_16BE: 'utf-16be', WINDOWS_1252: 'windows-1252' }[encoding]
  const decoder = new TextDecoder(label, { fatal: true, ignoreBOM: true })
  return (bytes) => {
    try {
      return decoder.decode(bytes)
    } catch {
      return null
    }
  }
}

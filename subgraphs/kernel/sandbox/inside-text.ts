import type { InsideParts } from './inside.ts'

/** Runs inside the isolate, from the text of this function: encodings of texts, built at first use. */
export function insideText({ define }: Pick<InsideParts, 'define'>): void {
  define(
    'TextEncoder',
    () =>
      class TextEncoder {
        readonly encoding = 'utf-8'
        encode(text: unknown = ''): Uint8Array {
          const binary = unescape(encodeURIComponent(String(text).toWellFormed()))
          return Uint8Array.from(binary, (sign) => sign.charCodeAt(0))
        }
      },
  )
  define(
    'TextDecoder',
    () =>
      class TextDecoder {
        readonly encoding = 'utf-8'
        decode(input: ArrayBuffer | ArrayBufferView = new Uint8Array()): string {
          const bytes = ArrayBuffer.isView(input)
            ? new Uint8Array(input.buffer, input.byteOffset, input.byteLength)
            : new Uint8Array(input)
          let text = ''
          for (let at = 0; at < bytes.length;) {
            const first = bytes[at++]!
            const more =
              first < 0x80
                ? 0
                : first >= 0xc2 && first < 0xe0
                  ? 1
                  : first >= 0xe0 && first < 0xf0
                    ? 2
                    : first >= 0xf0 && first < 0xf5
                      ? 3
                      : -1
            let point = more === 0 ? first : first & (0x3f >> more)
            let got = 0
            for (; got < more && at < bytes.length && (bytes[at]! & 0xc0) === 0x80; got++)
              point = (point << 6) | (bytes[at++]! & 0x3f)
            const isWrong = more < 0 || got < more || (more === 2 && point < 0x800) || (more === 3 && point < 0x10000)
            text +=
              isWrong || point > 0x10ffff || (point >= 0xd800 && point < 0xe000)
                ? '\ufffd'
                : String.fromCodePoint(point)
          }
          return text.replace(/^\ufeff/, '')
        }
      },
  )

  const signs = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
  define('btoa', () => (value: unknown): string => {
    const text = String(value)
    let out = ''
    for (let at = 0; at < text.length; at += 3) {
      const codes = [0, 1, 2].map((offset) => text.charCodeAt(at + offset))
      if (codes.some((code) => code > 255)) throw new RangeError('btoa takes characters up to U+00FF.')
      const [a, b, c] = codes as [number, number, number]
      out += signs[a >> 2]! + signs[((a & 3) << 4) | (b >> 4)]!
      out += (b === b ? signs[((b & 15) << 2) | (c >> 6)]! : '=') + (c === c ? signs[c & 63]! : '=')
    }
    return out
  })
  define('atob', () => (value: unknown): string => {
    const text = String(value)
      .replace(/[\t\n\f\r ]/g, '')
      .replace(/={1,2}$/, '')
    if (text.length % 4 === 1 || /[^A-Za-z0-9+/]/.test(text)) throw new RangeError('atob takes base64.')
    let out = ''
    let bits = 0
    let held = 0
    for (const sign of text) {
      held = ((held << 6) | signs.indexOf(sign)) & 0xffff
      bits += 6
      if (bits < 8) continue
      bits -= 8
      out += String.fromCharCode((held >> bits) & 255)
    }
    return out
  })
}

/** How many of the first bytes of a file decide its media type. */
export const sniffedBytes = 4_096

type Signature = readonly [mediaType: string, ...parts: readonly (readonly [offset: number, bytes: string])[]]

/** The beginnings of formats, in Latin-1. */
const signatures: readonly Signature[] = [
  ['application/pdf', [0, '%PDF-']],
  ['image/png', [0, '\x89PNG\r\n\x1a\n']],
  ['image/jpeg', [0, '\xff\xd8\xff']],
  ['image/gif', [0, 'GIF87a']],
  ['image/gif', [0, 'GIF89a']],
  ['image/webp', [0, 'RIFF'], [8, 'WEBP']],
  ['image/bmp', [0, 'BM'], [6, '\0\0\0\0']],
  ['image/tiff', [0, 'II*\0']],
  ['image/tiff', [0, 'MM\0*']],
  ['image/avif', [4, 'ftypavif']],
  ['image/heic', [4, 'ftypheic']],
  ['audio/wav', [0, 'RIFF'], [8, 'WAVE']],
  ['audio/mpeg', [0, 'ID3']],
  ['audio/ogg', [0, 'OggS']],
  ['video/quicktime', [4, 'ftypqt']],
  ['video/mp4', [4, 'ftyp']],
  ['video/webm', [0, '\x1aE\xdf\xa3']],
  ['application/gzip', [0, '\x1f\x8b']],
  ['application/x-7z-compressed', [0, "7z\xbc\xaf'\x1c"]],
  ['application/vnd.rar', [0, 'Rar!\x1a\x07']],
  ['application/x-ole-storage', [0, '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1']],
  ['application/rtf', [0, '{\\rtf']],
  ['application/x-msdownload', [0, 'MZ']],
  ['application/x-elf', [0, '\x7fELF']],
]

const officeTypes: Readonly<Record<string, string>> = {
  'word/': 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'xl/': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'ppt/': 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
}

/** Documents of Office are ZIP archives; the name of one of their first entries tells which. */
function zippedType(beginning: string): string {
  const opened = /mimetype(application\/vnd\.oasis\.opendocument\.(?:text|spreadsheet|presentation))PK/.exec(beginning)
  if (opened) return opened[1]!
  if (!beginning.includes('[Content_Types].xml')) return 'application/zip'
  const folder = Object.keys(officeTypes).find((name) => beginning.includes(name))
  return folder ? officeTypes[folder]! : 'application/zip'
}

/** What a browser might run, wherever it is in the beginning. */
const active: readonly (readonly [mediaType: string, pattern: RegExp])[] = [
  ['image/svg+xml', /<svg[\s>]/i],
  ['text/html', /<(?:!doctype\s+html|html|head|body|script|iframe|title|style|a|img|div|table|form|meta|link)[\s>/]/i],
  ['text/xml', /^\s*<\?xml/],
]

const unreadable = (text: string): boolean => /(?![\t\n\v\f\r])\p{Cc}/u.test(text)

/** Whether the bytes are UTF-8 text. The end may be in the middle of a character. */
function isText(bytes: Buffer): boolean {
  try {
    return !unreadable(new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true }))
  } catch {
    return false
  }
}

/** The media type of a file by its first bytes. The name and the headers of the upload say nothing that can be relied on. */
export function mediaTypeOf(beginning: Buffer): string {
  const text = beginning.subarray(0, sniffedBytes).toString('latin1')
  const known = signatures.find(([, ...parts]) => parts.every(([offset, bytes]) => text.startsWith(bytes, offset)))
  if (known) return known[0]
  if (text.startsWith('PK\x03\x04')) return zippedType(text)
  if (text.startsWith('PK\x05\x06')) return 'application/zip'
  if (!isText(beginning.subarray(0, sniffedBytes))) return 'application/octet-stream'
  return active.find(([, pattern]) => pattern.test(text))?.[0] ?? 'text/plain'
}

import { deflateRawSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { mediaTypeOf } from './content-type.ts'

const entry = (name: string): Buffer => Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.alloc(26), Buffer.from(name)])

it.each([
  ['application/pdf', '%PDF-1.7\n<script>'],
  ['image/png', Buffer.from('89504e470d0a1a0a0000', 'hex')],
  ['image/jpeg', Buffer.from('ffd8ffe000104a464946', 'hex')],
  ['image/webp', 'RIFF\0\0\0\0WEBPVP8 '],
  ['application/zip', entry('a.txt')],
  [
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    Buffer.concat([entry('[Content_Types].xml'), entry('xl/workbook.xml')]),
  ],
  ['application/vnd.oasis.opendocument.text', entry('mimetypeapplication/vnd.oasis.opendocument.textPK')],
  ['application/x-msdownload', 'MZ\x90\0'],
  ['text/html', '\ufeff  <!DOCTYPE html><p>'],
  ['text/html', 'hello <ScRiPt>alert(1)</script>'],
  ['image/svg+xml', '<?xml version="1.0"?><svg onload="alert(1)">'],
  ['text/xml', '<?xml version="1.0"?><order/>'],
  ['text/plain', 'Größe; Preis\n1 < 2'],
  ['text/plain', ''],
  // The last character is cut off where the beginning ends.
  ['text/plain', `${'a'.repeat(4_095)}ö`],
  ['application/octet-stream', deflateRawSync('nothing known')],
  ['application/octet-stream', 'text\0'],
])('finds the media type %s in the bytes', (mediaType, bytes) => {
  expect(mediaTypeOf(Buffer.from(bytes as string))).toBe(mediaType)
})

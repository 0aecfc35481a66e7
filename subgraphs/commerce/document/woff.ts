import { inflateSync } from 'node:zlib'

const woffEntryBytes = 20
const sfntEntryBytes = 16

/**
 * The TrueType file that a WOFF 1.0 file contains. A reader of WOFF may decompress a table again for each glyph; the tables of this
 * file are not compressed.
 */
export function sfntOfWoff(woff: Buffer): Buffer {
  const count = woff.readUInt16BE(12)
  const entries = Array.from({ length: count }, (_, index) => {
    const at = 44 + index * woffEntryBytes
    const [offset, stored, bytes] = [woff.readUInt32BE(at + 4), woff.readUInt32BE(at + 8), woff.readUInt32BE(at + 12)]
    const data = woff.subarray(offset, offset + stored)
    return {
      tag: woff.subarray(at, at + 4),
      checksum: woff.subarray(at + 16, at + 20),
      data: stored < bytes ? inflateSync(data, { maxOutputLength: bytes }) : data,
    }
  })
  const power = 2 ** Math.floor(Math.log2(count))
  const header = Buffer.alloc(12 + count * sfntEntryBytes)
  woff.copy(header, 0, 4, 8)
  header.writeUInt16BE(count, 4)
  header.writeUInt16BE(power * 16, 6)
  header.writeUInt16BE(Math.log2(power), 8)
  header.writeUInt16BE((count - power) * 16, 10)
  const parts: Uint8Array[] = [header]
  let offset = header.length
  for (const [index, { tag, checksum, data }] of entries.entries()) {
    const at = 12 + index * sfntEntryBytes
    tag.copy(header, at)
    checksum.copy(header, at + 4)
    header.writeUInt32BE(offset, at + 8)
    header.writeUInt32BE(data.length, at + 12)
    const padding = Buffer.alloc(-data.length & 3)
    parts.push(data, padding)
    offset += data.length + padding.length
  }
  return Buffer.concat(parts)
}

import JSZip from 'jszip'
import { deflateRawSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { packed, unpacked, type Unpacked } from './archive.ts'

const limits = { filesMax: 5, fileBytesMax: 1_000, unpackedBytesMax: 3_000 }

const open = (bytes: Uint8Array, changed: Partial<typeof limits> = {}): Unpacked =>
  unpacked({ bytes, limits: { ...limits, ...changed } })

const textsOf = (result: Unpacked): Record<string, string> =>
  'files' in result
    ? Object.fromEntries(Object.entries(result.files).map(([path, bytes]) => [path, Buffer.from(bytes).toString()]))
    : {}
const codeOf = (result: Unpacked): string | null => ('refusal' in result ? result.refusal.code : null)

async function zip(files: Record<string, string>, compression: 'STORE' | 'DEFLATE' = 'DEFLATE', streamFiles = false) {
  const archive = new JSZip()
  for (const [path, text] of Object.entries(files)) archive.file(path, text)
  return archive.generateAsync({ type: 'uint8array', compression, streamFiles })
}

/** An archive of one file whose header declares another size than the file has. */
function lying(size: number, declared: number): Uint8Array {
  const content = deflateRawSync(Buffer.alloc(size))
  const name = Buffer.from('a.json')
  const header = Buffer.alloc(30)
  header.writeUInt32LE(0x04034b50, 0)
  header.writeUInt16LE(20, 4)
  header.writeUInt16LE(8, 8)
  header.writeUInt32LE(content.length, 18)
  header.writeUInt32LE(declared, 22)
  header.writeUInt16LE(name.length, 26)
  return Buffer.concat([header, name, content])
}

describe('an archive', () => {
  it.each([
    ['STORE', false],
    ['DEFLATE', false],
    ['DEFLATE', true],
  ] as const)('is unpacked: %s, streamed: %s', async (compression, streamed) => {
    const files = { 'src/a.json': '{}', 'src/b/c.ts': 'x'.repeat(900), 'ä.txt': 'ü' }
    expect(textsOf(open(await zip(files, compression, streamed)))).toEqual(files)
  })

  it('of the same files has the same bytes, and is read back', () => {
    const files = { 'b.json': '{}', 'a/c.json': '[1]' }
    const first = packed(files)
    expect(packed({ 'a/c.json': '[1]', 'b.json': '{}' })).toBe(first)
    expect(textsOf(open(Buffer.from(first, 'base64')))).toEqual(files)
  })

  it.each([
    ['no ZIP file', Buffer.from('{"files": {}}'), 'WRONG_FORMAT'],
    ['nothing', new Uint8Array(0), 'WRONG_FORMAT'],
    ['a larger size than all files may have', lying(10, 4_000), 'TOO_LARGE'],
    ['a smaller size than the file has', lying(200_000_000, 10), 'TOO_LARGE'],
    ['half of a file', lying(900, 900).subarray(0, 40), 'WRONG_FORMAT'],
  ])('is refused: %s', (_name, bytes, code) => {
    const begunAt = performance.now()
    expect(codeOf(open(bytes))).toBe(code)
    expect(performance.now() - begunAt).toBeLessThan(2_000)
  })

  it('is refused with too many files, a too large one, too large ones together, and a file twice', async () => {
    const many = Object.fromEntries(Array.from({ length: 6 }, (_, index) => [`${index}.json`, '{}']))
    expect(codeOf(open(await zip(many)))).toBe('TOO_MANY')
    expect(codeOf(open(await zip({ 'a.json': 'x'.repeat(1_001) })))).toBe('TOO_LARGE')
    const large = Object.fromEntries(Array.from({ length: 4 }, (_, index) => [`${index}.json`, 'x'.repeat(900)]))
    expect(codeOf(open(await zip(large)))).toBe('TOO_LARGE')
    const one = await zip({ 'a.json': '{}' })
    expect(codeOf(open(Buffer.concat([one, one])))).toBe('NOT_UNIQUE')
  })

  it('is refused with encrypted files or unknown compression', async () => {
    const bytes = Buffer.from(await zip({ 'a.json': '{}' }))
    bytes.writeUInt16LE(99, 8)
    expect(codeOf(open(bytes))).not.toBeNull()
  })
})

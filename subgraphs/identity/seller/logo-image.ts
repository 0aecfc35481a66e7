import { promisify } from 'node:util'
import { inflate } from 'node:zlib'
import type { FieldProblem } from '../../kernel/errors.ts'

/** Maximum size of a logo in bytes, and of its width times its height. */
export const [logoBytesMax, logoPixelsMax] = [100_000, 1_000_000]

export interface LogoImage {
  readonly mediaType: 'image/png' | 'image/jpeg'
  /** Pixels. */
  readonly width: number
  readonly height: number
  readonly content: Buffer
}

const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
/** The chunks of a PNG that its picture needs. Comments, profiles and animations are left out. */
const pngChunks: ReadonlySet<string> = new Set(['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND'])
/** Numbers of samples of a pixel by the colour type of a PNG. */
const pngSamples: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }

interface Part {
  readonly name: string
  readonly bytes: Buffer
}

/** The chunks of a PNG up to its end, whole; null if they do not follow each other. */
function chunksOf(png: Buffer): Part[] | null {
  const chunks: Part[] = []
  for (let at = pngSignature.length; at + 12 <= png.length;) {
    const end = at + 12 + png.readUInt32BE(at)
    if (end > png.length) return null
    const name = png.toString('latin1', at + 4, at + 8)
    chunks.push({ name, bytes: png.subarray(at, end) })
    if (name === 'IEND') return chunks
    at = end
  }
  return null
}

/** Whether the pixels of a PNG have exactly the size that its header says: a small file cannot become a large picture. */
async function hasItsPixels(chunks: readonly Part[], size: number): Promise<boolean> {
  const data = chunks.filter(({ name }) => name === 'IDAT').map(({ bytes }) => bytes.subarray(8, -4))
  try {
    const pixels = await promisify(inflate)(Buffer.concat(data), { maxOutputLength: size })
    return pixels.length === size
  } catch {
    return false
  }
}

async function pngOf(bytes: Buffer): Promise<LogoImage | null> {
  const chunks = chunksOf(bytes)?.filter(({ name }) => pngChunks.has(name))
  const header = chunks?.[0]
  if (!chunks || header?.name !== 'IHDR' || header.bytes.length !== 25) return null
  const [width, height] = [header.bytes.readUInt32BE(8), header.bytes.readUInt32BE(12)]
  const [depth, colour, interlace] = [header.bytes[16]!, header.bytes[17]!, header.bytes[20]!]
  const samples = pngSamples[colour]
  if (samples === undefined || depth !== 8 || interlace !== 0) return null
  if (width * height === 0 || width * height > logoPixelsMax) return null
  if (colour === 3 && !chunks.some(({ name }) => name === 'PLTE')) return null
  if (!(await hasItsPixels(chunks, height * (1 + width * samples)))) return null
  const content = Buffer.concat([pngSignature, ...chunks.map((chunk) => chunk.bytes)])
  return { mediaType: 'image/png', width, height, content }
}

/** Markers of a JPEG that begin a frame which every program shows: baseline and progressive. */
const frames: ReadonlySet<number> = new Set([0xc0, 0xc1, 0xc2])
/** Tables, frames and the marks of JFIF and Adobe; what cameras and editors add, such as the place of a photo, is left out. */
const isKept = (marker: number): boolean => frames.has(marker) || [0xc4, 0xdb, 0xdd, 0xe0, 0xee].includes(marker)

function jpegOf(bytes: Buffer): LogoImage | null {
  const kept: Buffer[] = [bytes.subarray(0, 2)]
  let size: { width: number; height: number } | null = null
  for (let at = 2; at + 4 <= bytes.length && bytes[at] === 0xff;) {
    const marker = bytes[at + 1]!
    const end = at + 2 + bytes.readUInt16BE(at + 2)
    if (end > bytes.length || end < at + 4) return null
    if (frames.has(marker) && end >= at + 9)
      size = { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) }
    if (marker === 0xda) {
      const last = bytes.lastIndexOf(Buffer.from([0xff, 0xd9]))
      if (!size || last < end || size.width * size.height === 0) return null
      if (size.width * size.height > logoPixelsMax) return null
      const content = Buffer.concat([...kept, bytes.subarray(at, last + 2)])
      return { mediaType: 'image/jpeg', ...size, content }
    }
    if (isKept(marker)) kept.push(bytes.subarray(at, end))
    at = end
  }
  return null
}

const dataUrl = /^data:image\/(?:png|jpeg);base64,([A-Za-z0-9+/]+={0,2})$/

const problem = (code: string, message: string): FieldProblem => ({ path: 'logo', code, message })
const notAnImage = problem(
  'NOT_AN_IMAGE',
  `logo must be a data URL (data:image/png;base64,…) with a PNG of 8 bits without interlacing or a JPEG, and have at most ${logoPixelsMax} pixels.`,
)

/** The image of a data URL without everything that the picture does not need. The media type is that of the bytes, whatever the URL says. */
export async function logoImage(url: string): Promise<LogoImage | FieldProblem> {
  // The number of characters is checked before they are decoded.
  if (url.length > 40 + Math.ceil(logoBytesMax / 3) * 4)
    return problem('TOO_LONG', `logo must have at most ${logoBytesMax} bytes.`)
  const bytes = Buffer.from(dataUrl.exec(url)?.[1] ?? '', 'base64')
  if (bytes.length > logoBytesMax) return problem('TOO_LONG', `logo must have at most ${logoBytesMax} bytes.`)
  if (bytes.subarray(0, 8).equals(pngSignature)) return (await pngOf(bytes)) ?? notAnImage
  if (bytes[0] === 0xff && bytes[1] === 0xd8) return jpegOf(bytes) ?? notAnImage
  return notAnImage
}

export const dataUrlOf = ({ mediaType, content }: Pick<LogoImage, 'mediaType' | 'content'>): string =>
  `data:${mediaType};base64,${content.toString('base64')}`

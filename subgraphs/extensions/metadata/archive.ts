import { Unzip, UnzipInflate, zipSync, type UnzipFile, type Zippable } from 'fflate'

// Runs in a worker thread: an archive is data of a tenant, and takes time to pack and to unpack.

export interface ArchiveLimits {
  readonly filesMax: number
  readonly fileBytesMax: number
  readonly unpackedBytesMax: number
}

/** Why an archive is refused: a code, and what must be. */
export interface ArchiveRefusal {
  readonly code: string
  readonly message: string
}

export type Unpacked = { readonly files: Readonly<Record<string, Uint8Array>> } | { readonly refusal: ArchiveRefusal }

class Refused extends Error {
  readonly refusal: ArchiveRefusal

  constructor(refusal: ArchiveRefusal) {
    super(refusal.message)
    this.refusal = refusal
  }
}

const refuse = (code: string, message: string): never => {
  throw new Refused({ code, message })
}

const damaged = (): Refused => new Refused({ code: 'WRONG_FORMAT', message: 'The archive is damaged.' })

/** So few bytes at once unpack to at most a thousand times as many, before their number is looked at. */
const stepBytes = 16_384

/** The signatures of a file in an archive, and of the end of an archive without files. */
const isArchive = (bytes: Uint8Array): boolean =>
  bytes[0] === 0x50 && bytes[1] === 0x4b && ((bytes[2] === 3 && bytes[3] === 4) || (bytes[2] === 5 && bytes[3] === 6))

class Unpacking {
  readonly files: Record<string, Uint8Array> = Object.create(null) as Record<string, Uint8Array>
  readonly #open = new Set<string>()
  #entries = 0
  #declared = 0
  #bytes = 0
  readonly #limits: ArchiveLimits

  constructor(limits: ArchiveLimits) {
    this.#limits = limits
  }

  take = (file: UnzipFile): void => {
    const { filesMax, unpackedBytesMax, fileBytesMax } = this.#limits
    if (++this.#entries > 2 * filesMax) refuse('TOO_MANY', `An archive must have at most ${filesMax} files.`)
    if (file.name.endsWith('/') || file.name.endsWith('\\')) return
    this.#declared += file.originalSize ?? 0
    if (this.#declared > unpackedBytesMax)
      refuse('TOO_LARGE', `The files of an archive must have at most ${unpackedBytesMax} bytes together.`)
    if (file.compression !== 0 && file.compression !== 8)
      refuse('NOT_ALLOWED', 'The files of an archive must be stored or deflated, and not be encrypted.')
    if (file.name in this.files || this.#open.has(file.name))
      refuse('NOT_UNIQUE', `The archive has ${file.name.slice(0, 200)} twice.`)
    if (Object.keys(this.files).length + this.#open.size >= filesMax)
      refuse('TOO_MANY', `An archive must have at most ${filesMax} files.`)
    this.#open.add(file.name)
    const chunks: Uint8Array[] = []
    let size = 0
    file.ondata = (error, chunk, isLast) => {
      // What is thrown here comes back as an error of the file.
      if (error) throw error instanceof Refused ? error : damaged()
      size += chunk.length
      this.#bytes += chunk.length
      if (this.#bytes > unpackedBytesMax)
        refuse('TOO_LARGE', `The files of an archive must have at most ${unpackedBytesMax} bytes together.`)
      if (size > fileBytesMax)
        refuse('TOO_LARGE', `${file.name.slice(0, 200)} must have at most ${fileBytesMax} bytes.`)
      chunks.push(chunk.slice())
      if (!isLast) return
      this.#open.delete(file.name)
      this.files[file.name] = joined(chunks, size)
    }
    file.start()
  }

  end(): void {
    if (this.#open.size > 0) refuse('WRONG_FORMAT', 'The archive ends before all its files do.')
  }
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const all = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    all.set(chunk, at)
    at += chunk.length
  }
  return all
}

/** The files of an archive by their paths. It ends as soon as a limit is passed, whatever sizes the archive declares. */
export function unpacked({ bytes, limits }: { readonly bytes: Uint8Array; readonly limits: ArchiveLimits }): Unpacked {
  try {
    if (!isArchive(bytes)) refuse('WRONG_FORMAT', 'The archive must be a ZIP file.')
    const unpacking = new Unpacking(limits)
    const unzip = new Unzip(unpacking.take)
    unzip.register(UnzipInflate)
    for (let at = 0; at < bytes.length; at += stepBytes)
      unzip.push(bytes.subarray(at, at + stepBytes), at + stepBytes >= bytes.length)
    unpacking.end()
    return { files: { ...unpacking.files } }
  } catch (error) {
    return { refusal: (error instanceof Refused ? error : damaged()).refusal }
  }
}

/** The same files give the same bytes, whenever they are packed. */
const packedAt = new Date(1980, 0, 1)

/** An archive of texts, in the order of their paths, as base64. */
export function packed(files: Readonly<Record<string, string>>): string {
  const texts = Object.entries(files).toSorted(([one], [other]) => (one < other ? -1 : 1))
  const entries = texts.map(([path, text]) => [path, new TextEncoder().encode(text)] as const)
  const zipped = zipSync(Object.fromEntries(entries) as Zippable, { level: 6, mtime: packedAt })
  return Buffer.from(zipped).toString('base64')
}

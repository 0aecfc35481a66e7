import { createReadStream } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { flush } from '../database/copy-tree.ts'
import { isId } from '../ids.ts'
import { noStorage, type ByteRange, type FileBytes, type MeasuredContent } from './file-bytes.ts'
import { filesFolder, folderOf, partialSuffix, pathOf } from './file-place.ts'

const batch = 500

/** Writes a file as a whole, flushed. */
export async function writeFlushed(content: MeasuredContent, path: string): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    for await (const chunk of content.chunks()) await file.writeFile(chunk)
    await file.sync()
  } finally {
    await file.close()
  }
}

export const namesIn = (path: string): Promise<string[]> =>
  readdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })

const isDiskFull = (error: unknown): boolean =>
  ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '')

/** Runs work that writes to the disk; a full disk is no failure of the program. */
export async function onDisk<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw isDiskFull(error) ? noStorage() : error
  }
}

/** Files in `DATA_DIR/files`. A file is written under a temporary name, flushed and renamed. */
export class DiskBytes implements FileBytes {
  readonly #dataDir: string

  constructor(dataDir: string) {
    this.#dataDir = dataDir
  }

  write(organizationId: string, id: string, content: MeasuredContent): Promise<void> {
    const path = pathOf(this.#dataDir, organizationId, id)
    return onDisk(async () => {
      await mkdir(folderOf(this.#dataDir, organizationId), { recursive: true, mode: 0o700 })
      await writeFlushed(content, `${path}${partialSuffix}`)
      await rename(`${path}${partialSuffix}`, path)
      await flush(dirname(path))
    })
  }

  async read(organizationId: string, id: string, range?: ByteRange): Promise<Readable> {
    const path = pathOf(this.#dataDir, organizationId, id)
    const { size } = await stat(path)
    if (size === 0) return createReadStream(path)
    return createReadStream(path, { ...(range && { start: range.start, end: range.end }) })
  }

  has(organizationId: string, id: string): Promise<boolean> {
    return stat(pathOf(this.#dataDir, organizationId, id)).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return false
        throw error
      },
    )
  }

  async remove(organizationId: string, id: string): Promise<void> {
    const path = pathOf(this.#dataDir, organizationId, id)
    await rm(`${path}${partialSuffix}`, { force: true })
    await rm(path, { force: true })
  }

  /** A backup can contain files that are younger than its database. */
  async removeUnknown(known: Parameters<FileBytes['removeUnknown']>[0]): Promise<void> {
    for (const organizationId of (await namesIn(join(this.#dataDir, filesFolder))).filter(isId)) {
      const names = await namesIn(join(this.#dataDir, filesFolder, organizationId))
      const ids = [...new Set(names.map((name) => name.replace(partialSuffix, '')))].filter(isId)
      for (let at = 0; at < ids.length; at += batch) {
        const some = ids.slice(at, at + batch)
        const isKnown = await known(organizationId, some)
        for (const id of some) if (!isKnown.has(id)) await this.remove(organizationId, id)
      }
    }
  }
}

import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { chmod, open, realpath, rename, rm, stat, type FileHandle } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { usageFailure } from './failure.ts'

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code

/** Makes a file that is not there yet; null if it is. */
export const newFile = (file: string): Promise<FileHandle | null> =>
  open(file, 'wx').catch((error: unknown) => {
    if (codeOf(error) === 'EEXIST') return null
    throw error
  })

/** Makes a file with the first of these names that none has: `accounts.csv`, `accounts-2.csv` and so on. */
export async function firstFree(base: string, extension: string): Promise<{ file: string; handle: FileHandle }> {
  for (let number = 1; ; number++) {
    const file = number === 1 ? `${base}${extension}` : `${base}-${number}${extension}`
    const handle = await newFile(file)
    if (handle) return { file, handle }
  }
}

/** What is written beside a file and replaces it when it is whole. */
export interface WholeFile {
  readonly handle: FileHandle
  /** Gives it its name, and returns that. */
  keep(): Promise<string>
  /** Removes it, unless it was kept. */
  close(): Promise<void>
}

/** The file behind a name that somebody has chosen; null if there is none yet. */
async function existing(name: string): Promise<{ path: string; mode: number } | null> {
  const found = await stat(name).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return null
    throw usageFailure(`${name} cannot be written: ${(error as Error).message}`)
  })
  if (!found) return null
  if (!found.isFile()) throw usageFailure(`${name} is no file.`)
  return { path: await realpath(name), mode: found.mode }
}

/** Begins a file that is there as a whole or not at all: with this name, otherwise with the first free name. */
export async function wholeFile(named: string | null, free: { base: string; extension: string }): Promise<WholeFile> {
  const before = named === null ? null : await existing(named)
  const target = before?.path ?? named ?? free.base
  const part = join(dirname(target), `.${basename(target)}.${randomUUID()}.part`)
  const handle = await open(part, 'wx').catch((error: Error) => {
    throw usageFailure(`${target} cannot be written: ${codeOf(error) ?? error.message}.`)
  })
  const remove = (): void => rmSync(part, { force: true })
  const ends = (['SIGINT', 'SIGTERM'] as const).map((name) => {
    const end = (): void => {
      remove()
      process.kill(process.pid, name)
    }
    process.once(name, end)
    return [name, end] as const
  })
  process.once('exit', remove)
  return {
    handle,
    async keep() {
      await handle.close()
      if (before) await chmod(part, before.mode)
      if (named !== null) {
        await rename(part, target)
        return named
      }
      const reserved = await firstFree(free.base, free.extension)
      await reserved.handle.close()
      await rename(part, reserved.file)
      return reserved.file
    },
    async close() {
      process.removeListener('exit', remove)
      for (const [name, end] of ends) process.removeListener(name, end)
      await handle.close().catch(() => undefined)
      await rm(part, { force: true })
    },
  }
}

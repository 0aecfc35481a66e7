import { randomUUID } from 'node:crypto'
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Failure } from './failure.ts'

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT'

/** The text of a file that only its owner may read; null if there is none. */
export async function readPrivate(path: string): Promise<string | null> {
  try {
    const { mode } = await stat(path)
    if ((mode & 0o077) !== 0) {
      const message = `${path} can be read by other users of this computer. Run: chmod 600 ${path}`
      throw new Failure('credential', 'FILE_NOT_PRIVATE', message)
    }
    return await readFile(path, 'utf8')
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

/** Replaces a file as a whole. It is never readable by others, not even while it is written. */
export async function writePrivate(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const temporary = `${path}.${randomUUID()}`
  try {
    const file = await open(temporary, 'wx', 0o600)
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

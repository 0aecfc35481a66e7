import { constants } from 'node:fs'
import { copyFile, mkdir, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** Writes a file or the entries of a folder to the disk. */
export async function flush(path: string): Promise<void> {
  const opened = await open(path)
  await opened.sync().finally(() => opened.close())
}

const orGone = (error: NodeJS.ErrnoException): null => {
  if (error.code === 'ENOENT') return null
  throw error
}

/**
 * Copies a folder that may change meanwhile, and writes the copy to the disk; files that vanish are left out. `isCopied` decides
 * about every entry by its path within the folder.
 */
export async function copyTree(
  from: string,
  to: string,
  isCopied: (path: string) => boolean = () => true,
  within = '',
): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 })
  const entries = await readdir(from, { withFileTypes: true }).catch(orGone)
  for (const entry of entries ?? []) {
    const { name } = entry
    const path = within === '' ? name : `${within}/${name}`
    if (!isCopied(path)) continue
    if (entry.isDirectory()) await copyTree(join(from, name), join(to, name), isCopied, path)
    else if (entry.isFile()) await copyFlushed(join(from, name), join(to, name))
  }
  await flush(to)
}

export async function copyFlushed(from: string, to: string): Promise<void> {
  const copied = await copyFile(from, to, constants.COPYFILE_FICLONE).then(() => true, orGone)
  if (copied) await flush(to)
}

import { randomUUID } from 'node:crypto'
import { mkdir, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ConfigError } from './config-error.ts'

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code

/** Creates one folder at a time, because Node's recursive mkdir never returns in a place where no folder can be created, such as /proc. */
async function makeFolder(path: string): Promise<void> {
  const make = () => mkdir(path, { mode: 0o711 })
  try {
    await make()
  } catch (error) {
    if (codeOf(error) === 'EEXIST' && (await stat(path)).isDirectory()) return
    if (codeOf(error) !== 'ENOENT' || dirname(path) === path) throw error
    await makeFolder(dirname(path))
    // Another process may have created it in the meantime.
    await make().catch((again: unknown) => {
      if (codeOf(again) !== 'EEXIST') throw again
    })
  }
}

/** Creates the data folder if it is missing, and throws a ConfigError when it is not writable. */
export async function prepareDataDir(dataDir: string): Promise<void> {
  await makeFolder(dataDir).catch((cause: Error) => {
    throw new ConfigError(`DATA_DIR: ${dataDir} cannot be created (${cause.message}).`, { cause })
  })
  const probe = join(dataDir, `.probe-${randomUUID()}`)
  try {
    await writeFile(probe, '', { flag: 'wx', mode: 0o600 })
    await rm(probe)
  } catch (cause) {
    throw new ConfigError(`DATA_DIR: ${dataDir} cannot be written to (${(cause as Error).message}).`, { cause })
  }
}

import { setTimeout as delay } from 'node:timers/promises'
import { ConfigError } from '../config/config.ts'
import { DataFolderInUse } from './data-folder-lock.ts'
import { socketFolderOf } from './embedded-folder.ts'
import {
  addressAt,
  checkAnswers,
  startEmbeddedPostgres,
  type EmbeddedOptions,
  type EmbeddedPostgres,
} from './embedded.ts'

const startingMs = 20_000
const pollMs = 100
const foreignAccount = '28000'

/** The server that another process runs on the folder; null while it cannot be reached. */
async function running(dataDir: string): Promise<EmbeddedPostgres | null> {
  const socketFolder = await socketFolderOf(dataDir)
  if (socketFolder === null) return null
  const url = addressAt(socketFolder)
  try {
    await checkAnswers(url)
    const superuserUrl = addressAt(socketFolder, 'postgres')
    return { url, superuserUrl, lost: new Promise(() => undefined), stop: async () => undefined }
  } catch (cause) {
    const { code } = cause as { code?: string }
    if (code !== foreignAccount && code !== 'EACCES') return null
    const advice = 'belongs to another user: run this command as the user of the process that uses it'
    throw new ConfigError(`DATA_DIR: the database in ${dataDir} ${advice}.`, { cause })
  }
}

/**
 * For short-lived commands on the data folder: uses the server of the process that already runs on it, which `stop` leaves
 * running, or starts its own server when none runs.
 */
export async function joinEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const deadline = Date.now() + startingMs
  for (;;) {
    try {
      return await startEmbeddedPostgres(options)
    } catch (error) {
      if (!(error instanceof DataFolderInUse)) throw error
      const joined = await running(options.dataDir)
      if (joined) return joined
      // The other process is starting or stopping.
      if (Date.now() > deadline) throw error
      await delay(pollMs)
    }
  }
}

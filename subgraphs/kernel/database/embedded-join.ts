import { setTimeout as delay } from 'node:timers/promises'
import { ConfigError } from '../config.ts'
import { DataFolderServed } from './data-folder-lock.ts'
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

/** Null while the server that another process runs on the folder is not reached. */
async function running(dataDir: string): Promise<EmbeddedPostgres | null> {
  const socketFolder = await socketFolderOf(dataDir)
  if (socketFolder === null) return null
  const url = addressAt(socketFolder)
  try {
    await checkAnswers(url)
    return { url, lost: new Promise(() => undefined), stop: async () => undefined }
  } catch (cause) {
    const { code } = cause as { code?: string }
    if (code !== foreignAccount && code !== 'EACCES') return null
    const whose = 'belongs to another user: run this as the user whose process serves it'
    throw new ConfigError(`DATA_DIR: the database in ${dataDir} ${whose}.`, { cause })
  }
}

/**
 * For what works on the data folder for a moment, beside the process that serves it: its server when one runs, which `stop`
 * leaves running, and otherwise one of our own.
 */
export async function joinEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const deadline = Date.now() + startingMs
  for (;;) {
    try {
      return await startEmbeddedPostgres(options)
    } catch (error) {
      if (!(error instanceof DataFolderServed)) throw error
      const joined = await running(options.dataDir)
      if (joined) return joined
      // It is starting, or about to end.
      if (Date.now() > deadline) throw error
      await delay(pollMs)
    }
  }
}

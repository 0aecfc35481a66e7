import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ConfigError } from '../config/config-error.ts'

/** The major version of PostgreSQL that has written these files. */
export const majorIn = async (data: string): Promise<string> =>
  (await readFile(join(data, 'PG_VERSION'), 'utf8')).trim()

/** PostgreSQL reads only the files of its own major version. */
export function refuseOtherMajor(what: string, written: string, running: string): void {
  if (written === running) return
  const advice = 'See "Upgrading" in gateway/pages/guides/backups-and-upgrades.md'
  throw new ConfigError(`${what} is of PostgreSQL ${written}, and this release runs PostgreSQL ${running}. ${advice}.`)
}

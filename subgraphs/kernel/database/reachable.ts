import { ConfigError } from '../config-error.ts'
import type { Sql } from './database.ts'

/** Of a name with several addresses, Node says of each why it was not reached. */
const reasonOf = (error: Error): string =>
  error instanceof AggregateError ? error.errors.map((each: Error) => each.message).join(', ') : error.message

/** Names the host alone: everything else of the URL may hold a piece of the password. */
export async function checkReachable(database: Sql, url: string): Promise<void> {
  await database.query('select 1').catch((cause: Error) => {
    const host = decodeURIComponent(URL.parse(url)?.host || 'the local socket')
    throw new ConfigError(`DATABASE_URL: cannot reach the database on ${host} (${reasonOf(cause)}).`, { cause })
  })
}

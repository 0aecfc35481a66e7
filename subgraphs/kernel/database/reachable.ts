import { ConfigError } from '../config/config-error.ts'
import type { Sql } from './sql.ts'

/** For a host name with several addresses, Node throws an AggregateError with one error per address. */
const reasonOf = (error: Error): string =>
  error instanceof AggregateError ? error.errors.map((each: Error) => each.message).join(', ') : error.message

/** The message contains only the host, because every other part of the URL may contain a part of the password. */
export async function checkReachable(database: Sql, url: string): Promise<void> {
  await database.query('select 1').catch((cause: Error) => {
    const host = decodeURIComponent(URL.parse(url)?.host || 'the local socket')
    throw new ConfigError(`DATABASE_URL: cannot reach the database on ${host} (${reasonOf(cause)}).`, { cause })
  })
}

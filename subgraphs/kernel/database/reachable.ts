import { ConfigError } from '../config/config-error.ts'
import type { Sql } from './sql.ts'

/** The oldest major version whose SQL the platform uses; the tests run on it too. */
const oldestMajor = 15

/** For a host name with several addresses, Node throws an AggregateError with one error per address. */
const reasonOf = (error: Error): string =>
  error instanceof AggregateError ? error.errors.map((each: Error) => each.message).join(', ') : error.message

/**
 * Refuses a database that cannot be reached or is too old. The messages contain only the host, because every other part of the URL may
 * contain a part of the password.
 */
export async function checkReachable(database: Sql, url: string, oldest = oldestMajor): Promise<void> {
  const host = decodeURIComponent(URL.parse(url)?.host || 'the local socket')
  const [server] = await database
    .query<{ major: number; version: string }>(
      `select current_setting('server_version_num')::int / 10000 as major, current_setting('server_version') as version`,
    )
    .catch((cause: Error) => {
      throw new ConfigError(`DATABASE_URL: cannot reach the database on ${host} (${reasonOf(cause)}).`, { cause })
    })
  const { major, version } = server!
  if (major < oldest) {
    throw new ConfigError(
      `DATABASE_URL: the database on ${host} is PostgreSQL ${version}; PostgreSQL ${oldest} or later is required.`,
    )
  }
}

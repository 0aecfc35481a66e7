import { readdirSync, readFileSync } from 'node:fs'
import type { Sql } from '../../../subgraphs/kernel/database/sql.ts'

/** CPU time of one thread in nanoseconds, which the scheduler counts exactly; 0 when the thread has ended. */
function threadNs(path: string): number {
  try {
    return Number(readFileSync(`${path}/schedstat`, 'utf8').split(' ')[0])
  } catch {
    return 0
  }
}

/** The CPU time that requests take in a server process and in PostgreSQL together. Other load on the machine changes it little. */
export class RequestCpu {
  readonly #since = new Date()
  #backends: readonly number[] = []

  /** Must be created before the server, because the connections that are opened from then on are taken for the server's. */
  constructor(private readonly database: Sql) {}

  async findConnections(): Promise<void> {
    const rows = await this.database.query<{ pid: number }>(
      `select pid from pg_stat_activity where backend_type = 'client backend' and backend_start > $1 and pid <> pg_backend_pid()`,
      [this.#since.toISOString()],
    )
    this.#backends = rows.map(({ pid }) => pid)
  }

  /** In milliseconds. */
  totalMs(serverPid: number): number {
    const threads = `/proc/${serverPid}/task`
    const server = readdirSync(threads).map((thread) => threadNs(`${threads}/${thread}`))
    const backends = this.#backends.map((pid) => threadNs(`/proc/${pid}`))
    return [...server, ...backends].reduce((sum, ns) => sum + ns, 0) / 1e6
  }
}

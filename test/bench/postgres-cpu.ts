import { readdirSync, readFileSync } from 'node:fs'
import type { Sql } from '../../subgraphs/kernel/database/sql.ts'

const ticksPerSecond = 100

/** The fields of `/proc/<pid>/stat` after the name of the process; null when the process has ended. */
function statOf(pid: string): string[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return null
  }
}

const parentOf = (stat: readonly string[]): string => stat[1]!
const ticksOf = (stat: readonly string[]): number => Number(stat[11]) + Number(stat[12])
/** CPU time of children that have ended, which the kernel adds to their parent. */
const ticksOfEnded = (stat: readonly string[]): number => Number(stat[13]) + Number(stat[14])

/** The CPU time of a PostgreSQL server on this machine: the postmaster and all its processes, also those that have ended. */
export class PostgresCpu {
  private constructor(private readonly postmaster: string) {}

  static async of(database: Sql): Promise<PostgresCpu> {
    const [row] = await database.query<{ pid: number }>('select pg_backend_pid() as pid')
    const stat = statOf(String(row!.pid))
    if (!stat) throw new Error('The PostgreSQL server must run on this machine, so that its CPU time can be read.')
    return new PostgresCpu(parentOf(stat))
  }

  /** In microseconds since the server started. */
  cpuUs(): number {
    const own = statOf(this.postmaster)!
    const children = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(statOf)
      .filter((stat) => stat !== null && parentOf(stat) === this.postmaster) as string[][]
    const ticks = [own, ...children].reduce((sum, stat) => sum + ticksOf(stat), ticksOfEnded(own))
    return (ticks * 1e6) / ticksPerSecond
  }
}

import type { BenchOptions } from './options.ts'
import type { PostgresCpu } from './postgres-cpu.ts'
import type { Load, Server } from './processes.ts'

/** A server with the requests that it is measured with. */
export interface Contender {
  readonly name: string
  readonly server: Server
  readonly requests: readonly string[]
}

export interface Round {
  readonly cpuUs: number
  /** CPU time of PostgreSQL per answer. */
  readonly postgresCpuUs: number
  readonly perSecond: number
  readonly medianMs: number
  readonly p99Ms: number
}

export type Rounds = ReadonlyMap<string, readonly Round[]>

export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

export interface Measuring {
  readonly load: Load
  readonly postgres: PostgresCpu
  readonly options: BenchOptions
}

async function roundOf(
  { load, postgres, options: { connections } }: Measuring,
  { server, requests }: Contender,
  durationMs: number,
): Promise<Round> {
  const [before, postgresBefore] = [server.cpuUs(), postgres.cpuUs()]
  const { answers, seconds, medianMs, p99Ms } = await load.run({ port: server.port, requests, connections, durationMs })
  const [cpuUs, postgresCpuUs] = [server.cpuUs() - before, postgres.cpuUs() - postgresBefore]
  return {
    cpuUs: cpuUs / answers,
    postgresCpuUs: postgresCpuUs / answers,
    perSecond: answers / seconds,
    medianMs,
    p99Ms,
  }
}

/** Measures the servers in alternating rounds, so that other load on the machine affects all of them. */
export async function alternate(measuring: Measuring, contenders: readonly Contender[]): Promise<Rounds> {
  const { rounds, roundMs, warmUpMs } = measuring.options
  for (const contender of contenders) await roundOf(measuring, contender, warmUpMs)
  const found = new Map<string, Round[]>(contenders.map(({ name }) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (const contender of contenders) found.get(contender.name)!.push(await roundOf(measuring, contender, roundMs))
  }
  return found
}

/** For each round, the figure of one server divided by the figure of the other. */
export function ratios(rounds: Rounds, above: string, below: string, figure: keyof Round): number[] {
  return rounds.get(above)!.map((round, index) => round[figure] / rounds.get(below)![index]![figure])
}

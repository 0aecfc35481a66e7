import type { HttpRequest } from '../scenarios.ts'
import type { Answered, Client } from './client.ts'
import type { Goal, Probe } from './probe.ts'

/** The goals of the project, in milliseconds. */
const goals = { page: { p50: 25, p95: 100 }, counted: { p50: 100, p95: Infinity } }
/** The largest number of matches for which an exact total has a goal. */
const countedMax = 200_000

const warmUps = 2
const stepsOfWalk = 6
/** A slow probe ends after this time, with fewer values. */
const probeMs = 10_000

interface Sample extends Answered {
  readonly request: HttpRequest
}

/** One line of the report. */
export interface Row {
  readonly probe: Probe
  readonly label: string
  readonly samples: readonly Sample[]
  readonly p50: number
  readonly p95: number
  /** CPU time of the server and PostgreSQL for one request. */
  readonly cpu: { readonly p50: number; readonly p95: number }
  /** Null when no goal applies. */
  readonly isReached: boolean | null
  /** Distinct codes of refused requests. */
  readonly refusals: readonly string[]
}

export const slowestOf = ({ samples }: Row): Sample =>
  samples.reduce((slowest, one) => (one.ms > slowest.ms ? one : slowest))

/** With more than `count` values, these many of them are measured; fewer are requested again until there are as many samples. */
export async function measureProbe(client: Client, probe: Probe, count: number): Promise<Row[]> {
  await client.findConnections()
  const samples = await samplesOf(client, { ...probe, requests: spread(probe.requests, count) }, count)
  const { name } = probe
  if (!probe.hasTotal) return rowsOf(probe, name, samples, probe.goal ?? goals.page)
  if (probe.isTotalFree) return rowsOf(probe, `${name}, total`, samples, goals.page)
  const { counted = [], large = [] } = Object.groupBy(samples, ({ body }) =>
    (body.total ?? 0) <= countedMax ? 'counted' : 'large',
  )
  return [
    ...rowsOf(probe, `${name}, total`, counted, goals.counted),
    ...rowsOf(probe, `${name}, total over ${countedMax}`, large, null),
  ]
}

/** `count` of the requests, at equal distances. */
function spread<T>(all: readonly T[], count: number): T[] {
  return all.filter(
    (_, index) => Math.floor((index * count) / all.length) !== Math.floor(((index - 1) * count) / all.length),
  )
}

function quantiles(values: readonly number[]): { p50: number; p95: number } {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (part: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]!
  return { p50: at(0.5), p95: at(0.95) }
}

async function samplesOf(client: Client, { requests, follow }: Probe, count: number): Promise<Sample[]> {
  const samples: Sample[] = []
  const deadline = performance.now() + probeMs
  const isLate = (): boolean => performance.now() > deadline
  const measure = async (request: HttpRequest): Promise<Answered> => {
    const answered = await client.send(request)
    samples.push({ ...answered, request })
    return answered
  }
  if (!follow) {
    for (const request of requests.slice(0, warmUps)) await client.send(request)
    for (let index = 0; index < Math.max(requests.length, count) && !isLate(); index++)
      await measure(requests[index % requests.length]!)
    return samples
  }
  for (const start of requests) {
    const begun = await client.send(start)
    // A start that is refused is shown, because it hides the walk.
    if (begun.refusal) samples.push({ ...begun, request: start })
    let { body } = begun
    for (let step = 0; step < stepsOfWalk && !isLate(); step++) {
      const next = follow(body)
      if (!next) break
      body = (await measure(next)).body
    }
  }
  return samples
}

function rowsOf(probe: Probe, label: string, samples: readonly Sample[], goal: Goal | null): Row[] {
  if (samples.length === 0) return []
  const { p50, p95 } = quantiles(samples.map(({ ms }) => ms))
  const cpu = quantiles(samples.map(({ cpuMs }) => cpuMs))
  const refusals = [...new Set(samples.map(({ refusal }) => refusal).filter((code) => code !== null))]
  const isReached = goal && p50 <= goal.p50 && p95 <= goal.p95 && refusals.length === 0
  return [{ probe, label, samples, p50, p95, cpu, isReached, refusals }]
}

import type { Bench } from './against-baselines.ts'
import { alternate, median, ratios } from './measure.ts'
import type { Server } from './processes.ts'
import { atMost, type Finding } from './report.ts'
import { scenarios, wireFormOf, type Scenario } from './scenarios.ts'

const sliceMs = 2_000

const requestsOf = ({ tenants, ids }: Bench, { tenant, project }: Scenario): string[] =>
  ids.map((id) => wireFormOf(project(id), tenants[tenant]))

/** Memory and speed of a process that has served all scenarios in turn for a long time, compared with a process that has just started. */
export async function measureAging(bench: Bench, aged: Server, startFresh: () => Promise<Server>): Promise<Finding[]> {
  const { connections, agingMs } = bench.options
  let rssMb = 0
  const until = performance.now() + agingMs
  while (performance.now() < until) {
    for (const scenario of scenarios) {
      const requests = requestsOf(bench, scenario)
      await bench.load.run({ port: aged.port, requests, connections, durationMs: sliceMs })
      rssMb = Math.max(rssMb, aged.rssMb())
    }
  }
  const minutes = Math.round(agingMs / 60_000)
  const findings = [atMost(`RSS during ${minutes} min of mixed load`, rssMb, 350, ' MB')]
  console.error(`${findings[0]!.what}: ${findings[0]!.figure}`)
  const fresh = await startFresh()
  try {
    for (const scenario of scenarios) {
      const requests = requestsOf(bench, scenario)
      const pair = [
        { name: 'aged', server: aged, requests },
        { name: 'fresh', server: fresh, requests },
      ]
      const slower = median(ratios(await alternate(bench, pair), 'aged', 'fresh', 'cpuUs'))
      findings.push(atMost(`${scenario.title}: CPU after ${minutes} min / CPU of a fresh process`, slower, 1.1, 'x'))
    }
    return findings
  } finally {
    await fresh.stop()
  }
}

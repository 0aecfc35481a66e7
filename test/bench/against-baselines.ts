import { alternate, median, ratios, type Contender, type Measuring, type Rounds } from './measure.ts'
import type { Server } from './processes.ts'
import { atLeast, atMost, tableOf, type Finding } from './report.ts'
import { wireFormOf, type Scenario } from './scenarios.ts'
import type { Tenants } from './tenants.ts'
import { verifyAnswers } from './verify.ts'

export interface Bench extends Measuring {
  readonly tenants: Tenants
  /** Ids of accounts of the main organization. */
  readonly ids: readonly string[]
}

export interface Servers {
  readonly project: Server
  readonly raw: Server
  readonly express: Server
}

const verifiedIds = 3
/** Maximum of the project's p99 divided by that of the raw baseline. */
const p99TimesMax = 1.5

/** Measures one scenario, prints the figures of every server and returns the findings that have a goal. */
export async function measureScenario(scenario: Scenario, servers: Servers, bench: Bench): Promise<Finding[]> {
  const { project, raw, express } = servers
  const { ids } = bench
  const tenant = bench.tenants[scenario.tenant]
  await verifyAnswers(scenario, { project, baselines: [raw, express], tenant, ids: ids.slice(0, verifiedIds) })

  const baselineRequests = ids.map((id) => wireFormOf(scenario.baseline(id), null))
  const contenders: Contender[] = [
    { name: 'raw baseline', server: raw, requests: baselineRequests },
    { name: 'project', server: project, requests: ids.map((id) => wireFormOf(scenario.project(id), tenant)) },
    { name: 'express baseline', server: express, requests: baselineRequests },
  ]
  const { counting, before } = scenario
  if (counting)
    contenders.push({ name: 'counting baseline', server: raw, requests: [wireFormOf(counting.baseline, null)] })
  const rounds = await alternate(bench, contenders)
  console.log(`\n${scenario.title}\n${figuresOf(rounds)}`)

  const perRound = ratios(rounds, 'raw baseline', 'project', 'cpuUs')
  const range = `(${Math.min(...perRound).toFixed(2)} to ${Math.max(...perRound).toFixed(2)})`
  const findings = [atLeast(`${scenario.title}: CPU of baseline / project`, median(perRound), scenario.goal, range)]
  const slower = median(ratios(rounds, 'project', 'raw baseline', 'p99Ms'))
  findings.push(atMost(`${scenario.title}: p99 of project / baseline`, slower, p99TimesMax, 'x'))
  if (counting) {
    const faster = median(ratios(rounds, 'project', 'counting baseline', 'perSecond'))
    findings.push(atLeast(`${scenario.title}: req/s of project / counting baseline`, faster, counting.goal, ''))
  }
  if (before) {
    // In rounds of their own, because the project reacts to all events in the database, also to those of the baselines.
    const fewer = { name: 'fewer indexes', server: raw, requests: [wireFormOf(before.baseline, null)] }
    const pairs = await alternate(bench, [contenders[1]!, fewer])
    console.log(`\n${scenario.title}, against a table with fewer indexes\n${figuresOf(pairs)}`)
    const times = median(ratios(pairs, 'project', 'fewer indexes', 'postgresCpuUs'))
    findings.push(atMost(`${scenario.title}: CPU of PostgreSQL / with fewer indexes`, times, before.timesMax, 'x'))
  }
  return findings
}

function figuresOf(rounds: Rounds): string {
  const rows = [...rounds].map(([name, found]) => {
    const of = (figure: keyof (typeof found)[number]): number[] => found.map((round) => round[figure])
    const cpu = of('cpuUs')
    return [
      name,
      median(of('perSecond')).toFixed(0),
      median(cpu).toFixed(0),
      Math.min(...cpu).toFixed(0),
      median(of('postgresCpuUs')).toFixed(0),
      median(of('medianMs')).toFixed(1),
      median(of('p99Ms')).toFixed(1),
    ]
  })
  return tableOf(['', 'req/s', 'CPU us', 'least', 'PostgreSQL CPU us', 'p50 ms', 'p99 ms'], rows)
}

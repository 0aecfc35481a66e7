import { mkdtemp, readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { OpenServices } from '../../subgraphs/kernel/services.ts'
import type { Bench } from './against-baselines.ts'
import { startProject } from './processes.ts'
import { tableOf } from './report.ts'
import { wireFormOf, type Scenario } from './scenarios.ts'

interface ProfileNode {
  readonly id: number
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
}

interface CpuProfile {
  readonly nodes: readonly ProfileNode[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

const shown = 45
const loadMs = 8000

/** Prints the CPU profile of the project for one scenario: functions by self time, including startup. */
export async function profileScenario(scenario: Scenario, bench: Bench, services: OpenServices): Promise<void> {
  const { ids, load, options } = bench
  const folder = await mkdtemp(join(tmpdir(), 'crm-profile-'))
  const nodeOptions = ['--cpu-prof', `--cpu-prof-dir=${folder}`, '--cpu-prof-interval=500']
  const project = await startProject({ dataDir: folder, services, nodeOptions })
  const requests = ids.map((id) => wireFormOf(scenario.project(id), bench.tenants[scenario.tenant]))
  const { answers } = await load
    .run({ port: project.port, requests, connections: options.connections, durationMs: loadMs })
    .finally(() => project.stop())
  const name = (await readdir(folder)).find((file) => file.endsWith('.cpuprofile'))
  const file = join(folder, name!)
  console.log(
    `\n${scenario.title}: ${file}\n${selfTimes(JSON.parse(await readFile(file, 'utf8')) as CpuProfile, answers)}`,
  )
}

function selfTimes({ nodes, samples, timeDeltas }: CpuProfile, answers: number): string {
  const byId = new Map(nodes.map((node) => [node.id, node.callFrame]))
  const times = new Map<string, number>()
  samples.forEach((sample, index) => {
    const { functionName, url, lineNumber } = byId.get(sample)!
    const place = url.replace(/^.*\/(node_modules|dist)\//, '')
    const key = `${functionName || '(anonymous)'}  ${place}${place ? `:${lineNumber + 1}` : ''}`
    times.set(key, (times.get(key) ?? 0) + timeDeltas[index]!)
  })
  const rows = [...times].sort(([, a], [, b]) => b - a).slice(0, shown)
  return tableOf(
    ['us per request', 'function'],
    rows.map(([key, time]) => [(time / answers).toFixed(1), key]),
  )
}

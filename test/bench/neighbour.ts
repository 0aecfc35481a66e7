import type { OpenServices } from '../../subgraphs/kernel/services.ts'
import { OneConnection } from './customer-graph.ts'
import { median } from './measure.ts'
import type { Server } from './processes.ts'
import { atMost, type Finding } from './report.ts'
import { get, post } from './scenarios.ts'
import { openAdministrator } from './tenants.ts'

const reads = 200

/** How long another organization waits for a record during this work, beside the same reads before it. */
export async function measureNeighbour(
  services: OpenServices,
  project: Server,
  what: string,
  work: () => Promise<unknown>,
): Promise<Finding> {
  const { secret } = await openAdministrator(services)
  const client = new OneConnection(project, secret)
  const { id } = (await client.send(post('/v1/accounts', { name: 'Quiet' }))).body as { id: string }
  const p95 = () => client.percentileOf(() => get(`/v1/accounts/${id}`), 0.95, reads)
  await p95()
  const alone = median([await p95(), await p95(), await p95()])
  const progress = { isDone: false }
  const ended = work().finally(() => (progress.isDone = true))
  const beside: number[] = []
  while (!progress.isDone) beside.push(await p95())
  await ended
  return atMost(
    `Reads by id of another tenant beside ${what}: p95 / p95 without`,
    median(beside) / alone,
    1.3,
    'x',
    `${median(beside).toFixed(1)} and ${alone.toFixed(1)} ms`,
  )
}

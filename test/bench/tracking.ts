import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { OpenServices } from '../../subgraphs/kernel/services.ts'
import { trackedPath } from '../../subgraphs/outreach/email/tracked-path.ts'
import { trackingToken } from '../../subgraphs/outreach/email/tracking-token.ts'
import type { Bench } from './against-baselines.ts'
import { OneConnection } from './customer-graph.ts'
import type { HitsOrder } from './hits-process.ts'
import { median } from './measure.ts'
import type { Server } from './processes.ts'
import { atMost, type Finding } from './report.ts'
import { sampleIds, type Tenant } from './tenants.ts'

/** Below the number of hits of one mail that are stored. */
const mails = 2_000
const hitsPerSecond = 100
const [rounds, readsPerRound] = [8, 300]
const link = 'https://fjordline.example/slots'

/** Opens and clicks of the mails of one organization, and reads by id of another one at the same time. */
export async function measureTracking(
  { tenants: { main, writing } }: Bench,
  project: Server,
  services: OpenServices,
): Promise<Finding[]> {
  const paths = await trackedPaths(services, main)
  const ids = await sampleIds(services, writing, 100)
  const reader = new OneConnection(project, writing.secret)
  let reads = 0
  const p95 = () =>
    reader.percentileOf(
      () => ({ method: 'GET', path: `/v1/accounts/${ids[reads++ % ids.length]!}` }),
      0.95,
      readsPerRound,
    )
  const hitMs: number[] = []
  await p95()
  const ratios: number[] = []
  const client = fork(join(import.meta.dirname, 'hits-process.ts'), { execArgv: [] })
  const order: HitsOrder = { port: project.port, paths, perSecond: hitsPerSecond }
  try {
    for (let round = 0; round < rounds; round++) {
      const alone = await p95()
      client.send(order)
      ratios.push((await p95()) / alone)
      client.send(null as never)
      const [{ times, failure }] = (await once(client, 'message')) as [{ times?: number[]; failure?: string }]
      if (!times) throw new Error(failure)
      hitMs.push(...times)
    }
  } finally {
    client.kill()
  }
  return [
    atMost(`An open or a click, ${hitsPerSecond} a second: p50 of ${hitMs.length}`, median(hitMs), 5, ' ms'),
    atMost('Reads by id of another tenant meanwhile: p95 / p95 without', median(ratios), 1.5, 'x'),
  ]
}

/** Sent mails with one link each, and the addresses of their pixels and links. */
async function trackedPaths({ database, keys }: OpenServices, { organizationId, ownerId }: Tenant): Promise<string[]> {
  const common = 'organization_id, id, owner_id, created_at, updated_at, version, custom_fields'
  const inserted = await database.query<{ id: string }>(
    `with thread as (
       insert into outreach.email_thread (${common}, subject, status)
       select $1, gen_random_uuid(), $2, now(), now(), 1, '{}', 'Bench ' || n, 'AWAITING_RESPONSE' from generate_series(1, $3::int) n
       returning id
     )
     insert into outreach.email_message (${common}, thread_id, direction, kind, from_email, to_emails, subject, body_text, status, sent_at, links)
     select $1, gen_random_uuid(), $2, now(), now(), 1, '{}', id, 'OUTBOUND', 'MAIL', 'ann@bench.example', '{ida@bench.example}', 'Bench', 'Bench',
       'SENT', now(), array[$4] from thread returning id`,
    [organizationId, ownerId, mails, link],
  )
  return inserted.flatMap(({ id: messageId }) =>
    (['OPEN', 'CLICK'] as const).map(
      (kind) => `${trackedPath[kind]}/${trackingToken(keys, kind, { organizationId, messageId, link: 0 })}`,
    ),
  )
}

import { setTimeout as delay } from 'node:timers/promises'
import type { OpenServices } from '../../subgraphs/kernel/services.ts'
import { trackedPath } from '../../subgraphs/outreach/email/tracked-path.ts'
import { trackingToken } from '../../subgraphs/outreach/email/tracking-token.ts'
import type { Bench } from './against-baselines.ts'
import { OneConnection } from './customer-graph.ts'
import { median } from './measure.ts'
import type { Server } from './processes.ts'
import { atMost, type Finding } from './report.ts'
import { sampleIds, type Tenant } from './tenants.ts'

/** Below the number of hits of one mail that are stored. */
const mails = 2_000
const hitsPerSecond = 100
const [rounds, readsPerRound] = [8, 300]
const link = 'https://fjordline.example/slots'
const person = 'Mozilla/5.0 (X11; Linux x86_64) Firefox/130.0'

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
  for (let round = 0; round < rounds; round++) {
    const alone = await p95()
    const sending = new AbortController()
    const hits = sendHits(project, paths, hitMs, sending.signal)
    ratios.push((await p95()) / alone)
    sending.abort()
    await hits
  }
  return [
    atMost(`An open or a click, ${hitsPerSecond} a second: p50 of ${hitMs.length}`, median(hitMs), 5, ' ms'),
    atMost('Reads by id of another tenant meanwhile: p95 / p95 without', median(ratios), 1.5, 'x'),
  ]
}

/** Opens and clicks in turn, at a steady rate; a slow answer does not delay the next one. */
async function sendHits(
  { port }: Server,
  paths: readonly string[],
  hitMs: number[],
  signal: AbortSignal,
): Promise<void> {
  const running = new Set<Promise<void>>()
  const hit = async (path: string): Promise<void> => {
    const began = performance.now()
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      headers: { 'user-agent': person },
      redirect: 'manual',
    })
    await answer.arrayBuffer()
    hitMs.push(performance.now() - began)
    if (answer.status !== 200 && answer.status !== 302) throw new Error(`${path} answered ${answer.status}.`)
  }
  for (let number = 0; !signal.aborted; number++) {
    const sent: Promise<void> = hit(paths[(hitMs.length + number) % paths.length]!).finally(() => running.delete(sent))
    running.add(sent)
    await delay(1000 / hitsPerSecond)
  }
  await Promise.all(running)
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

import { pino } from 'pino'
import { afterEach, expect, it } from 'vitest'
import { newId } from '../../kernel/ids.ts'
import { usePlatform } from '../../../test/platform.ts'
import { listenersMax } from './listen-limits.ts'
import { ListenSlots } from './listen-slots.ts'

const platform = usePlatform()
const log = pino({ level: 'silent' })
const opened: ListenSlots[] = []

/** The slots of one process, which renews them only when the test says so. */
function aProcess(leaseMs?: number): ListenSlots {
  const { database, tenants } = platform.services
  const slots = new ListenSlots({ database, tenants, log, renewMs: 1_000_000, ...(leaseMs && { leaseMs }) })
  opened.push(slots)
  return slots
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map((slots) => slots.close()))
})

const ignore = () => {}
const limit = { code: 'STREAM_LIMIT_REACHED', extensions: { limit: 5, retryAfter: 5 } }
const expire = (organizationId: string) =>
  platform.query(`update events.listen_slot set until = now() where organization_id = $1`, [organizationId])

it('gives five streams of an organization a slot, over all processes, also when they begin at the same time', async () => {
  const organizationId = newId()
  const processes = [aProcess(), aProcess()]
  const taken = await Promise.allSettled(
    Array.from({ length: 20 }, (_, index) => processes[index % 2]!.take(organizationId, ignore)),
  )
  const held = taken.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  expect(held).toHaveLength(listenersMax)
  await expect(processes[0]!.take(organizationId, ignore)).rejects.toMatchObject(limit)
  await processes[0]!.take(newId(), ignore)
  held[0]!.release()
  held[0]!.release()
  await expect
    .poll(() =>
      processes[1]!.take(organizationId, ignore).then(
        () => 'taken',
        () => 'refused',
      ),
    )
    .toBe('taken')
  await expect(processes[0]!.take(organizationId, ignore)).rejects.toMatchObject(limit)
})

it('keeps a lease of 45 seconds, so the slots of a process that ended are free within a minute', async () => {
  const organizationId = newId()
  const dead = aProcess()
  for (let slot = 0; slot < listenersMax; slot++) await dead.take(organizationId, ignore)
  const [row] = await platform.query<{ seconds: number }>(
    `select max(extract(epoch from until - now()))::int as seconds from events.listen_slot where organization_id = $1`,
    [organizationId],
  )
  expect(row!.seconds).toBeGreaterThan(30)
  expect(row!.seconds).toBeLessThanOrEqual(45)
  await expire(organizationId)
  await aProcess().take(organizationId, ignore)
})

it('renews the slots of a process, and tells a stream whose slot another one has taken', async () => {
  const organizationId = newId()
  const paused = aProcess()
  const lost: number[] = []
  for (let slot = 0; slot < listenersMax; slot++) await paused.take(organizationId, () => lost.push(slot))
  await expire(organizationId)
  await paused.renew()
  await expect(aProcess().take(organizationId, ignore)).rejects.toMatchObject(limit)
  expect(lost).toEqual([])
  await expire(organizationId)
  await aProcess().take(organizationId, ignore)
  await paused.renew()
  expect(lost).toHaveLength(1)
})

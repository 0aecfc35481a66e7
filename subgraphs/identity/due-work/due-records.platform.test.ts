import { describe, expect, it } from 'vitest'
import { usePlatform } from '../../../test/platform.ts'
import { jobs } from '../../all.ts'
import { taskOverdue } from '../../crm/task/task-overdue.job.ts'
import { task } from '../../crm/task/task.record.ts'
import type { Job } from '../../kernel/jobs/job.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import { systemContext } from '../../kernel/request.ts'
import { resumeOrganization, suspendOrganization } from '../public.ts'
import type { DueJob } from './due-records.ts'

const platform = usePlatform()

const hourMs = 3_600_000

async function tasksDue(organizationId: string, count: number, dueInHours: number): Promise<string[]> {
  const ctx = systemContext(platform.services, organizationId)
  const dueDate = new Date(platform.now.getTime() + dueInHours * hourMs).toISOString()
  const create = (index: number) => recordsOf(task).create(ctx, { subject: `Task ${index}`, dueDate })
  const created = await Promise.all(Array.from({ length: count }, (_, index) => create(index)))
  return created.map(({ id }) => id)
}

/** The organizations of the tasks that became overdue, in the order of the events. */
async function turns(): Promise<string[]> {
  const rows = await platform.query<{ organization: string }>(
    `select organization_id as organization from kernel.event where type = 'task.overdue' order by id`,
  )
  return rows.map(({ organization }) => organization)
}

const overdueCount = async (ids: readonly string[]) =>
  (await platform.query('select 1 from crm.task where id = any($1::uuid[]) and is_overdue', [ids])).length

it('organizations take turns: one with many due records, also older ones, does not keep another one waiting', async () => {
  const [large, small] = [await platform.organization('Large'), await platform.organization('Small')]
  await tasksDue(large, 45, 1)
  await tasksDue(small, 1, 2)
  platform.advanceClock(2 * hourMs)
  await taskOverdue.run(platform.services)
  const order = await turns()
  expect(order.length).toBe(46)
  expect(order.indexOf(small)).toBeLessThanOrEqual(20)
})

it('leaves a suspended organization alone until it is resumed', async () => {
  const [suspended, active] = [await platform.organization('Suspended'), await platform.organization('Active')]
  const [theirs, others] = [await tasksDue(suspended, 2, 1), await tasksDue(active, 2, 1)]
  platform.advanceClock(hourMs)
  await suspendOrganization(platform.services, suspended)
  await taskOverdue.run(platform.services)
  expect([await overdueCount(theirs), await overdueCount(others)]).toEqual([0, 2])
  await resumeOrganization(platform.services, suspended)
  await taskOverdue.run(platform.services)
  expect(await overdueCount(theirs)).toBe(2)
})

const isDueJob = (job: Job): job is DueJob => 'statements' in job

describe('finds what is due along an index, without reading or sorting the rest', () => {
  it.each(jobs.filter(isDueJob).map((job) => [job.name, job.statements] as const))('%s', async (_, statements) => {
    const plans = await platform.inSeparateTransaction(async (sql) => {
      for (const setting of ['enable_seqscan', 'enable_bitmapscan', 'enable_sort', 'enable_incremental_sort'])
        await sql.query(`set local ${setting} = off`)
      const explain = async (statement: string, values: readonly unknown[]) =>
        JSON.stringify(await sql.query(`explain ${statement}`, values))
      const now = platform.now.toISOString()
      const id = '019a0c5e-7f00-7000-8a10-2f6b9d4c7e01'
      return [
        await explain(statements.organizationsSql, [now, now]),
        await explain(statements.recordsSql, [now, now, id, now, id]),
      ]
    })
    for (const plan of plans) {
      expect(plan).not.toMatch(/Seq Scan|Sort/)
      expect(plan).toMatch(/Index Cond: \(\(?\w*\.?organization_id/)
    }
  })
})

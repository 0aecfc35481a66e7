import { activeOrganizations } from '../../identity/public.ts'
import type { Sql } from '../../kernel/database/sql.ts'
import { newId } from '../../kernel/ids.ts'
import type { Job } from '../../kernel/jobs/job.ts'
import type { Services } from '../../kernel/request.ts'
import { nextTick } from '../function/schedule.ts'
import { startTable } from './subscription.migrations.ts'

/** Schedules of one transaction. */
const batch = 200

interface Schedule {
  readonly organizationId: string
  readonly functionId: string
  readonly schedule: string
  readonly after: string
  readonly nextRunAt: string | null
}

/**
 * Queues the functions of active organizations whose time has come. Times that nobody was there for are one late start. The start and the next time are written together, and
 * a worker passes over what another one holds, so that a time starts a function once.
 */
export async function startScheduled({ database, clock }: Pick<Services, 'database' | 'clock'>): Promise<void> {
  while (await database.transaction((sql) => startNext(sql, clock.now()))) continue
}

/** True if there may be more. */
async function startNext(sql: Sql, now: Date): Promise<boolean> {
  const due = await sql.query<Schedule & Record<string, unknown>>(
    `select organization_id as "organizationId", function_id as "functionId", schedule, after, next_run_at as "nextRunAt"
     from extensions.function_schedule s join ${activeOrganizations('o')} on o.id = s.organization_id
     where next_run_at is null or next_run_at <= $1
     order by next_run_at nulls first limit ${batch} for update of s skip locked`,
    [now.toISOString()],
  )
  if (due.length === 0) return false
  const decided = due.map((one) => {
    const tick = one.nextRunAt ? new Date(one.nextRunAt) : nextTick(one.schedule, new Date(one.after))
    const isDue = tick !== null && tick <= now
    const next = isDue ? nextTick(one.schedule, now) : tick
    return {
      id: newId(),
      organizationId: one.organizationId,
      functionId: one.functionId,
      tick: isDue ? tick.toISOString() : null,
      // A schedule that never comes true again.
      next: next?.toISOString() ?? 'infinity',
    }
  })
  await sql.query(
    `with decided as (
       select * from jsonb_to_recordset($1::jsonb) as d(
         id uuid, "organizationId" uuid, "functionId" uuid, tick timestamptz, next timestamptz)
     ), moved as (
       update extensions.function_schedule s set next_run_at = d.next from decided d
       where s.organization_id = d."organizationId" and s.function_id = d."functionId"
     )
     insert into ${startTable.table} (organization_id, id, function_id, scheduled_for, depth)
     select "organizationId", id, "functionId", tick, 1 from decided where tick is not null
     on conflict do nothing`,
    [JSON.stringify(decided)],
  )
  return due.length === batch
}

export const scheduleJobs: readonly Job[] = [
  { name: 'functions.startScheduled', cron: '* * * * *', run: startScheduled },
]

import { activeOrganizations, actingCaller } from '../../identity/public.ts'
import { compileStoredConditions } from '../../kernel/condition/conditions.ts'
import type { Sql } from '../../kernel/database/sql.ts'
import type { Job } from '../../kernel/jobs/job.ts'
import { systemContext, type Services } from '../../kernel/request.ts'
import { nextTick } from '../function/schedule.ts'
import { fieldsOfRecord } from './condition-scope.ts'
import { objectNamed, shapeOf } from './objects.ts'
import { seenRecord } from './run-scope.ts'
import { activeColumns } from './start-by-event.ts'
import { startRun } from './start-run.ts'
import type { Workflow } from './workflow.ts'

/** Schedules of one round. */
const batch = 50
const roundsMax = 100
/** Records that the time of a field starts in one minute: fewer than the starts that pause a workflow. */
const recordsMax = 400
const minuteMs = 60_000

interface Schedule extends Record<string, unknown> {
  readonly organizationId: string
  readonly workflowId: string
  readonly cron: string | null
  readonly field: string | null
  readonly offsetMinutes: number
  readonly after: string
  readonly afterId: string | null
  readonly nextRunAt: string | null
}

const columns = `organization_id as "organizationId", workflow_id as "workflowId", cron, field, offset_minutes as "offsetMinutes", after,
  after_id as "afterId", next_run_at as "nextRunAt"`

/** Starts the workflows of active organizations whose time has come, once for each time. Times that nobody was there for are one late start. */
export const startByTime: Job = {
  name: 'workflows.startByTime',
  cron: '* * * * *',
  async run(services) {
    const now = services.clock.now()
    for (let round = 0; round < roundsMax; round++) {
      const due = await services.database.query<Schedule>(
        `select ${columns} from extensions.workflow_schedule s join ${activeOrganizations('o')} on o.id = s.organization_id
         where next_run_at is null or next_run_at <= $1 order by next_run_at nulls first limit ${batch}`,
        [now.toISOString()],
      )
      for (const { organizationId, workflowId } of due) await startOne(services, organizationId, workflowId, now)
      if (due.length < batch) return
    }
  },
}

/** The start and the next time are written together, and a worker passes over what another one holds. */
async function startOne(services: Services, organizationId: string, workflowId: string, now: Date): Promise<void> {
  await services.shapes.load(organizationId)
  return services.database.transaction(async (sql) => {
    const [schedule] = await sql.query<Schedule>(
      `select ${columns} from extensions.workflow_schedule where organization_id = $1 and workflow_id = $2
         and (next_run_at is null or next_run_at <= $3) for update skip locked`,
      [organizationId, workflowId, now.toISOString()],
    )
    if (!schedule) return
    const [workflow] = await sql.query<Workflow & Record<string, unknown>>(
      `select ${activeColumns} from extensions.workflow
       where organization_id = $1 and id = $2 and status = 'ACTIVE' and deleted_at is null`,
      [organizationId, workflowId],
    )
    if (!workflow) return
    const next =
      schedule.cron === null
        ? await startForRecords(services, sql, schedule, workflow, now)
        : await startBySchedule(services, sql, schedule, workflow, now)
    await sql.query(
      `update extensions.workflow_schedule set next_run_at = $3, after = $4, after_id = $5
       where organization_id = $1 and workflow_id = $2`,
      [organizationId, workflowId, next.at, next.after, next.afterId],
    )
  })
}

interface Next {
  readonly at: string
  readonly after: string
  readonly afterId: string | null
}

async function startBySchedule(
  services: Services,
  sql: Sql,
  { organizationId, cron, after, nextRunAt }: Schedule,
  workflow: Workflow,
  now: Date,
): Promise<Next> {
  const tick = nextRunAt ? new Date(nextRunAt) : nextTick(cron!, new Date(after))
  const isDue = tick !== null && tick <= now
  if (isDue) {
    const ctx = { ...systemContext(services, organizationId), db: sql }
    const startKey = `tick:${tick.toISOString()}`
    await startRun(ctx, { workflow, triggerType: 'TIME_BASED', depth: 1, startKey })
  }
  const next = isDue ? nextTick(cron!, now) : tick
  return { at: next?.toISOString() ?? 'infinity', after, afterId: null }
}

interface DueRecord extends Record<string, unknown> {
  readonly id: string
  readonly time: string
}

/** Records whose time came since the last one, in the order of their times. */
async function startForRecords(
  services: Services,
  sql: Sql,
  { organizationId, field, offsetMinutes, after, afterId }: Schedule,
  workflow: Workflow,
  now: Date,
): Promise<Next> {
  const object = objectNamed(workflow.triggerEntity)!
  const shape = shapeOf(object)
  const column = shape.columns.byName.get(field!)!.sql('t')
  const shift = -offsetMinutes * minuteMs
  const from = new Date(Date.parse(after) + shift).toISOString()
  const to = new Date(now.getTime() + shift).toISOString()
  const { objectColumn, objectKey } = shape
  const ofObject = objectColumn ? `and ${shape.columns.byName.get(objectColumn)!.sql('t')} = $5` : ''
  const live = shape.columns.byName.has('deletedAt') ? 'and t.deleted_at is null' : ''
  const due = await sql.query<DueRecord>(
    `select t.id, ${column} as time from ${shape.table} t
     where t.organization_id = $1 and ${column} >= $2::timestamptz and ${column} <= $3::timestamptz
       and (${column} > $2::timestamptz or t.id > $4::uuid) ${live} ${ofObject}
     order by ${column}, t.id limit ${recordsMax}`,
    [organizationId, from, to, afterId ?? 'ffffffff-ffff-ffff-ffff-ffffffffffff', ...(objectColumn ? [objectKey] : [])],
  )
  for (const record of due) await startForRecord(services, sql, organizationId, workflow, record, now)
  const soon = new Date(now.getTime() + minuteMs / 2).toISOString()
  if (due.length < recordsMax) return { at: soon, after: now.toISOString(), afterId: null }
  const last = due.at(-1)!
  return { at: soon, after: new Date(Date.parse(last.time) - shift).toISOString(), afterId: last.id }
}

async function startForRecord(
  services: Services,
  sql: Sql,
  organizationId: string,
  workflow: Workflow,
  { id, time }: DueRecord,
  now: Date,
): Promise<void> {
  const object = objectNamed(workflow.triggerEntity)!
  const caller = await actingCaller(sql, {
    organizationId,
    userId: workflow.runAsUserId,
    scopes: ['*'],
    runAsAdmin: true,
    origin: { kind: 'WORKFLOW', id: workflow.id, runId: workflow.id },
    depth: 1,
  })
  const record = caller && (await seenRecord(services, caller, object, id, sql))
  if (!record) return
  const { conditions, logic } = workflow
  const fields = fieldsOfRecord(object, services.shapes.shapesOf(organizationId), caller)
  if (!compileStoredConditions({ conditions, logic }, fields)(record, null, now.getTime())) return
  await startRun(
    { ...systemContext(services, organizationId), db: sql },
    {
      workflow,
      triggerType: 'TIME_BASED',
      recordType: workflow.triggerEntity,
      recordId: id,
      depth: 1,
      startKey: `time:${id}:${new Date(time).toISOString()}`,
    },
  )
}

import { DateTime } from 'luxon'
import { activeOrganizations, hasProvenAdministrator } from '../../identity/public.ts'
import { inTurn } from '../../kernel/jobs/in-turn.ts'
import type { Job } from '../../kernel/jobs/job.ts'
import type { Services } from '../../kernel/request.ts'
import { defaultSettings } from './default-settings.ts'
import type { DunningSettings } from './dunning-configuration.ts'
import { dayIn } from '../invoice/invoice-day.ts'
import { dueInvoices, openRun, remindOf, type Due, type Run } from './dunning-run.ts'

/** Organizations whose runs take turns. */
const organizationsAtOnce = 20

interface Enabled {
  readonly organizationId: string
  readonly settings: Partial<DunningSettings>
  readonly timezone: string | null
  /** The last day whose run has ended. */
  readonly finishedDay: string | null
}

interface Progress {
  run: Run
  after: Due | null
  hasFailures: boolean
  /** When the first reminder can be sent of those for which the mails of the organization were used up; null without one. */
  resumeAt: string | null
}

export interface DunningBounds {
  /** Invoices that are read at once; the memory of a run does not depend on the number of invoices. */
  readonly batchSize: number
  /** After this time the job ends, so that other jobs run; the next tick continues. */
  readonly sliceMs: number
}

const usualBounds: DunningBounds = { batchSize: 200, sliceMs: 30_000 }

const enabledSql = `from commerce.dunning_setting s
  join ${activeOrganizations('o')} on o.id = s.organization_id
  where s.settings @> '{"enabled": true}' and ${hasProvenAdministrator('o.id')}`

/** The organizations with automatic reminders in random order, so that long runs of some of them do not always come first. */
async function enabledOrganizations({ database }: Services): Promise<string[]> {
  const rows = await database.query<{ id: string }>(`select s.organization_id as id ${enabledSql} order by random()`)
  return rows.map(({ id }) => id)
}

const settingsOf = ({ database }: Services, organizationIds: readonly string[]): Promise<Enabled[]> =>
  database.query<Enabled & Record<string, unknown>>(
    `select s.organization_id as "organizationId", s.settings, o.settings ->> 'timezone' as timezone,
       (select max(r.day)::text from commerce.dunning_run r
        where r.organization_id = s.organization_id and r.finished_at is not null) as "finishedDay"
     ${enabledSql} and s.organization_id = any($1::uuid[])`,
    [organizationIds],
  )

/** The run of the day with the present settings; null while none is due. */
async function runOf(services: Services, { organizationId, ...enabled }: Enabled): Promise<Run | null> {
  const settings = { ...defaultSettings, ...enabled.settings }
  const zone = settings.timezone ?? enabled.timezone ?? 'UTC'
  const now = services.clock.now()
  if (!isTime(settings, zone, now) || dayIn(zone, now).slice(0, 10) === enabled.finishedDay) return null
  return openRun(services, organizationId, settings, zone)
}

/** The run of the same day with the settings that a user may have changed meanwhile; null if it must not go on. */
async function continued(services: Services, { ctx, today }: Run): Promise<Run | null> {
  const [enabled] = await settingsOf(services, [ctx.caller.organizationId])
  const run = enabled ? await runOf(services, enabled) : null
  return run?.today === today ? run : null
}

/** Whether reminders are sent at this moment by the local clock. */
function isTime({ sendTime, skipWeekends }: DunningSettings, zone: string, now: Date): boolean {
  const local = DateTime.fromJSDate(now, { zone })
  return local.toFormat('HH:mm') >= sendTime && !(skipWeekends && local.weekday > 5)
}

interface StoredProgress {
  readonly isDone: boolean
  readonly dueDate: string | null
  readonly id: string | null
  readonly hasFailures: boolean
  readonly resumeAt: string | null
}

/** Begins or continues the run of the day; null if it has ended. */
async function begin(services: Services, enabled: Enabled): Promise<Progress | null> {
  const run = await runOf(services, enabled)
  if (!run) return null
  const now = services.clock.now().toISOString()
  const [row] = await services.database.query<StoredProgress & Record<string, unknown>>(
    `insert into commerce.dunning_run (organization_id, day, started_at) values ($1, $2::date, $3)
     on conflict (organization_id, day) do update set started_at = commerce.dunning_run.started_at
     returning finished_at is not null as "isDone", after_due_date as "dueDate", after_id as id, has_failures as "hasFailures",
       resume_at as "resumeAt"`,
    [enabled.organizationId, run.today.slice(0, 10), now],
  )
  const { isDone, dueDate, id, hasFailures, resumeAt } = row!
  const after = dueDate !== null && id !== null ? { dueDate, id } : null
  if (isDone || (after === null && resumeAt !== null && resumeAt > now)) return null
  return { run, after, hasFailures, resumeAt: after && resumeAt }
}

/**
 * Handles one batch. The run ends with the last one, unless an invoice failed: then the next tick begins again. If mails were used up, it begins
 * again when there are some. Returns whether there may be more batches.
 */
async function advance(services: Services, progress: Progress, batchSize: number): Promise<boolean> {
  const run = await continued(services, progress.run)
  if (!run) return false
  progress.run = run
  const due = await dueInvoices(run, progress.after, batchSize)
  for (const one of due) {
    try {
      const retryAt = (await remindOf(run, one))?.toISOString() ?? null
      if (retryAt && (progress.resumeAt === null || retryAt < progress.resumeAt)) progress.resumeAt = retryAt
    } catch (error) {
      progress.hasFailures = true
      services.log.error({ err: error, invoiceId: one.id }, 'a reminder failed')
    }
  }
  progress.after = due.at(-1) ?? progress.after
  const isDone = due.length < batchSize
  const isWaiting = isDone && !progress.hasFailures && progress.resumeAt !== null
  const isRepeated = isDone && (progress.hasFailures || isWaiting)
  const { ctx, today } = run
  await services.database.query(
    `update commerce.dunning_run set after_due_date = $3, after_id = $4, has_failures = $5, finished_at = $6, resume_at = $7
     where organization_id = $1 and day = $2::date`,
    [
      ctx.caller.organizationId,
      today.slice(0, 10),
      isRepeated ? null : (progress.after?.dueDate ?? null),
      isRepeated ? null : (progress.after?.id ?? null),
      progress.hasFailures && !isRepeated,
      isDone && !isRepeated ? services.clock.now().toISOString() : null,
      isDone && !isWaiting ? null : progress.resumeAt,
    ],
  )
  if (isWaiting)
    services.log.info(
      { organizationId: ctx.caller.organizationId, resumeAt: progress.resumeAt },
      'reminders wait until the organization may send mails',
    )
  return !isDone
}

/**
 * Sends the reminders of the day in every organization that has them enabled. What is done is in the invoices, so a killed run
 * continues where it was, and runs at the same time send nothing twice. The runs of several organizations take turns.
 */
export async function runDunning(services: Services, { batchSize, sliceMs } = usualBounds): Promise<void> {
  const until = performance.now() + sliceMs
  const waiting = await enabledOrganizations(services)
  do {
    const begun: Progress[] = []
    for (const enabled of await settingsOf(services, waiting.splice(0, organizationsAtOnce))) {
      const progress = await begin(services, enabled)
      if (progress) begun.push(progress)
    }
    await inTurn(begun, (progress) => advance(services, progress, batchSize), { until })
  } while (waiting.length > 0 && performance.now() <= until)
}

export const invoiceDunning: Job = {
  name: 'invoice.dunning',
  cron: '* * * * *',
  run: (services) => runDunning(services),
}

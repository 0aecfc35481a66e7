import { DateTime } from 'luxon'
import type { Job } from '../../kernel/jobs/job.ts'
import type { Services } from '../../kernel/request.ts'
import { defaultSettings } from './default-settings.ts'
import type { DunningSettings } from './dunning-configuration.ts'
import { batchSize, dueInvoices, openRun, remindOf, type Run } from './dunning-run.ts'

/** Organizations whose runs take turns. */
const organizationsAtOnce = 20

interface Enabled {
  readonly organizationId: string
  readonly settings: Partial<DunningSettings>
  readonly timezone: string | null
}

interface Progress {
  readonly run: Run
  after: { readonly id: string; readonly dueDate: string } | null
  failures: number
  isDone: boolean
}

const enabledAfter = ({ database }: Services, after: string | null): Promise<Enabled[]> =>
  database.query<Enabled & Record<string, unknown>>(
    `select s.organization_id as "organizationId", s.settings, o.settings ->> 'timezone' as timezone
     from commerce.dunning_setting s join identity.organization o on o.id = s.organization_id and o.status = 'ACTIVE'
     where s.settings @> '{"enabled": true}' and ($1::uuid is null or s.organization_id > $1)
     order by s.organization_id limit ${organizationsAtOnce}`,
    [after],
  )

/** Whether reminders are sent at this moment by the local clock. */
function isTime({ sendTime, skipWeekends }: DunningSettings, zone: string, now: Date): boolean {
  const local = DateTime.fromJSDate(now, { zone })
  return local.toFormat('HH:mm') >= sendTime && !(skipWeekends && local.weekday > 5)
}

/** Begins or continues the run of the day; null if it has ended. */
async function begin(services: Services, enabled: Enabled): Promise<Progress | null> {
  const settings = { ...defaultSettings, ...enabled.settings }
  const zone = settings.timezone ?? enabled.timezone ?? 'UTC'
  const now = services.clock.now()
  if (!isTime(settings, zone, now)) return null
  const run = await openRun(services, enabled.organizationId, settings, zone)
  const [row] = await services.database.query<{ isDone: boolean }>(
    `insert into commerce.dunning_run (organization_id, day, started_at) values ($1, $2::date, $3)
     on conflict (organization_id, day) do update set started_at = commerce.dunning_run.started_at
     returning finished_at is not null as "isDone"`,
    [enabled.organizationId, run.today.slice(0, 10), now.toISOString()],
  )
  return row!.isDone ? null : { run, after: null, failures: 0, isDone: false }
}

/** Handles one batch. The run ends with the last one, unless an invoice failed: then the next tick tries it again. */
async function advance(services: Services, progress: Progress): Promise<void> {
  const { run } = progress
  const due = await dueInvoices(run, progress.after)
  for (const one of due) {
    try {
      await remindOf(run, one)
    } catch (error) {
      progress.failures += 1
      services.log.error({ err: error, invoiceId: one.id }, 'a reminder failed')
    }
  }
  progress.after = due.at(-1) ?? progress.after
  if (due.length === batchSize) return
  progress.isDone = true
  if (progress.failures > 0) return
  const { ctx, today } = run
  await services.database.query(
    'update commerce.dunning_run set finished_at = $3 where organization_id = $1 and day = $2::date',
    [ctx.caller.organizationId, today.slice(0, 10), services.clock.now().toISOString()],
  )
}

/**
 * Sends the reminders of the day in every organization that has them enabled. What is done is in the invoices, so a killed run
 * continues where it was, and runs at the same time send nothing twice. The runs of several organizations take turns.
 */
export async function runDunning(services: Services): Promise<void> {
  let last: string | null = null
  do {
    const enabled = await enabledAfter(services, last)
    last = enabled.length === organizationsAtOnce ? enabled.at(-1)!.organizationId : null
    let active: Progress[] = []
    for (const one of enabled) active.push(...[await begin(services, one)].filter((progress) => progress !== null))
    while (active.length > 0) {
      for (const progress of active) await advance(services, progress)
      active = active.filter(({ isDone }) => !isDone)
    }
  } while (last !== null)
}

export const invoiceDunning: Job = { name: 'invoice.dunning', cron: '* * * * *', run: runDunning }

import { eachInBatches } from '../../kernel/jobs/each-in-batches.ts'
import type { Job } from '../../kernel/jobs/job.ts'
import { systemContext, type Services } from '../../kernel/request.ts'
import { passDueDay } from './invoice.actions.ts'
import type { Invoice } from './invoice.ts'

const batchSize = 200

type DueInvoice = Pick<Invoice, 'id' | 'organizationId'> & { dueDate: string }

/** Makes open invoices OVERDUE at the midnight after their due day, in the time zone of their organization. */
export const invoiceOverdue: Job = {
  name: 'invoice.overdue',
  cron: '* * * * *',
  async run(services) {
    const now = services.clock.now().toISOString()
    await eachInBatches(
      (after: DueInvoice | null) => dueInvoices(services, now, after),
      ({ organizationId, id }) => passDueDay(systemContext(services, organizationId), id),
    )
  },
}

/** A day begins fourteen hours earlier in the easternmost time zone than in UTC. */
const dueInvoices = ({ database }: Services, now: string, after: DueInvoice | null): Promise<DueInvoice[]> =>
  database.query<DueInvoice>(
    `select i.organization_id as "organizationId", i.id, i.due_date as "dueDate"
     from commerce.invoice i join identity.organization o on o.id = i.organization_id
     cross join lateral (select date_trunc('day', $1::timestamptz at time zone coalesce(o.settings ->> 'timezone', 'UTC')) as today) d
     where i.status in ('SENT', 'PARTIALLY_PAID') and i.deleted_at is null
       and i.due_date < $1::timestamptz + interval '14 hours' and i.due_date at time zone 'UTC' < d.today
       and (i.status = 'SENT' or i.last_payment_at is null
         or i.last_payment_at at time zone coalesce(o.settings ->> 'timezone', 'UTC') < d.today)
       and ($2::timestamptz is null or (i.due_date, i.id) > ($2, $3::uuid))
     order by i.due_date, i.id limit ${batchSize}`,
    [now, after?.dueDate ?? null, after?.id ?? null],
  )

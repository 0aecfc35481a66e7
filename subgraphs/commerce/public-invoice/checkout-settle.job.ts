import type { Job } from '../../kernel/jobs/job.ts'
import { systemContext, type Services } from '../../kernel/request.ts'
import { askAgainMs, settleCheckout } from './settle-checkout.ts'

const batchSize = 20
const budgetMs = 50_000
const dayMs = 86_400_000
const askedForMs = 30 * dayMs

interface Due extends Record<string, unknown> {
  readonly organizationId: string
  readonly id: string
  readonly invoiceId: string
}

/**
 * Takes checkouts whose time to ask has come, and sets the next time first: another worker takes others, and after a crash they are asked
 * about again. A page that was never opened, and what the provider has not confirmed for 30 days, is asked about no more.
 */
const due = ({ database, clock }: Services): Promise<Due[]> => {
  const now = clock.now()
  return database.query<Due>(
    `with due as (
       select organization_id, id from commerce.invoice_checkout where ask_at <= $1 and recorded_at is null order by ask_at limit ${batchSize} for update skip locked)
     update commerce.invoice_checkout c set ask_at = case
         when c.url is null and c.amount is not null or c.created_at < $2 then null
         else $1::timestamptz + least(greatest($1::timestamptz - c.created_at, $3 * interval '1 millisecond'), interval '6 hours') end,
       ended_at = case when c.url is null and c.amount is not null then $1 else c.ended_at end
     from due where c.organization_id = due.organization_id and c.id = due.id
     returning c.organization_id as "organizationId", c.id, c.invoice_id as "invoiceId"`,
    [now.toISOString(), new Date(now.getTime() - askedForMs).toISOString(), askAgainMs],
  )
}

async function askAbout(services: Services, { organizationId, id, invoiceId }: Due): Promise<boolean> {
  try {
    if (!id.startsWith('opening_')) await settleCheckout(systemContext(services, organizationId), invoiceId, id)
    return true
  } catch (error) {
    services.log.warn({ err: error, checkoutId: id }, 'the payment provider could not be asked about a checkout')
    return false
  }
}

/** Records payments of which neither a webhook request nor the browser of the customer has told the platform. */
export const checkoutSettle: Job = {
  name: 'invoice.checkouts',
  cron: '* * * * *',
  async run(services) {
    if (!services.settings.payments) return
    const end = performance.now() + budgetMs
    for (let batch = await due(services); batch.length > 0; batch = await due(services)) {
      const asked = await Promise.all(batch.map((one) => askAbout(services, one)))
      // A provider that answers nothing is asked again later.
      if (!asked.includes(true) || performance.now() > end) return
    }
  },
}

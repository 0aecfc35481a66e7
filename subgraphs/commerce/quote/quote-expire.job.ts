import { eachInBatches } from '../../kernel/jobs/each-in-batches.ts'
import type { Job } from '../../kernel/jobs/job.ts'
import { systemContext, type Services } from '../../kernel/request.ts'
import { expireQuote } from './answer-quote.ts'
import type { Quote } from './quote.ts'

const batchSize = 200

type DueQuote = Pick<Quote, 'id' | 'organizationId'> & { validUntil: string }

/** Expires sent quotes whose `validUntil` has passed. */
export const quoteExpire: Job = {
  name: 'quote.expire',
  cron: '* * * * *',
  async run(services) {
    const now = services.clock.now().toISOString()
    await eachInBatches(
      (after: DueQuote | null) => dueQuotes(services, now, after),
      ({ organizationId, id }) => expireQuote(systemContext(services, organizationId), id),
    )
  },
}

function dueQuotes({ database }: Services, now: string, after: DueQuote | null): Promise<DueQuote[]> {
  return database.query<DueQuote>(
    `select organization_id as "organizationId", id, valid_until as "validUntil" from commerce.quote
     where status = 'SENT' and deleted_at is null and valid_until <= $1
       and ($2::timestamptz is null or (valid_until, id) > ($2, $3::uuid))
     order by valid_until, id limit ${batchSize}`,
    [now, after?.validUntil ?? null, after?.id ?? null],
  )
}

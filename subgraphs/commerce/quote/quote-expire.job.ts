import { dueRecords } from '../../identity/public.ts'
import { expireQuote } from './answer-quote.ts'
import { quote } from './quote.record.ts'

/** Expires sent quotes whose `validUntil` has passed. */
export const quoteExpire = dueRecords(quote, {
  name: 'quote.expire',
  cron: '* * * * *',
  by: 'validUntil',
  of: `status = 'SENT'`,
  work: (ctx, { id }) => expireQuote(ctx, id),
})

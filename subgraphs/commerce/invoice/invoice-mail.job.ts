import { eachInBatches } from '../../kernel/jobs/each-in-batches.ts'
import type { Job } from '../../kernel/jobs/job.ts'
import { systemContext } from '../../kernel/request.ts'
import { mailInvoice, type WantedMail } from './invoice-mail.ts'

const batchSize = 50

type Waiting = WantedMail & { readonly createdAt: string }

/** Makes the mails of sent invoices that the request did not make itself: it was idempotent, or its process was killed. */
export const invoiceMailing: Job = {
  name: 'invoice.mail',
  cron: '* * * * *',
  run: (services) =>
    eachInBatches(
      (after: Waiting | null) =>
        services.database.query<Waiting & Record<string, unknown>>(
          `select organization_id as "organizationId", id, created_at as "createdAt" from commerce.invoice_mail
           where $1::timestamptz is null or (created_at, id) > ($1, $2::uuid) order by created_at, id limit ${batchSize}`,
          [after?.createdAt ?? null, after?.id ?? null],
        ),
      (wanted) => mailInvoice(systemContext(services, wanted.organizationId), wanted),
    ),
}

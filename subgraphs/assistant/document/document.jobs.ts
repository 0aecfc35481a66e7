import type { Job } from '../../kernel/jobs/job.ts'
import { deleteFinishedItems } from '../../kernel/queue/delete-finished-items.ts'
import { documentQueue } from './document.queue.ts'

const dayMs = 86_400_000

/** Deletes documents whose file has not arrived within a day. */
export const forgetUploads: Job = {
  name: 'assistant.forgetUploads',
  cron: '47 * * * *',
  async run(services) {
    const before = new Date(services.clock.now().getTime() - dayMs).toISOString()
    await services.database.query(
      `delete from assistant.document where status = 'UPLOADING' and created_at < $1`,
      [before],
      'WRITE',
    )
    await deleteFinishedItems(documentQueue, services)
  },
}

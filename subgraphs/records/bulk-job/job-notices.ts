import type { Logger } from 'pino'
import { Notices } from '../../kernel/database/notices.ts'
import { bulkJobsChannel } from './bulk-job.migrations.ts'

/** The watch over the bulk jobs of this process: calls `wake` after each change of a job, until the returned function is called. */
export interface BulkJobNotices {
  onBulkJobChanged(organizationId: string, id: string, wake: () => void): Promise<() => void>
  close(): Promise<void>
}

export function bulkJobNotices(databaseUrl: string, log: Pick<Logger, 'warn'>): BulkJobNotices {
  const notices = new Notices({ databaseUrl, channel: bulkJobsChannel, keysOf: (message) => [message], log })
  return {
    onBulkJobChanged: (organizationId, id, wake) => notices.watch(`${organizationId},${id}`, wake),
    close: () => notices.close(),
  }
}

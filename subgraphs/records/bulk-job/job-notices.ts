import type { Logger } from 'pino'
import { Notices } from '../../kernel/database/notices.ts'
import { jobsChannel } from './bulk-job.migrations.ts'

/** The watch over bulk jobs and undo jobs for this process: calls `wake` after each change of a job, until the returned function is called. */
export interface JobNotices {
  onJobChanged(organizationId: string, id: string, wake: () => void): Promise<() => void>
  close(): Promise<void>
}

export function jobNotices(databaseUrl: string, log: Pick<Logger, 'warn'>): JobNotices {
  const notices = new Notices({ databaseUrl, channel: jobsChannel, keysOf: (message) => [message], log })
  return {
    onJobChanged: (organizationId, id, wake) => notices.watch(`${organizationId},${id}`, wake),
    close: () => notices.close(),
  }
}

import type { Job } from '../../kernel/jobs/job.ts'
import type { Services } from '../../kernel/request.ts'

/** Deletes usage that no query can return: hours older than 91 days, and calls of deprecated operations older than 31 days. */
async function forgetUsage({ database, clock }: Services): Promise<void> {
  const now = clock.now().toISOString()
  await database.query("delete from identity.usage_hour where hour < $1::timestamptz - interval '91 days'", [now])
  await database.query('delete from identity.deprecated_call where day < $1::timestamptz::date - 31', [now])
}

export const usageForget: Job = { name: 'usage.forget', cron: '10 4 * * *', run: forgetUsage }

import type { Job } from '../jobs/job.ts'
import type { Services } from '../request.ts'
import { releasedMs } from './file-store.ts'

const hourMs = 3_600_000
/** A request takes less, so nobody writes the file any more. */
const unownedMs = 2 * hourMs
const batch = 500
const batchesMax = 200
/** A place that does not answer is asked no more; a file that cannot be deleted does not keep the others. */
const failuresMax = 10

interface Found extends Record<string, unknown> {
  readonly organizationId: string
  readonly id: string
}

/** Deletes the files that will get no owner, and those that had one. The row is deleted last, so that a killed run is repeated. */
async function sweepRows({ database, clock, files }: Services): Promise<void> {
  const before = (ms: number): string => new Date(clock.now().getTime() - ms).toISOString()
  await database.query(
    `update kernel.file set state = 'RELEASED', released_at = created_at where state in ('WRITING', 'WRITTEN') and created_at < $1`,
    [before(unownedMs)],
    'WRITE',
  )
  for (let round = 0; round < batchesMax; round++) {
    const rows = await database.query<Found>(
      `select organization_id as "organizationId", id from kernel.file where state = 'RELEASED' and released_at < $1
       order by released_at limit ${batch}`,
      [before(releasedMs)],
      'WRITE',
    )
    const removed: Found[] = []
    const failures: unknown[] = []
    for (const row of rows) {
      if (failures.length === failuresMax) break
      try {
        await files.remove(row.organizationId, row.id)
        removed.push(row)
      } catch (error) {
        failures.push(error)
      }
    }
    await database.query(
      `delete from kernel.file f using unnest($1::uuid[], $2::uuid[]) as gone (organization_id, id)
       where f.organization_id = gone.organization_id and f.id = gone.id and f.state = 'RELEASED'`,
      [removed.map(({ organizationId }) => organizationId), removed.map(({ id }) => id)],
      'WRITE',
    )
    // The others are tried again by the next run.
    if (failures.length > 0) throw failures[0]
    if (rows.length < batch) break
  }
}

/** Deletes files without a row. */
const sweepUnknown = ({ database, files }: Services): Promise<void> =>
  files.removeUnknown(async (organizationId, ids) => {
    const known = await database.query<{ id: string }>(
      'select id from kernel.file where organization_id = $1 and id = any($2::uuid[])',
      [organizationId, ids],
    )
    return new Set(known.map(({ id }) => id))
  })

export const sweepFiles: Job = {
  name: 'files.sweep',
  cron: '37 * * * *',
  async run(services) {
    await sweepRows(services)
    await sweepUnknown(services)
  },
}

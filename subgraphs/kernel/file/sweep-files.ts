import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Job } from '../jobs/job.ts'
import { isId } from '../ids.ts'
import type { Services } from '../request.ts'
import { filesFolder, partialSuffix } from './file-place.ts'
import { removeFile } from './file-store.ts'

const hourMs = 3_600_000
/** A request takes less, so nobody writes the file any more. */
const unownedMs = 2 * hourMs
const releasedMs = 24 * hourMs
const batch = 500
const batchesMax = 200

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
    for (const { organizationId, id } of rows) await removeFile(files.dataDir, organizationId, id)
    await database.query(
      `delete from kernel.file f using unnest($1::uuid[], $2::uuid[]) as gone (organization_id, id)
       where f.organization_id = gone.organization_id and f.id = gone.id and f.state = 'RELEASED'`,
      [rows.map(({ organizationId }) => organizationId), rows.map(({ id }) => id)],
      'WRITE',
    )
    if (rows.length < batch) break
  }
}

const namesIn = (path: string): Promise<string[]> =>
  readdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })

/** Deletes files without a row: a backup can contain files that are younger than its database. */
async function sweepFolder({ database, files }: Services): Promise<void> {
  for (const organizationId of (await namesIn(join(files.dataDir, filesFolder))).filter(isId)) {
    const names = await namesIn(join(files.dataDir, filesFolder, organizationId))
    const ids = [...new Set(names.map((name) => name.replace(partialSuffix, '')))].filter(isId)
    for (let at = 0; at < ids.length; at += batch) {
      const some = ids.slice(at, at + batch)
      const known = await database.query<{ id: string }>(
        'select id from kernel.file where organization_id = $1 and id = any($2::uuid[])',
        [organizationId, some],
      )
      const isKnown = new Set(known.map(({ id }) => id))
      for (const id of some) if (!isKnown.has(id)) await removeFile(files.dataDir, organizationId, id)
    }
  }
}

export const sweepFiles: Job = {
  name: 'files.sweep',
  cron: '37 * * * *',
  async run(services) {
    await sweepRows(services)
    await sweepFolder(services)
  },
}

import { eachInBatches } from '../../kernel/jobs/each-in-batches.ts'
import type { Services } from '../../kernel/request.ts'
import { activeOrganizations } from './active-organizations.ts'

const batchSize = 200

/**
 * Calls `work` for every active organization `o` for which the SQL condition holds, with its values from `$2` on. One that fails does not stop
 * the others.
 */
export function eachOrganization(
  { database }: Pick<Services, 'database'>,
  condition: string,
  work: (organizationId: string) => Promise<unknown>,
  values: readonly unknown[] = [],
): Promise<void> {
  const next = async (after: string | null): Promise<string[]> => {
    const rows = await database.query<{ id: string }>(
      `select o.id from ${activeOrganizations('o')}
       where ($1::uuid is null or o.id > $1) and (${condition}) order by o.id limit ${batchSize}`,
      [after, ...values],
    )
    return rows.map(({ id }) => id)
  }
  return eachInBatches(next, work)
}

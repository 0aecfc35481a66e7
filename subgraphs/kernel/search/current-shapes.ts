import type { Sql } from '../database/sql.ts'
import { readExtensions } from '../extension/extension.ts'
import type { OrganizationShapes } from '../record/shape-source.ts'
import type { Services } from '../request.ts'

/** The shapes of the latest definitions; read in the transaction, after the lock. */
export async function currentShapes(
  { extensions }: Pick<Services, 'extensions'>,
  sql: Sql,
  organizationId: string,
): Promise<{ readonly shapes: OrganizationShapes | null; readonly version: number }> {
  const [row] = await sql.query<{ version: number }>(
    'select version::float8 as version from kernel.definition_version where organization_id = $1',
    [organizationId],
  )
  if (!row) return { shapes: null, version: 0 }
  const known = extensions.of(organizationId)
  const latest = known?.version === row.version ? known : await readExtensions(sql, organizationId)
  return { shapes: latest?.shapes ?? null, version: row.version }
}

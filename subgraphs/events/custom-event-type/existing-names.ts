import type { RequestContext } from '../../kernel/request.ts'

/** Those of the names that are names of custom event types of the organization. */
export async function existingCustomEvents(
  { db, caller }: Pick<RequestContext, 'db' | 'caller'>,
  names: readonly unknown[],
): Promise<ReadonlySet<string>> {
  if (names.length === 0) return new Set()
  const rows = await db.query<{ apiName: string }>(
    `select api_name as "apiName" from events.custom_event_type
     where organization_id = $1 and deleted_at is null and api_name = any($2::text[])`,
    [caller.organizationId, names],
  )
  return new Set(rows.map(({ apiName }) => apiName))
}

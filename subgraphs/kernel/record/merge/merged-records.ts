import { isId } from '../../ids.ts'
import type { RequestContext } from '../../request.ts'
import type { RecordShape } from '../definition.ts'

export const mergedTable = 'kernel.merged_record'

type Reader = Pick<RequestContext, 'db' | 'caller'>

/** The records that some of these were merged into, to the end of every chain. */
export async function winnersOf({ db, caller }: Reader, ids: readonly unknown[]): Promise<ReadonlyMap<string, string>> {
  const known = [...new Set(ids.filter(isId))]
  if (known.length === 0) return new Map()
  const rows = await db.query<{ id: string; winner: string }>(
    `select record_id as id, merged_into_id as winner from ${mergedTable} where organization_id = $1 and record_id = any($2::uuid[])`,
    [caller.organizationId, known],
  )
  return new Map(rows.map(({ id, winner }) => [id, winner]))
}

/** The records that were merged into some of these. None of them is restored before the transaction ends: that waits for the locks. */
export async function losersOf({ db, caller }: Reader, ids: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `select record_id as id from ${mergedTable} where organization_id = $1 and merged_into_id = any($2::uuid[])
     order by record_id for share`,
    [caller.organizationId, ids],
    'WRITE',
  )
  return rows.map(({ id }) => id)
}

/** Notes in the transaction of a merge into which record the others were merged, with the records that were merged into these before. */
export async function noteMerge(
  { db, caller, clock }: RequestContext,
  { object }: RecordShape,
  winner: string,
  losers: readonly { readonly id: string; readonly externalId: string | null }[],
): Promise<void> {
  const rows = losers.map(({ id, externalId }) => ({ id, external_id: externalId }))
  await db.query(
    `with earlier as (
       update ${mergedTable} set merged_into_id = $3 where organization_id = $1 and merged_into_id in (
         select id from jsonb_to_recordset($4::jsonb) r(id uuid)))
     insert into ${mergedTable} (organization_id, object, record_id, merged_into_id, external_id, merged_at)
     select $1, $2, r.id, $3, r.external_id, $5::timestamptz from jsonb_to_recordset($4::jsonb) r(id uuid, external_id text)
     order by r.id`,
    [caller.organizationId, object, winner, JSON.stringify(rows), clock.now().toISOString()],
    'WRITE',
  )
}

/** A restored record is one of its own again. */
export async function forgetMerge({ db, caller }: RequestContext, id: string): Promise<void> {
  await db.query(
    `delete from ${mergedTable} where organization_id = $1 and record_id = $2`,
    [caller.organizationId, id],
    'WRITE',
  )
}

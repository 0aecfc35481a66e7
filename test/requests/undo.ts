import type { Sender } from './sender.ts'

export const undoBodies = {
  /** Undoes the creation of an account. */
  async undo({ member }: Sender, whole: boolean): Promise<object> {
    const { headers } = await member.rest['accountCreate']!({ body: { name: 'Created by mistake' } } as never)
    const operationId = headers.get('x-request-id')
    return { operationId, ...(whole && { onConflict: 'REFUSE', dryRun: false }) }
  },
}

/** A job that has undone two records, and left two others. It waits for its turn, so that nothing else has happened to it. */
async function undoJobPrepared({ platform, member }: Sender, id: string): Promise<void> {
  const { organizationId, userId } = member
  await platform.query(
    `insert into records.undo_job (organization_id, id, selection, on_conflict, dry_run, objects, scopes, created_by_id, created_at, results)
     values ($1, $2, $3, 'SKIP', false, '{account}', '{*}', $4, $5, 4)
     on conflict (organization_id, id) do update set job_status = 'QUEUED', ended_at = null, expires_at = null`,
    [organizationId, id, JSON.stringify({ operationId: `req_${id}` }), userId, platform.now.toISOString()],
  )
  const object = 'account'
  const ids: string[] = []
  for (const name of ['One', 'Other'])
    ids.push((await member.rest['accountCreate']!({ body: { name } } as never)).body.id)
  const left = { field: 'name', reason: 'CHANGED', message: 'name has changed.', changedById: userId, changedAt: null }
  for (const [isUndone, result] of [
    [true, { object, action: 'UPDATED', fields: ['name'] }],
    [false, { object, ...left }],
  ] as const)
    await platform.query(
      `insert into records.undo_result (organization_id, job_id, is_undone, number, result)
       select $1, $2, $3, number, $4::jsonb || jsonb_build_object('recordId', record_id)
       from unnest($5::uuid[]) with ordinality r(record_id, number) on conflict do nothing`,
      [organizationId, id, isUndone, JSON.stringify(result), ids],
    )
}

/** A job that has created an account. */
async function bulkJobEnded({ platform, member }: Sender, id: string): Promise<void> {
  const { organizationId } = member
  const { body } = await member.rest['accountCreate']!({ body: { name: 'Loaded by mistake' } } as never)
  // An event may get its position meanwhile, and is then in the other table.
  for (const table of ['kernel.event_pending', 'kernel.event_log'])
    await platform.query(`update ${table} set operation_id = $3 where organization_id = $1 and record_id = $2`, [
      organizationId,
      (body as { readonly id: string }).id,
      `bulk:${id}`,
    ])
  await platform.query(
    `update records.bulk_job set job_state = 'JOB_COMPLETE', records_total = 1, records_succeeded = 1, options = options || '{"dryRun": false}'
     where organization_id = $1 and id = $2`,
    [organizationId, id],
  )
  // One organization undoes more jobs than may wait.
  await platform.query(`update records.undo_job set job_status = 'FAILED' where organization_id = $1`, [organizationId])
}

export const undoPreparations = {
  undoJob: undoJobPrepared,
  undoJobAbort: undoJobPrepared,
  undoneRecordList: undoJobPrepared,
  notUndoneList: undoJobPrepared,
  bulkJobUndo: bulkJobEnded,
}

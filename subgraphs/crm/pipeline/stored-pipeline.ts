import { isId } from '../../kernel/ids.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { PipelineStage } from './pipeline.ts'

/** The part of a pipeline that the rules of opportunities use. */
export interface StoredPipeline {
  readonly id: string
  readonly name: string
  readonly isActive: boolean
  readonly stages: readonly PipelineStage[]
}

/** A pipeline of the caller's organization; null if there is none with this id. Without an id, the default pipeline. */
export async function findPipeline({ db, caller }: RequestContext, id: string | null): Promise<StoredPipeline | null> {
  if (id !== null && !isId(id)) return null
  const match = id === null ? 'is_default' : 'id = $2'
  const [row] = await db.query<StoredPipeline>(
    `select id, name, is_active as "isActive", stages from crm.pipeline where organization_id = $1 and ${match} and deleted_at is null`,
    [caller.organizationId, ...(id === null ? [] : [id])],
  )
  return row ?? null
}

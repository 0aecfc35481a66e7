import type { RequestContext } from '../../kernel/request.ts'
import { apiNamePattern } from '../function/bounds.ts'
import type { FlowElement, FlowVariable } from '../flow/flow-parts.ts'
import type { FlowStatus, FlowType } from '../flow/flow.enumerations.ts'

/** A version of a flow, which never changes. */
export interface FlowVersion extends Record<string, unknown> {
  readonly flowId: string
  readonly number: number
  readonly apiName: string
  readonly type: FlowType
  readonly variables: readonly FlowVariable[]
  readonly startElement: string | null
  readonly elements: readonly FlowElement[]
}

const columns = `v.flow_id as "flowId", v.number, v.api_name as "apiName", v.type, v.variables, v.start_element as "startElement", v.elements`

export async function readVersion(
  { db, caller }: RequestContext,
  flowId: string,
  number: number,
): Promise<FlowVersion> {
  const [row] = await db.query<FlowVersion>(
    `select ${columns} from extensions.flow_version v where v.organization_id = $1 and v.flow_id = $2 and v.number = $3`,
    [caller.organizationId, flowId, number],
  )
  return row!
}

export interface CurrentVersion extends FlowVersion {
  readonly status: FlowStatus
}

/** The current version of the flow with this name. The flow is not deleted before the transaction ends. */
export async function currentVersion({ db, caller }: RequestContext, apiName: string): Promise<CurrentVersion | null> {
  const [row] = apiNamePattern.test(apiName)
    ? await db.query<CurrentVersion>(
        `select ${columns}, f.status from extensions.flow f
         join extensions.flow_version v on v.organization_id = f.organization_id and v.flow_id = f.id and v.number = f.flow_version
         where f.organization_id = $1 and f.api_name = $2 and f.deleted_at is null for share of f`,
        [caller.organizationId, apiName],
        'WRITE',
      )
    : []
  return row ?? null
}

export async function activeVersion(ctx: RequestContext, apiName: string): Promise<FlowVersion | null> {
  const version = await currentVersion(ctx, apiName)
  return version?.status === 'ACTIVE' ? version : null
}

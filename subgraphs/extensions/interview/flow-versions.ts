import { withoutRowLimit } from '../../kernel/database/row-bytes.ts'
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
  const [row] = await withoutRowLimit(db).query<FlowVersion>(
    `select ${columns} from extensions.flow_version v where v.organization_id = $1 and v.flow_id = $2 and v.number = $3`,
    [caller.organizationId, flowId, number],
  )
  return row!
}

export interface CurrentVersion extends FlowVersion {
  readonly status: FlowStatus
}

/** The current version of the flow with this name. The flow is not deleted before the transaction ends. */
export async function currentVersion(ctx: RequestContext, apiName: string): Promise<CurrentVersion | null> {
  const { db, caller } = ctx
  const [flow] = apiNamePattern.test(apiName)
    ? await db.query<{ id: string; status: FlowStatus; number: number }>(
        `select id, status, flow_version as number from extensions.flow
         where organization_id = $1 and api_name = $2 and deleted_at is null for share`,
        [caller.organizationId, apiName],
        'WRITE',
      )
    : []
  // A statement that waits for a change of the flow does not see the version that the change has made; the next one does.
  return flow ? { ...(await readVersion(ctx, flow.id, flow.number)), status: flow.status } : null
}

export async function activeVersion(ctx: RequestContext, apiName: string): Promise<FlowVersion | null> {
  const version = await currentVersion(ctx, apiName)
  return version?.status === 'ACTIVE' ? version : null
}

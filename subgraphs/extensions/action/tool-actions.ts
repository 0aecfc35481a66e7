import type { Caller } from '../../kernel/context.ts'
import { refusalInSituation } from '../../kernel/record/transitions.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { holdsScope } from '../../kernel/scopes.ts'
import { requireScopes } from '../../kernel/unmet-scopes.ts'
import { requireAction, requireRunnable } from './checked-call.ts'
import type { CustomAction } from './custom-action.ts'

const scope = 'INVOKE_FUNCTIONS'

/** An action as a tool: what a language model is told, and what decides how it may run it. */
export interface ToolAction extends Pick<CustomAction, 'apiName' | 'label' | 'kind' | 'inputSchema' | 'objectTypes'> {
  readonly description: string | null
}

export const mayRunActions = (caller: Caller): boolean => holdsScope(caller, scope)

/** How many actions are tools, and their bytes as JSON. */
export const toolActionsMax = 32
export const toolActionsBytesMax = 32_768

/** The first ones as far as there is room. One that does not fit is left out, and smaller ones after it are not. */
function fitting(actions: readonly ToolAction[]): ToolAction[] {
  let bytes = 0
  return actions.filter((action) => {
    const own = Buffer.byteLength(JSON.stringify(action))
    if (bytes + own > toolActionsBytesMax) return false
    bytes += own
    return true
  })
}

/** A model need not give what follows from the record. */
function withoutMapped(action: ToolAction, mapping: CustomAction['inputMapping']): ToolAction {
  const { required } = action.inputSchema
  if (mapping === null || !Array.isArray(required)) return action
  const needed = required.filter((name: string) => !Object.hasOwn(mapping, name))
  return { ...action, inputSchema: { ...action.inputSchema, required: needed } }
}

/** The actions that the caller may run and that are offered as tools, by apiName; none without the right to run actions. */
export async function toolActions({ db, caller }: RequestContext): Promise<ToolAction[]> {
  if (!mayRunActions(caller)) return []
  const rows = await db.query<ToolAction & Pick<CustomAction, 'inputMapping'> & Record<string, unknown>>(
    `select api_name as "apiName", label, coalesce(tool_description, description) as description, kind,
       input_schema as "inputSchema", input_mapping as "inputMapping", object_types as "objectTypes"
     from extensions.custom_action
     where organization_id = $1 and deleted_at is null and is_active and expose_as_tool and allow_manual
       and (kind = 'READ' or $2)
     order by api_name limit ${toolActionsMax}`,
    [caller.organizationId, caller.role !== 'READ_ONLY'],
  )
  return fitting(rows.map(({ inputMapping, ...action }) => withoutMapped(action, inputMapping)))
}

/** The action, by id or apiName, if it is a tool at this moment and the caller may run it; otherwise refuses with the reason. */
export async function requireToolAction(ctx: RequestContext, key: string): Promise<CustomAction> {
  requireScopes(ctx.caller, [[[scope]]])
  const action = await requireAction(ctx, key)
  if (!action.exposeAsTool)
    throw refusalInSituation('The action is not offered as a tool, because exposeAsTool is false.')
  requireRunnable(ctx, action)
  return action
}

/**
 * Whether an action can neither send what it is given out of the platform nor write it into a record: it is a function that reaches no host, uses
 * no named credential and has only READ scopes.
 */
export async function isConfined({ db, caller }: RequestContext, { function: name }: CustomAction): Promise<boolean> {
  if (name === null) return false
  const found = await db.query(
    `select 1 from extensions.function f
     join extensions.function_version v on v.organization_id = f.organization_id and v.id = f.deployed_version_id
     where f.organization_id = $1 and f.api_name = $2 and f.deleted_at is null and f.allowed_hosts = '{}'
       and not exists (select from unnest(f.scopes) scope where not starts_with(scope, 'READ_'))
       and position('credentials' in v.source) = 0`,
    [caller.organizationId, name],
  )
  return found.length > 0
}

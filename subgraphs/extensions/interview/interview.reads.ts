import { invalid, notFound } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import { newestFirst } from '../../kernel/record/newest-first.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { hasRole } from '../../kernel/require.ts'
import type { Screen } from '../flow/elements/element-type.ts'
import { interviewColumns, type StoredInterview } from './interview-store.ts'
import type { FlowInterview, FlowInterviewListArgs, FlowScreen } from './interview.types.ts'

export const unknownInterview = () => notFound('The interview')

const isForAll = (ctx: RequestContext): boolean => hasRole(ctx, ['OWNER', 'ADMIN'])

/** Instead of a message, which may have values of what the user of the interview sees. */
const hiddenMessage = 'The message is shown to the user who runs the interview.'

/** What a front end draws. */
export const shownScreen = ({ title, help, allowPause, fields }: Screen): FlowScreen => ({
  title,
  help,
  allowPause,
  fields: fields as FlowScreen['fields'],
})

/** An interview as its user sees it. Others get nothing of what it asks and has found: that follows from what its user may see. */
export function shownInterview({ caller }: RequestContext, interview: StoredInterview): FlowInterview {
  const { id, flowId, flowApiName, flowVersion, status, currentElement, startedById, version } = interview
  const { createdAt, updatedAt, resumesAt, expiresAt, endedAt, errorCode, errorMessage, errorElement } = interview
  const { screen, history, variables, outputs } = interview
  const isOwn = startedById === caller.userId
  const isAsked = status === 'WAITING_FOR_INPUT' && screen !== null
  return {
    id,
    flowId,
    flowApiName,
    flowVersion,
    status,
    currentElement,
    screen: isOwn && isAsked ? shownScreen(screen) : null,
    variables: isOwn ? variables : null,
    outputs: isOwn ? outputs : null,
    canGoBack: isAsked && screen.allowBack && history.length > 0,
    error:
      errorCode === null
        ? null
        : { code: errorCode, message: isOwn ? (errorMessage ?? '') : hiddenMessage, element: errorElement },
    startedById,
    version,
    createdAt,
    updatedAt,
    resumesAt,
    expiresAt,
    endedAt,
  }
}

export async function readInterview(ctx: RequestContext, id: string): Promise<FlowInterview> {
  const [row] = isId(id)
    ? await ctx.db.query<StoredInterview>(
        `select ${interviewColumns} from extensions.flow_interview where organization_id = $1 and id = $2`,
        [ctx.caller.organizationId, id.toLowerCase()],
      )
    : []
  if (!row || (row.startedById !== ctx.caller.userId && !isForAll(ctx))) throw unknownInterview()
  return shownInterview(ctx, row)
}

/** What a list needs of the screens before: whether there is one. */
const listColumns = interviewColumns
  .replace(' state,', ` null as state,`)
  .replace(' history,', ` jsonb_path_query_array(history, '$[0].element') as history,`)

/** The own interviews, and for owners and admins those of all users, newest first. */
export async function pageOfInterviews(ctx: RequestContext, args: FlowInterviewListArgs, info: SelectionInfo) {
  const { organizationId, userId } = ctx.caller
  const values: unknown[] = [organizationId]
  const conditions = ['organization_id = $1']
  const add = (column: string, value: unknown): void => void conditions.push(`${column} = $${values.push(value)}`)
  for (const [name, column] of [
    ['flowId', 'flow_id'],
    ['startedById', 'started_by_id'],
  ] as const) {
    const id = args[name]
    if (id == null) continue
    if (!isId(id)) throw invalid({ path: name, code: 'NOT_AN_ID', message: `${name} must be an id.` })
    add(column, id)
  }
  if (!isForAll(ctx)) add('started_by_id', userId)
  if (args.status != null) add('status', args.status)
  const list = {
    select: listColumns,
    from: `extensions.flow_interview where ${conditions.join(' and ')}`,
    values,
    key: { sql: 'id', type: 'uuid', of: (row: { [name: string]: unknown }) => row['id'] },
  } as const
  const page = await newestFirst(ctx, list, args, info)
  return { ...page, data: page.data.map((row) => shownInterview(ctx, row as unknown as StoredInterview)) }
}

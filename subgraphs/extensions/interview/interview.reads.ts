import { invalid, notFound } from '../../kernel/errors.ts'
import type { Caller } from '../../kernel/context.ts'
import { isId } from '../../kernel/ids.ts'
import { newestFirst } from '../../kernel/record/newest-first.ts'
import { selectedFields, type SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { holdsScope } from '../../kernel/scopes.ts'
import { hasRole } from '../../kernel/require.ts'
import type { Screen } from '../flow/elements/element-type.ts'
import { interviewColumns, type StoredInterview } from './interview-store.ts'
import type { FlowInterview, FlowInterviewListArgs, FlowScreen } from './interview.types.ts'

export const unknownInterview = () => notFound('The interview')

const isForAll = (ctx: RequestContext): boolean => hasRole(ctx, ['OWNER', 'ADMIN'])

/** Instead of a message, which may have values of what the user of the interview sees. */
const hiddenMessage =
  'The message is shown to the user who runs the interview, with the scopes of what its elements have done.'

/** Whether a caller is shown what an interview asks and has found: its user, with a credential that could have found it. */
export const isShownTo = (
  caller: Caller,
  { startedById, actedScopes }: Pick<StoredInterview, 'startedById' | 'actedScopes'>,
): boolean =>
  startedById === caller.userId &&
  (actedScopes === null ? caller.kind === 'SESSION' : actedScopes.every((scope) => holdsScope(caller, scope)))

/** What a front end draws. */
export const shownScreen = ({ title, help, allowPause, fields }: Screen): FlowScreen => ({
  title,
  help,
  allowPause,
  fields: fields as FlowScreen['fields'],
})

/** An interview as its user sees it. Others, and credentials without its scopes, get nothing of what it asks and has found. */
export function shownInterview({ caller }: RequestContext, interview: StoredInterview): FlowInterview {
  const { id, flowId, flowApiName, flowVersion, status, currentElement, startedById, version } = interview
  const { createdAt, updatedAt, resumesAt, expiresAt, endedAt, errorCode, errorMessage, errorElement } = interview
  const { screen, history, variables, outputs } = interview
  const isShown = isShownTo(caller, interview)
  const isAsked = status === 'WAITING_FOR_INPUT' && screen !== null
  return {
    id,
    flowId,
    flowApiName,
    flowVersion,
    status,
    currentElement,
    screen: isShown && isAsked ? shownScreen(screen) : null,
    variables: isShown ? variables : null,
    outputs: isShown ? outputs : null,
    canGoBack: isAsked && screen.allowBack && history.length > 0,
    error:
      errorCode === null
        ? null
        : { code: errorCode, message: isShown ? (errorMessage ?? '') : hiddenMessage, element: errorElement },
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

/** What a list reads: of the large columns only those of selected fields, and only of interviews of the user `$2`. */
function listColumns(info: SelectionInfo): string {
  const selected = selectedFields(info, ['data'])
  const own = (column: string, otherwise = 'null'): string =>
    selected.has(column) ? `case when started_by_id = $2 then ${column} else ${otherwise} end` : otherwise
  // Whether the user can go back does not say what an interview asks.
  const canGoBack = selected.has('canGoBack')
  const asked = `case when screen is not null then jsonb_build_object('allowBack', screen -> 'allowBack') end`
  const sql: Readonly<Record<string, string>> = {
    state: 'null',
    history: canGoBack ? `jsonb_path_query_array(history, '$[0].element')` : `'[]'::jsonb`,
    screen: own('screen', canGoBack ? asked : 'null::jsonb'),
    variables: own('variables'),
    outputs: own('outputs'),
  }
  return Object.entries(sql).reduce(
    (columns, [column, instead]) => columns.replace(` ${column},`, () => ` ${instead} as ${column},`),
    interviewColumns,
  )
}

/** The own interviews, and for owners and admins those of all users, newest first. */
export async function pageOfInterviews(ctx: RequestContext, args: FlowInterviewListArgs, info: SelectionInfo) {
  const { organizationId, userId } = ctx.caller
  const values: unknown[] = [organizationId, userId]
  const conditions = ['organization_id = $1', '$2::uuid is not null']
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
    select: listColumns(info),
    from: `extensions.flow_interview where ${conditions.join(' and ')}`,
    values,
    key: { sql: 'list_key', type: 'uuid', of: (row: { [name: string]: unknown }) => row['listKey'] },
  } as const
  const page = await newestFirst(ctx, list, args, info)
  return { ...page, data: page.data.map((row) => shownInterview(ctx, row as unknown as StoredInterview)) }
}

import {
  isConfined,
  mayRunActions,
  requireToolAction,
  toolActions,
  type CustomAction,
  type ToolAction,
} from '../../extensions/public.ts'
import { newId } from '../../kernel/ids.ts'
import type { Answering } from '../answer/answering.ts'
import { executeAction, resultOf } from '../proposal/confirm-action.ts'
import { asAnswer, refusalOf } from '../proposal/decide.ts'
import { proposalOutput } from '../proposal/proposal-tools.ts'
import { proposeAction } from '../proposal/propose-action.ts'
import { idIn, objectIn } from './check-arguments.ts'
import type { Arguments, Tool, ToolCalling, ToolOutput } from './tool.ts'

/** No built-in tool has a name that begins so. */
const actionPrefix = 'action_'

interface Given {
  readonly recordId: string | null
  readonly input: object
}

/** What the call resolves to, or the reason of the signal if that comes first. */
async function unlessAborted<T>(call: Promise<T>, signal: AbortSignal | null): Promise<T> {
  if (!signal) return call
  signal.throwIfAborted()
  const aborted = Promise.withResolvers<never>()
  const abort = (): void => aborted.reject(signal.reason as Error)
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([call, aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

async function execute({ ctx, signal }: ToolCalling, action: CustomAction, given: Given): Promise<ToolOutput> {
  const { graph, caller, requestId } = ctx
  const call = graph
    .execute(executeAction(action.id, given), caller, { requestId, idempotencyKey: newId() })
    .catch(asAnswer)
  const answer = await unlessAborted(call, signal)
  const refusal = refusalOf(answer)
  if (refusal) throw refusal
  const { status, output, error } = resultOf(answer.data)
  const content = error ? { status, error } : { status, output }
  return { content, rows: 0, citations: [], ...(error && { error: `The action failed: ${error.code}.` }) }
}

/**
 * A READ action runs at once, but after text of others was read only if nothing that it is given can leave the platform. Everything else is
 * proposed to the user.
 */
async function run(calling: ToolCalling, key: string, given: Arguments): Promise<ToolOutput> {
  const { ctx, heard } = calling
  const action = await requireToolAction(ctx, key)
  const call = {
    recordId: given['recordId'] === undefined || given['recordId'] === null ? null : idIn(given, 'recordId'),
    input: given['input'] === undefined ? {} : objectIn(given, 'input'),
  }
  if (action.kind === 'READ' && (!heard?.isInfluenced || (await isConfined(ctx, action))))
    return execute(calling, action, call)
  return proposalOutput(await proposeAction(calling, action, call))
}

const explained = ({ kind, label, description }: ToolAction): string => {
  const effect =
    kind === 'READ'
      ? 'It changes nothing. After texts of records were read, its run may have to be confirmed by the user.'
      : 'Nothing is done yet: the user sees the proposed run and may confirm it within an hour.'
  return `${label}. ${description ?? ''} A custom action of the organization. ${effect}`
}

const toolOf = (action: ToolAction): Tool => {
  const { apiName, kind, label, inputSchema, objectTypes } = action
  const { $schema: _, ...input } = inputSchema
  const isInputRequired = Array.isArray(input['required']) && input['required'].length > 0
  const record = `Id of the record that it is run for, a UUID${objectTypes.length > 0 ? `; of the type ${objectTypes.join(' or ')}` : ''}.`
  return {
    name: actionPrefix + apiName,
    title: label,
    effect: kind === 'READ' ? 'READ' : 'PROPOSE',
    // What it returns, or the summary of its proposal, has text of others.
    isUntrusted: true,
    reachesOutside: true,
    description: explained(action),
    parameters: {
      type: 'object',
      required: [...(objectTypes.length > 0 ? ['recordId'] : []), ...(isInputRequired ? ['input'] : [])],
      additionalProperties: false,
      properties: { recordId: { type: 'string', description: record }, input },
    },
    run: (calling, given) => run(calling, apiName, given),
  }
}

/** The custom actions that the caller may run and that are offered as tools, by their names. */
export const actionTools = async (ctx: Answering): Promise<readonly Tool[]> => (await toolActions(ctx)).map(toolOf)

/** What is told of it is never shown, and what it returns is not trusted. */
const unknownAction = { label: '', description: null, kind: 'READ' as const, inputSchema: {}, objectTypes: [] }

/** The tool of an action by its name, whether or not it is listed: a call says why the action cannot run. Null for other names. */
export const actionToolNamed = (ctx: Answering, name: string): Tool | null =>
  name.startsWith(actionPrefix) && mayRunActions(ctx.caller)
    ? toolOf({ ...unknownAction, apiName: name.slice(actionPrefix.length) })
    : null

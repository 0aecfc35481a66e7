import { mayRunActions } from '../../extensions/public.ts'
import type { Caller } from '../../kernel/context.ts'
import { Refusal } from '../../kernel/errors.ts'
import { isJsonLargerThan } from '../../kernel/json/json-size.ts'
import { storableJson } from '../../kernel/json/storable-json.ts'
import { holdsScope } from '../../kernel/scopes.ts'
import type { Answering } from '../answer/answering.ts'
import { confirmChange, proposeChange } from '../proposal/proposal-tools.ts'
import { proposedObjects } from '../proposal/proposed-objects.ts'
import { readScope } from '../question/find-names.ts'
import { actionTools, actionToolNamed } from './action-tools.ts'
import { checkedArguments } from './check-arguments.ts'
import { searchDocumentsTool } from './document-tool.ts'
import { ask, describe, get, query, search, whoami } from './read-tools.ts'
import { argumentsMax, resultBytesMax, type Tool, type ToolCalling, type ToolOutput } from './tool.ts'

/** The built-in tools. The language models of conversations and clients of MCP use the same ones; custom actions (`action-tools.ts`) come after them. */
export const tools: readonly Tool[] = [
  whoami,
  describe,
  search,
  searchDocumentsTool,
  get,
  ask,
  query,
  proposeChange,
  confirmChange,
]

/** A person confirms what a model of the platform proposes, so such a model has no tool for it. */
const modelTools: readonly Tool[] = tools.filter(({ effect }) => effect !== 'CONFIRM')

/** The tools of the language model that answers the caller. */
export const toolsOfModel = async (ctx: Answering): Promise<readonly Tool[]> => [
  ...modelTools,
  ...(await actionTools(ctx)),
]

const writeScopes = proposedObjects.map((object) => readScope(object).replace(/^READ/, 'WRITE'))

const mayChange = (caller: Caller): boolean => writeScopes.some((scope) => holdsScope(caller, scope))

/** The built-in tools of a client that calls them itself: those that propose and confirm only with the right to change a record or to run an action. */
const toolsOfCaller = (caller: Caller): readonly Tool[] =>
  tools.filter(({ effect }) => {
    if (effect === 'READ') return true
    if (caller.role === 'READ_ONLY') return false
    return mayChange(caller) || (effect === 'CONFIRM' && mayRunActions(caller))
  })

export const toolsOfClient = async (ctx: Answering): Promise<readonly Tool[]> => [
  ...toolsOfCaller(ctx.caller),
  ...(await actionTools(ctx)),
]

/** The tool with this name for a client that calls it itself; null if the credential has none. */
export const toolOfClient = (ctx: Answering, name: string): Tool | null =>
  toolsOfCaller(ctx.caller).find((one) => one.name === name) ?? actionToolNamed(ctx, name)

/** The result of a call as text, and what is told of it. */
export interface ToolResult extends Omit<ToolOutput, 'content' | 'error'> {
  readonly text: string
  readonly error: string | null
  /** Whether its text has text of records. */
  readonly isUntrusted: boolean
}

export const failed = (error: string): ToolResult => ({
  text: JSON.stringify({ error }),
  rows: 0,
  citations: [],
  error,
  isUntrusted: false,
})

const problemsOf = (refusal: Refusal): string => {
  const problems = refusal.extensions['errors'] as readonly { readonly message: string }[] | undefined
  const told = problems?.map(({ message }) => message).join(' ')
  return told && !refusal.message.includes(told) ? `${refusal.message} ${told}` : refusal.message
}

/** Runs a tool as the caller. What is wrong with the call is its result, so that who calls can correct it. */
export async function runTool(calling: ToolCalling, tool: Tool, given: unknown): Promise<ToolResult> {
  try {
    if (JSON.stringify(given ?? {}).length > argumentsMax)
      return failed(`The arguments must have at most ${argumentsMax} characters.`)
    const { content, error = null, ...output } = await tool.run(calling, checkedArguments(tool, given ?? {}))
    const tooLarge = failed('The result is too large; ask for fewer records or fields.')
    // Building the text of some megabytes would delay all other requests.
    if (isJsonLargerThan(content, resultBytesMax)) return tooLarge
    // Records contain text of strangers: it is data in a field that says so, and never part of the instructions.
    const text = storableJson(tool.isUntrusted ? { untrusted: true, ...content } : content)
    if (Buffer.byteLength(text) > resultBytesMax) return tooLarge
    return { text, ...output, error, isUntrusted: tool.isUntrusted }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return failed(problemsOf(error))
  }
}

import { Refusal } from '../../kernel/errors.ts'
import { isJsonLargerThan } from '../../kernel/json/json-size.ts'
import { storableJson } from '../../kernel/json/storable-json.ts'
import { confirmChange, proposeChange } from '../proposal/proposal-tools.ts'
import { checkedArguments } from './check-arguments.ts'
import { searchDocumentsTool } from './document-tool.ts'
import { ask, describe, get, query, search, whoami } from './read-tools.ts'
import { argumentsMax, resultBytesMax, type Tool, type ToolCalling, type ToolOutput } from './tool.ts'

/** All tools. The language models of conversations and clients of MCP use the same ones. */
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
export const modelTools: readonly Tool[] = tools.filter(({ effect }) => effect !== 'CONFIRM')

/** The result of a call as text, and what is told of it. */
export interface ToolResult extends Omit<ToolOutput, 'content'> {
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
    const { content, ...output } = await tool.run(calling, checkedArguments(tool, given ?? {}))
    const tooLarge = failed('The result is too large; ask for fewer records or fields.')
    // Building the text of some megabytes would delay all other requests.
    if (isJsonLargerThan(content, resultBytesMax)) return tooLarge
    // Records contain text of strangers: it is data in a field that says so, and never part of the instructions.
    const text = storableJson(tool.isUntrusted ? { untrusted: true, ...content } : content)
    if (Buffer.byteLength(text) > resultBytesMax) return tooLarge
    return { text, ...output, error: null, isUntrusted: tool.isUntrusted }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return failed(problemsOf(error))
  }
}

import type { OperationContext } from '../../subgraphs/kernel/context.ts'

export interface McpTool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly parameters: object
  readonly effect: 'READ' | 'PROPOSE' | 'CONFIRM'
  readonly reachesOutside?: boolean
}

/** A question to the person about a proposed change. */
export interface McpQuestion {
  readonly id: string
  readonly proposalId: string
  readonly text: string
}

/** What the subgraph of the assistant offers; the composition root passes it. */
export interface ToolsPort {
  list(operation: OperationContext): Promise<readonly McpTool[]>
  has(operation: OperationContext, name: string): Promise<boolean>
  /** The result of a call; null if the credential has no such tool. */
  call(operation: OperationContext, name: string, given: unknown): Promise<{ text: string; isError: boolean } | null>
  ask(operation: OperationContext, proposalId: string): Promise<McpQuestion>
  answer(operation: OperationContext, question: string, answer: 'accept' | 'decline'): Promise<void>
  answerTo(operation: OperationContext, question: McpQuestion): Promise<string | null>
}

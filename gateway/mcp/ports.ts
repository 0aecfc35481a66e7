import type { Caller, OperationContext } from '../../subgraphs/kernel/context.ts'

export interface McpTool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly parameters: object
  readonly effect: 'READ' | 'PROPOSE' | 'CONFIRM'
}

/** A question to the person about a proposed change. */
export interface McpQuestion {
  readonly id: string
  readonly proposalId: string
  readonly text: string
}

/** What the subgraph of the assistant offers; the composition root passes it. */
export interface ToolsPort {
  list(caller: Caller): readonly McpTool[]
  call(operation: OperationContext, name: string, given: unknown): Promise<{ text: string; isError: boolean }>
  ask(operation: OperationContext, proposalId: string): Promise<McpQuestion>
  answer(operation: OperationContext, question: string, answer: 'accept' | 'decline'): Promise<void>
  answerTo(operation: OperationContext, question: McpQuestion): Promise<string | null>
}

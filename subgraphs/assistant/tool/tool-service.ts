import type { OperationContext } from '../../kernel/context.ts'
import { portsOf, requestContext, type Services } from '../../kernel/request.ts'
import { answerQuestion, answerTo, askPerson, type Question } from '../proposal/person.ts'
import type { Answering } from '../answer/answering.ts'
import { runTool, toolOfClient, toolsOfClient } from './registry.ts'
import type { Tool } from './tool.ts'

const ports = ['graph', 'languageModel', 'tenants'] as const

/** The tools for a client that calls them itself, such as one of MCP. */
export interface ToolService {
  /** The tools that the credential can use. */
  list(operation: OperationContext): Promise<readonly Tool[]>
  has(operation: OperationContext, name: string): Promise<boolean>
  /** The result of a call; null if the credential has no such tool. */
  call(operation: OperationContext, name: string, given: unknown): Promise<{ text: string; isError: boolean } | null>
  ask(operation: OperationContext, proposalId: string): Promise<Question>
  answer(operation: OperationContext, question: string, answer: 'accept' | 'decline'): Promise<void>
  answerTo(operation: OperationContext, question: Question): Promise<string | null>
}

export function toolService(services: Services): ToolService {
  const contextOf = async (operation: OperationContext): Promise<Answering> => {
    await services.shapes.load(operation.caller.organizationId)
    return requestContext(operation, services, { ports: portsOf(services, ports) })
  }
  return {
    list: async (operation) => toolsOfClient(await contextOf(operation)),
    async call(operation, name, given) {
      const ctx = await contextOf(operation)
      const tool = toolOfClient(ctx, name)
      if (!tool) return null
      const { text, error } = await runTool({ ctx, heard: null, signal: null }, tool, given)
      return { text, isError: error !== null }
    },
    has: async (operation, name) => toolOfClient(await contextOf(operation), name) !== null,
    ask: async (operation, proposalId) => askPerson(await contextOf(operation), proposalId),
    answer: async (operation, question, answer) => answerQuestion(await contextOf(operation), question, answer),
    answerTo: async (operation, question) => answerTo(await contextOf(operation), question),
  }
}

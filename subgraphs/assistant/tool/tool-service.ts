import type { Caller, OperationContext } from '../../kernel/context.ts'
import { holdsScope } from '../../kernel/scopes.ts'
import { portsOf, requestContext, type Services } from '../../kernel/request.ts'
import { answerQuestion, answerTo, askPerson, type Question } from '../proposal/person.ts'
import { proposedObjects } from '../proposal/proposed-objects.ts'
import { readScope } from '../question/find-names.ts'
import type { Answering } from '../answer/answering.ts'
import { failed, runTool, tools } from './registry.ts'
import type { Tool } from './tool.ts'

const ports = ['graph', 'languageModel', 'tenants'] as const

/** The tools for a client that calls them itself, such as one of MCP. */
export interface ToolService {
  /** The tools that the credential can use: those that propose and confirm only with the right to change a record. */
  list(caller: Caller): readonly Tool[]
  call(operation: OperationContext, name: string, given: unknown): Promise<{ text: string; isError: boolean }>
  ask(operation: OperationContext, proposalId: string): Promise<Question>
  answer(operation: OperationContext, question: string, answer: 'accept' | 'decline'): Promise<void>
  answerTo(operation: OperationContext, question: Question): Promise<string | null>
}

const writeScopes = proposedObjects.map((object) => readScope(object).replace(/^READ/, 'WRITE'))

const mayChange = (caller: Caller): boolean =>
  caller.role !== 'READ_ONLY' && writeScopes.some((scope) => holdsScope(caller, scope))

export function toolService(services: Services): ToolService {
  const contextOf = async (operation: OperationContext): Promise<Answering> => {
    await services.shapes.load(operation.caller.organizationId)
    return requestContext(operation, services, { ports: portsOf(services, ports) })
  }
  const list = (caller: Caller): readonly Tool[] =>
    mayChange(caller) ? tools : tools.filter(({ effect }) => effect === 'READ')
  return {
    list,
    async call(operation, name, given) {
      const tool = list(operation.caller).find((one) => one.name === name)
      const { text, error } = tool
        ? await runTool({ ctx: await contextOf(operation), heard: null }, tool, given)
        : failed('There is no such tool for this credential.')
      return { text, isError: error !== null }
    },
    ask: async (operation, proposalId) => askPerson(await contextOf(operation), proposalId),
    answer: async (operation, question, answer) => answerQuestion(await contextOf(operation), question, answer),
    answerTo: async (operation, question) => answerTo(await contextOf(operation), question),
  }
}

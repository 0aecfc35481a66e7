import { isErrorCode, Refusal } from '../../kernel/errors.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { ConversationContext } from '../conversation/conversation.types.ts'
import type { AssistantMode } from '../conversation/conversation.enumerations.ts'

export type Answering = RequestContext<'graph' | 'languageModel' | 'tenants'>

/** A question with what belongs to it. */
export interface Asked {
  readonly conversationId: string
  readonly content: string
  readonly mode: AssistantMode
  readonly context: ConversationContext | null
  /** Earlier messages of the conversation, the oldest first. */
  readonly history: readonly { readonly role: 'USER' | 'ASSISTANT'; readonly content: string }[]
}

/** A fifth of what a client may spend in one query. */
const costMax = 2_000
const timeoutMs = 5_000

/** Reads from the graph as the caller, with the rights of the caller; every error is thrown, so an answer is whole. */
export async function readAsCaller(
  { graph, caller, requestId }: Answering,
  document: string,
  variables: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, unknown>>> {
  const { data, errors } = await graph.read({ document, variables, costMax }, caller, { requestId, timeoutMs })
  const [error] = errors
  if (!error) return data!
  const code = error.extensions?.['code']
  throw new Refusal(isErrorCode(code) ? code : 'INTERNAL', error.message, { ...error.extensions })
}

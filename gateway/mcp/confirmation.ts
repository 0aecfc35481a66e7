import { createHmac, timingSafeEqual } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { Refusal } from '../../subgraphs/kernel/errors.ts'
import type { StreamLimits, StreamSlots } from '../edge/stream-slots.ts'
import { isId } from '../../subgraphs/kernel/ids.ts'
import { isJsonObject } from '../../subgraphs/kernel/json/exact-number.ts'
import type { OperationContext } from '../../subgraphs/kernel/context.ts'
import type { McpQuestion, ToolsPort } from './ports.ts'

/**
 * Says, as the session id of a client, that this client can ask its user. No process keeps sessions: the id is a signature over the
 * credential, so every process knows it.
 */
export class ElicitationMark {
  constructor(private readonly secret: Buffer) {}

  of(credentialId: string): string {
    return createHmac('sha256', this.secret).update(`mcp elicitation ${credentialId}`).digest('base64url')
  }

  isOf(credentialId: string, given: unknown): boolean {
    const [own, presented] = [Buffer.from(this.of(credentialId)), Buffer.from(typeof given === 'string' ? given : '')]
    return own.length === presented.length && timingSafeEqual(own, presented)
  }
}

const prefix = 'confirm-'

/** The request to a client to ask its user. Its id leads to the question, whichever process gets the answer. */
export const elicitation = ({ id, text }: McpQuestion) => ({
  jsonrpc: '2.0' as const,
  id: prefix + id,
  method: 'elicitation/create',
  params: {
    message: text,
    requestedSchema: { type: 'object', properties: {}, required: [] },
  },
})

/** The answer of a user, if the message is one; otherwise null. */
export function answerIn(
  message: unknown,
): { readonly question: string; readonly answer: 'accept' | 'decline' } | null {
  if (!isJsonObject(message) || 'method' in message || typeof message['id'] !== 'string') return null
  const question = message['id'].startsWith(prefix) ? message['id'].slice(prefix.length) : ''
  if (!isId(question)) return null
  const result = message['result']
  return { question, answer: isJsonObject(result) && result['action'] === 'accept' ? 'accept' : 'decline' }
}

const waitMs = 50_000
/** A user needs some seconds to read the question. */
const pollMs = (waitedMs: number): number => (waitedMs < 5_000 ? 250 : 1_000)

/** What the user answers; null if there is no answer in time, or the client has left. */
export async function awaitAnswer(
  tools: ToolsPort,
  operation: OperationContext,
  question: McpQuestion,
  signal: AbortSignal,
): Promise<string | null> {
  const fromMs = performance.now()
  for (let waitedMs = 0; !signal.aborted && waitedMs < waitMs; waitedMs = performance.now() - fromMs) {
    const answer = await tools.answerTo(operation, question)
    if (answer !== null) return answer
    await wait(pollMs(waitedMs), undefined, { signal }).catch(() => {})
  }
  return null
}

/** Questions that wait in this process, because each reads the database until its answer has come. */
export const waitingQuestions: StreamLimits = { perOrganization: 50, all: 500 }

/** A place for a waiting question, as a function that gives it back; null if there is none. */
export function questionPlace(slots: StreamSlots, organizationId: string): (() => void) | null {
  try {
    return slots.take(organizationId)
  } catch (error) {
    if (error instanceof Refusal) return null
    throw error
  }
}

import type { ChatServer } from '../../subgraphs/kernel/language-model/chat-server.fixture.ts'
import type { Member } from '../platform.ts'

export type Call = readonly [name: string, args: object]

/** Sends a message that the model answers with these calls, one after another, and returns the answer with the results of the calls. */
export async function answered(
  server: ChatServer,
  member: Member,
  content: string,
  calls: readonly Call[],
  context?: object,
) {
  server.answer = (reply, asked) => {
    const done = asked.messages.filter(({ role }) => role === 'tool').length
    const next = calls[done]
    if (next) reply.call(next[0], next[1], `call-${done}`).end('tool_calls')
    else reply.text('Done.').end()
  }
  const { id } = (await member.rest.conversationCreate!({ body: {} })).body
  const answer = (await member.rest.conversationSend!({ id, body: { content, ...(context && { context }) } })).body
  const results = server.asked.at(-1)!.messages.filter(({ role }) => role === 'tool')
  return { id, answer, results: results.map((one) => JSON.parse(one.content!) as Record<string, unknown>) }
}

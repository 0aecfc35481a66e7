import type { ServerSentEvent } from '../gateway/edge/event-streams.ts'
import type { OperationContext } from '../subgraphs/kernel/context.ts'
import type { CustomCall, CustomHandler } from './custom-handler.ts'

interface Frame {
  readonly event: string
  readonly data: unknown
}

/** What the subgraph of the assistant offers; the composition root passes it. */
export interface AnswerStreamsPort {
  stream(
    operation: OperationContext,
    message: { readonly conversationId: string; readonly input: never },
  ): Promise<{ readonly frames: AsyncIterable<Frame>; readonly isReplay: boolean }>
}

/** Streams the answer to a message. Refusals before the first frame are problems, as of every other operation. */
export const answerStreamHandlers = (answers: AnswerStreamsPort): ReadonlyMap<string, CustomHandler> =>
  new Map<string, CustomHandler>([
    [
      'conversationMessageStream',
      async ({ res, context, path, body }: CustomCall) => {
        const message = { conversationId: String(path['id']), input: body as never }
        const { frames, isReplay } = await answers.stream(context, message)
        if (isReplay) res.setHeader('Idempotent-Replayed', 'true')
        return eventsOf(frames)
      },
    ],
  ])

/** An iterator of its own, so that a client that leaves before the first event still ends the answer. */
function eventsOf(frames: AsyncIterable<Frame>): AsyncIterable<ServerSentEvent> {
  const source = frames[Symbol.asyncIterator]()
  const iterator: AsyncIterator<ServerSentEvent> = {
    async next() {
      const { done, value } = await source.next()
      if (done) return { done: true, value: undefined }
      return { done: false, value: { event: value.event, data: JSON.stringify(value.data) } }
    },
    async return() {
      await source.return?.()
      return { done: true, value: undefined }
    },
  }
  return { [Symbol.asyncIterator]: () => iterator }
}

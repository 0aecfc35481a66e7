import { EventSourceParserStream } from 'eventsource-parser/stream'
import type { Api } from './api.ts'

export interface Frame {
  readonly kind: string
  /** JSON, as it was sent. */
  readonly data: string
}

/** A comment is sent after 15 s without a frame, so a silent connection is a lost one. */
const silenceMsMax = 45_000

/** The connection has ended without a last frame. */
export class StreamLost extends Error {}

/** The frames of `POST /v1/webhooks/listen`, until its end. */
export async function* frames(api: Api, events: readonly string[] | null, signal: AbortSignal): AsyncGenerator<Frame> {
  const silence = new AbortController()
  const body = await api.stream('/v1/webhooks/listen', {
    method: 'POST',
    body: events === null ? {} : { events },
    headers: { Accept: 'text/event-stream, application/problem+json' },
    signal: AbortSignal.any([signal, silence.signal]),
  })
  let timer = setTimeout(() => silence.abort(), silenceMsMax)
  const heard = new TransformStream<Uint8Array, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      clearTimeout(timer)
      timer = setTimeout(() => silence.abort(), silenceMsMax)
      controller.enqueue(chunk as Uint8Array<ArrayBuffer>)
    },
  })
  const parsed = body.pipeThrough(heard).pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
  try {
    for await (const { event, data } of parsed) yield { kind: event ?? 'message', data }
  } catch (error) {
    if (signal.aborted) throw error
    throw new StreamLost('The connection was lost.', { cause: error })
  } finally {
    clearTimeout(timer)
  }
  throw new StreamLost('The connection has ended.')
}

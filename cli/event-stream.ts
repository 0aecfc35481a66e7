import { createParser } from 'eventsource-parser'
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
  yield* framesOf(body, signal, silence)
}

/** The frames in a body, which `silence` aborts. Time in which the reader is busy with a frame is no silence. */
export async function* framesOf(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
  silence: AbortController,
): AsyncGenerator<Frame> {
  const parsed: Frame[] = []
  const parser = createParser({ onEvent: ({ event, data }) => parsed.push({ kind: event ?? 'message', data }) })
  const decoder = new TextDecoder()
  const awaited = () => setTimeout(() => silence.abort(), silenceMsMax)
  let timer = awaited()
  try {
    for await (const chunk of body) {
      clearTimeout(timer)
      parser.feed(decoder.decode(chunk, { stream: true }))
      yield* parsed.splice(0)
      timer = awaited()
    }
  } catch (error) {
    if (signal.aborted) throw error
    throw new StreamLost('The connection was lost.', { cause: error })
  } finally {
    clearTimeout(timer)
  }
  throw new StreamLost('The connection has ended.')
}

export interface SentFrame {
  readonly event: string
  readonly data: Record<string, unknown>
}

const frameOf = (text: string): SentFrame[] => {
  const [, event, data] = /^event: (\w+)\ndata: (.*)$/.exec(text) ?? []
  return event === undefined ? [] : [{ event, data: JSON.parse(data!) as Record<string, unknown> }]
}

/** The frames of a whole stream. */
export const framesOf = async (response: Response): Promise<SentFrame[]> =>
  (await response.text()).split('\n\n').flatMap(frameOf)

/** Reads frames until one of this event, and leaves the stream open. */
export async function readUntil(response: Response, event: string): Promise<SentFrame> {
  const reader = response.body!.getReader()
  let text = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) throw new Error(`The stream ended without ${event}: ${text}`)
    text += Buffer.from(value).toString()
    const found = text
      .split('\n\n')
      .slice(0, -1)
      .flatMap(frameOf)
      .find((frame) => frame.event === event)
    if (found) return found
  }
}

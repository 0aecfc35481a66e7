import { newId } from '../../kernel/ids.ts'
import { isJsonObject } from '../../kernel/json/exact-number.ts'

type Fields = Readonly<Record<string, unknown>>

/** A larger body is not sent: the delivery fails at once, and the log says why. */
export const bodyBytesMax = 1_048_576
/** Larger bodies are reduced while the organization has used up what it may write, because one change makes bodies for many webhooks. */
export const reducedBodyBytesMax = 16_384

/** A body in `events.delivery_body`. Deliveries that send the same text share it. */
export interface Body {
  readonly id: string
  /** Null if it is stored already. */
  readonly text: string | null
  /** Its length as it is sent. */
  readonly bytes: number
}

export const newBody = (text: string): Body => ({ id: newId(), text, bytes: Buffer.byteLength(text) })

export const storedBody = (id: string, bytes: number): Body => ({ id, text: null, bytes })

export const isTooLarge = ({ bytes }: Pick<Body, 'bytes'>): boolean => bytes > bodyBytesMax

/**
 * The payload as JSON. If that is too large, it is without `previous`; if it still is, `record` has its id only, because every schema requires
 * that. `omitted` names what was left out.
 */
export function fittingText(payload: { readonly data: Fields }, bytesMax = bodyBytesMax): string {
  let [data, text] = [payload.data, JSON.stringify(payload)]
  for (const name of ['previous', 'record'] as const) {
    if (Buffer.byteLength(text) <= bytesMax) break
    data = leaveOut(name, data)
    text = JSON.stringify({ ...payload, data })
  }
  return text
}

function leaveOut(name: 'previous' | 'record', data: Fields): Fields {
  const { id, [name]: value, omitted = [] } = data
  if (!isJsonObject(value) || (omitted as string[]).includes(name)) return data
  // JSON has no members that are undefined.
  return { ...data, [name]: name === 'record' ? { id } : undefined, omitted: [...(omitted as string[]), name] }
}

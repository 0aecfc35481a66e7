import { newId } from '../../kernel/ids.ts'

/** A body in `events.delivery_body`. Deliveries that send the same text share it. */
export interface Body {
  readonly id: string
  /** Null if it is stored already. */
  readonly text: string | null
}

export const newBody = (text: string): Body => ({ id: newId(), text })

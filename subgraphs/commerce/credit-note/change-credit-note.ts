import { requireRecord } from '../../kernel/record/read.ts'
import { requireWritableRole, save } from '../../kernel/record/save.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { creditNote } from './credit-note.record.ts'
import type { CreditNote } from './credit-note.ts'

export type Version = number | null

/** What a verb changes. */
export interface Move {
  readonly implied: Partial<CreditNote>
  readonly events?: readonly string[]
}

/** Changes a credit note under the lock of its row, so that concurrent uses of its credit are decided one after another. */
export const changeCreditNote = (
  ctx: RequestContext,
  id: string,
  expectedVersion: Version,
  decide: (previous: CreditNote, inner: RequestContext) => Move | Promise<Move>,
): Promise<CreditNote> =>
  inTransaction(ctx, async (inner) => {
    requireWritableRole(inner)
    const previous = await requireRecord(inner, creditNote, id, { isLocked: true })
    const { implied, events = [] } = await decide(previous, inner)
    return save(inner, creditNote, { operation: 'UPDATE', previous, values: {}, implied, expectedVersion, events })
  })

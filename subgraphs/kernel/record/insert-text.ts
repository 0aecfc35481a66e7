import type { Column } from './column.ts'
import type { RecordShape } from './definition.ts'

interface InsertText {
  readonly columns: readonly Column[]
  readonly names: string
  readonly placeholders: string
}

const insertTexts = new WeakMap<readonly Column[], InsertText>()

/** The parts of an insert of all columns, whose values are the first parameters of its statement. */
export function insertTextOf({ stored }: RecordShape['columns']): InsertText {
  let text = insertTexts.get(stored)
  if (!text) {
    const columns = stored.filter(({ computed }) => !computed)
    const names = columns.map(({ column }) => column).join(', ')
    const placeholders = columns.map((_, index) => `$${index + 1}`).join(', ')
    insertTexts.set(stored, (text = { columns, names, placeholders }))
  }
  return text
}

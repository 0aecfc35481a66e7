import type { RequestContext } from '../request.ts'
import { columnOf, type RecordShape } from './definition.ts'
import { uniqueExternalIdIndex } from './record-table.ts'
import { uniqueViolation } from './unique-violation.ts'
import { isTaken, takenValue } from './value-index/taken-value.ts'

function uniqueColumnOf({ unique }: RecordShape, constraint: string): string | undefined {
  if (constraint.endsWith('_pkey')) return 'id'
  return constraint.startsWith(uniqueExternalIdIndex) ? 'externalId' : unique?.[constraint]
}

/** The refusal for a statement that has failed because another record has a value of this one; any other error as it is. */
export async function uniqueRefusal(
  ctx: RequestContext,
  definition: RecordShape,
  next: Readonly<Record<string, unknown>>,
  error: unknown,
): Promise<unknown> {
  if (isTaken(error)) return takenValue(ctx, definition, [next])
  const { code, constraint } = error as { readonly code?: string; readonly constraint?: string }
  if (code !== '23505' || !constraint) return error
  const name = uniqueColumnOf(definition, constraint)
  if (!name) return error
  return uniqueViolation(
    ctx,
    definition,
    name,
    (values) => `${columnOf(definition, name).sql('t')} = ${values.add(next[name])}`,
  )
}

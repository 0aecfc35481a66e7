import type { RequestContext } from '../../request.ts'
import { holdsScope } from '../../scopes.ts'
import { recordTypeIn } from '../custom-object.ts'
import { columnOf, hasColumn, type RecordShape } from '../definition.ts'
import { isHidden } from '../field-security.ts'
import { namedRecordOf } from '../named-records.ts'
import { readReference } from '../read.ts'
import { recordNamed } from '../record-registry.ts'
import { knownReadScope } from '../requires-scope.ts'
import type { RequestedKey } from './aggregate-request.ts'
import { organizationSource } from './organization-facts.ts'

const labelColumns = ['name', 'subject'] as const

interface Labelled {
  readonly shape: RecordShape
  readonly column: string
}

/** The record type whose names the values of a key have, and that the caller may read; null if there is none. */
function labelled(ctx: RequestContext, definition: RecordShape, { column }: RequestedKey): Labelled | null {
  const { caller } = ctx
  if (column.kind !== 'id') return null
  const named = column.user ? 'user' : namedRecordOf(definition.entity, column.name)
  if (named === 'user') return { shape: organizationSource().users, column: 'name' }
  const relation = Object.values(definition.relations ?? {}).find(({ by }) => by === column.name)
  const shape = column.lookup
    ? recordTypeIn(ctx, column.lookup.to)
    : relation
      ? relation.to()
      : named === null
        ? null
        : recordNamed(named)
  const name = shape && labelColumns.find((one) => hasColumn(shape, one))
  if (!shape || !name || isHidden(caller, shape, name)) return null
  const scope = knownReadScope(shape.entity)
  if (scope === null || !holdsScope(caller, scope)) return null
  return { shape, column: columnOf(shape, name).name }
}

/** The names of the users and records whose ids are values of a key, as far as the caller sees them. One statement for each key. */
export async function labelsOf(
  ctx: RequestContext,
  definition: RecordShape,
  key: RequestedKey,
  ids: readonly (string | null)[],
): Promise<ReadonlyMap<string, string>> {
  const found = labelled(ctx, definition, key)
  if (!found) return new Map()
  const selected = new Set([found.column])
  const distinct = [...new Set(ids)].filter((id) => id !== null)
  const rows = await Promise.all(distinct.map((id) => readReference(ctx, found.shape, id, selected)))
  return new Map(
    rows.flatMap((row, index) => {
      const label = row?.[found.column]
      return typeof label === 'string' && label !== '' ? [[distinct[index]!, label] as const] : []
    }),
  )
}

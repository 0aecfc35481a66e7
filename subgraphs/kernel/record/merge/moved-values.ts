import { isJsonObject } from '../../json/exact-number.ts'
import { customFieldsName } from '../custom-field-column.ts'
import type { NamingField } from './naming.ts'

type Fields = Readonly<Record<string, unknown>>

/** The record that stays, by the ids of those that were merged into it. */
export type Winners = Pick<ReadonlyMap<unknown, string>, 'get'>

const isOfKind = ({ kind }: NamingField, values: Fields): boolean => kind === null || values[kind.name] === kind.value

/** A list of objects without a second one for the same record. What named it before comes before what was moved to it. */
function movedObjects(objects: readonly Fields[], field: NamingField, winners: Winners): readonly Fields[] | null {
  const part = field.part!.name
  const winnerOf = (object: Fields): string | undefined =>
    isOfKind(field, object) ? winners.get(object[part]) : undefined
  if (!objects.some(winnerOf)) return null
  const known = new Set(
    objects.filter((object) => isOfKind(field, object) && !winnerOf(object)).map((one) => one[part]),
  )
  return objects.flatMap((object) => {
    const winner = winnerOf(object)
    if (winner === undefined) return [object]
    if (known.has(winner)) return []
    known.add(winner)
    return [{ ...object, [part]: winner }]
  })
}

function movedIds(ids: readonly unknown[], winners: Winners): readonly unknown[] | null {
  return ids.some((id) => winners.get(id)) ? [...new Set(ids.map((id) => winners.get(id) ?? id))] : null
}

/** The new value of one field; undefined if it names none of these records. */
function movedValue(record: Fields, field: NamingField, winners: Winners): unknown {
  const { column, part } = field
  const value =
    column.key === undefined ? record[column.name] : ((record[customFieldsName] ?? {}) as Fields)[column.key]
  if (!part) {
    if (!isOfKind(field, record)) return undefined
    return Array.isArray(value) ? (movedIds(value, winners) ?? undefined) : winners.get(value)
  }
  if (Array.isArray(value)) return movedObjects(value as Fields[], field, winners) ?? undefined
  if (!isJsonObject(value) || !isOfKind(field, value)) return undefined
  const inner = value[part.name]
  const moved = Array.isArray(inner) ? movedIds(inner, winners) : winners.get(inner)
  return moved ? { ...value, [part.name]: moved } : undefined
}

/** What changes of a record that names some of these records: it names those that they were merged into. */
export function movedValues(record: Fields, fields: readonly NamingField[], winners: Winners): Fields {
  const moved: Record<string, unknown> = {}
  for (const field of fields) {
    const { column } = field
    const value = movedValue({ ...record, ...moved }, field, winners)
    if (value === undefined) continue
    if (column.key === undefined) moved[column.name] = value
    else moved[customFieldsName] = { ...(moved[customFieldsName] as Fields | undefined), [column.key]: value }
  }
  return moved
}

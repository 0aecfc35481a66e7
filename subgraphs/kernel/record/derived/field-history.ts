import type { Sql } from '../../database/sql.ts'
import { newId } from '../../ids.ts'
import { customFieldsName } from '../custom-field-column.ts'
import { isSameValue } from '../same-value.ts'
import type { Contributor } from './contributor.ts'
import type { RecordChange } from './derived-rows.ts'

type Fields = Readonly<Record<string, unknown>>

/** Its subgraph creates it and its partitions, and reads it. */
export const fieldHistoryTable = 'records.field_history'

const valuesOf = (record: Fields | null): Fields => (record?.[customFieldsName] ?? {}) as Fields

/** A row for each tracked field whose value a change replaces. A new record has no history yet. */
const rowsOf = ({ operation, previous, next }: RecordChange, keys: readonly string[]): object[] =>
  operation !== 'UPDATE'
    ? []
    : keys.flatMap((key) => {
        const [before, after] = [valuesOf(previous)[key] ?? null, valuesOf(next)[key] ?? null]
        if (isSameValue(before, after)) return []
        const { organizationId, id, version, updatedAt, updatedById } = next
        const values = { previous_value: before, value: after }
        const change = { record_id: id, version, changed_at: updatedAt, changed_by_id: updatedById }
        return [{ organization_id: organizationId, id: newId(), field: key, ...values, ...change }]
      })

/** The history of the fields that an organization tracks, in the statement of each change. */
export const fieldHistory: Contributor = ({ object }, { customFields }) => {
  const fields = Object.hasOwn(customFields, object) ? customFields[object]! : []
  const keys = fields.flatMap(({ name, hasHistory }) => (hasHistory ? [name] : []))
  if (keys.length === 0) return null
  return ({ values, isWritten }, changes): Readonly<Record<string, string>> => {
    const rows = changes.flatMap((change) => rowsOf(change, keys))
    if (rows.length === 0) return {}
    const columns = 'organization_id, id, record_id, field, previous_value, value, version, changed_at, changed_by_id'
    return {
      field_history: `insert into ${fieldHistoryTable} (object, ${columns})
        select ${values.add(object)}::text, ${columns} from jsonb_to_recordset(${values.add(JSON.stringify(rows))}::jsonb) as h(
          organization_id uuid, id uuid, record_id uuid, field text, previous_value jsonb, value jsonb, version int,
          changed_at timestamptz, changed_by_id uuid)
        where ${isWritten('h.record_id')}`,
    }
  }
}

/** Removes the history of a field that was removed, of these records. */
export async function forgetFieldHistory(
  sql: Sql,
  organizationId: string,
  recordIds: readonly string[],
  key: string,
): Promise<void> {
  await sql.query(
    `delete from ${fieldHistoryTable} where organization_id = $1 and record_id = any($2::uuid[]) and field = $3`,
    [organizationId, recordIds, key],
    'WRITE',
  )
}

import { invalid, invalidFields, Refusal, type FieldProblem } from '../errors.ts'
import { isJsonObject } from '../json/exact-number.ts'
import type { RequestContext } from '../request.ts'
import { calculate } from './calculate.ts'
import { checkValues } from './check-values.ts'
import type { Column } from './column.ts'
import { withFormulas } from './computed-values.ts'
import { noteFields } from './note-fields.ts'
import { customFieldsName } from './custom-field-column.ts'
import { isLive } from './live-formulas.ts'
import type { Draft, RecordDefinition, RecordShape, StoredRow } from './definition.ts'
import { nameOf } from './describe.ts'
import { importedProblems } from './imported-fields.ts'
import { refuseManaged } from './managed-by.ts'
import { changedColumns, nextRecord, normalized, together, type Fields } from './next-record.ts'
import { bookkeeping } from './record-events.ts'
import { withUnversionedOf } from './unversioned-values.ts'

export function refuse(errors: FieldProblem[]): void {
  if (errors.length > 0) throw invalid(...errors)
}

export function versionConflict(definition: RecordShape, previous: Fields): Refusal {
  return new Refusal(
    'VERSION_CONFLICT',
    `The ${nameOf(definition)} was changed by someone else; read it again and repeat your change.`,
    {
      currentVersion: previous.version,
    },
  )
}

/** A requested change with the record that it leads to. The values are within the bounds of their columns; nothing else is checked. */
export interface PreparedChange<T extends StoredRow> {
  readonly values: Partial<T>
  readonly previous: (T & Fields) | null
  readonly next: T & Fields
  readonly changed: readonly Column[]
  /** Nothing but the version and the times would change. */
  readonly changesNothing: boolean
}

/** What a client may have read of the record, and may send unchanged. */
async function readBefore<T extends StoredRow>(
  ctx: RequestContext,
  definition: RecordDefinition<T>,
  { values }: Draft<T>,
  previous: (T & Fields) | null,
): Promise<object | null> {
  const given = (values as Fields)[customFieldsName]
  if (isJsonObject(given)) noteFields(ctx, definition, Object.keys(given))
  if (!previous || !isJsonObject(given)) return previous
  const isGiven = ({ key = '' }: Column): boolean => Object.hasOwn(given, key)
  const { formulas, rollups } = definition.columns
  const derived = {
    formulas: formulas.filter((column) => isLive(column) && isGiven(column)),
    rollups: rollups.filter(isGiven),
  }
  return withUnversionedOf(ctx, definition, derived, previous)
}

export async function prepareChange<T extends StoredRow>(
  ctx: RequestContext,
  definition: RecordDefinition<T>,
  draft: Draft<T>,
): Promise<PreparedChange<T>> {
  // What is stored of formulas may be older than their definitions, so it is not compared.
  const previous = draft.previous && withFormulas(definition.columns, draft.previous as T & Fields)
  const values = normalized(definition, together<T>(draft.values, draft.implied ?? {}))
  // Given values are checked even when an implied value overrides them.
  const problems = checkValues(
    definition,
    { ...values, ...draft.values },
    await readBefore(ctx, definition, draft, previous),
  )
  if (problems.length > 0) throw invalidFields(...problems)
  if (!previous) refuse(importedProblems(ctx, definition, draft.values as Fields))
  if (draft.expectedVersion != null && previous && previous.version !== draft.expectedVersion)
    throw versionConflict(definition, previous)
  const next = nextRecord(ctx, definition, { ...draft, previous }, values)
  await calculate(ctx, definition, next, previous, values)
  const changed = previous ? changedColumns(definition, previous, next) : definition.columns.stored
  if (previous) refuseManaged(ctx, definition, draft.operation, previous, changed)
  const isUnchanged =
    draft.operation !== 'DELETE' && !draft.mergedIds && changed.every((column) => bookkeeping.has(column.name))
  return { values, previous, next, changed, changesNothing: previous !== null && isUnchanged }
}

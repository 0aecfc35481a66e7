import { newId } from '../../kernel/ids.ts'
import type { SerializedRule } from '../../kernel/record/definition.ts'
import { noUserId } from '../../kernel/context.ts'
import { refusalInSituation } from '../../kernel/record/transitions.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { FieldProblem } from '../../kernel/errors.ts'
import type { CustomFieldChange } from '../custom-field/custom-field.enumerations.ts'
import type { CustomField } from '../custom-field/custom-field.ts'
import { picklists } from '../custom-field/types-of.ts'
import { afterTypeChange } from '../custom-field/type-change.ts'
import { buildFormulaName } from '../field-formula/values-state.ts'
import { changesBegunBy, type BegunChange } from './field-change.ts'
import { fieldChangeTable } from './field-change.migrations.ts'

export const noProgress = (change: CustomFieldChange): CustomField['progress'] => ({
  change,
  processed: 0,
  total: null,
  failures: 0,
  message: null,
})

/** What follows from a change of a definition. */
export function stateAfter(
  next: CustomField,
  previous: CustomField | null,
  given: Partial<CustomField>,
): Partial<CustomField> {
  const typed = afterTypeChange(next, previous, given)
  const { fieldType, picklistValues } = { ...next, ...typed }
  const active = new Set(picklistValues.flatMap(({ value, isActive }) => (isActive ? [value] : [])))
  const aliases = picklists.includes(fieldType) ? next.aliases.filter(({ from }) => !active.has(from)) : []
  const first = changesBegunBy({ ...next, ...typed }, previous).find(({ isAfterwards }) => !isAfterwards)
  return {
    ...typed,
    ...(aliases.length < next.aliases.length && { aliases }),
    ...(first && { state: 'BUILDING' as const, progress: noProgress(first.kind) }),
  }
}

/** A definition is not changed while a change of it is under way: both would decide about the same records. */
export async function nothingIsUnderWay(
  ctx: RequestContext,
  _next: CustomField,
  previous: CustomField | null,
): Promise<FieldProblem[]> {
  if (ctx.caller.kind === 'SYSTEM' || previous === null || previous.state === 'READY') return []
  if (previous.state === 'BUILDING' && (await onlyFormulaIsBuilt(ctx, previous))) return []
  const message =
    previous.state === 'DELETING'
      ? 'The values of the field are being removed; it can no longer be changed or restored.'
      : 'A change of the field is under way; repeat yours when its state is READY.'
  throw refusalInSituation(message, { state: previous.state })
}

/** Writing the values of a formula into the records begins again when its definition changes meanwhile, so it may. */
async function onlyFormulaIsBuilt({ db, caller }: RequestContext, { id, fieldType }: CustomField): Promise<boolean> {
  if (fieldType !== 'FORMULA') return false
  const others = await db.query(
    `select from ${fieldChangeTable.table} where organization_id = $1 and field_id = $2 and state = 'QUEUED' and kind <> $3 limit 1`,
    [caller.organizationId, id, buildFormulaName],
  )
  return others.length === 0
}

/** Queues what the change of a definition begins, in its transaction. */
export const beginsChanges: SerializedRule<CustomField> = {
  concerns: (_ctx, next, previous) => changesBegunBy(next, previous).length > 0,
  async enforce(ctx, next, previous) {
    await queueChanges(ctx, next.id, changesBegunBy(next, previous))
    return []
  },
}

/** Changes of one field are carried out one after another, in this order. */
export async function queueChanges(
  { db, caller }: RequestContext,
  fieldId: string,
  changes: readonly Omit<BegunChange, 'isAfterwards'>[],
): Promise<void> {
  // What follows from the end of another change belongs to whoever requested that.
  const requestedById = caller.userId === noUserId ? null : caller.userId
  for (const { kind, parameters } of changes)
    await db.query(
      `insert into ${fieldChangeTable.table} (organization_id, id, field_id, kind, parameters, requested_by_id)
       values ($1, $2, $3, $4, $5, $6)`,
      [caller.organizationId, newId(), fieldId, kind, JSON.stringify(parameters), requestedById],
    )
}

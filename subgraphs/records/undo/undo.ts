import { notFound, Refusal, type FieldProblem } from '../../kernel/errors.ts'
import { transactionWithExternalCalls } from '../../kernel/outbound/external-call.ts'
import { customFieldKey, customFieldsName } from '../../kernel/record/custom-field-column.ts'
import { recordTypeIn } from '../../kernel/record/custom-object.ts'
import { hasColumn, type RecordDefinition, type RecordShape, type StoredRow } from '../../kernel/record/definition.ts'
import { nameOf } from '../../kernel/record/describe.ts'
import { isDerived } from '../../kernel/record/column.ts'
import { isHidden, mayWrite } from '../../kernel/record/field-security.ts'
import { mayReadType } from '../../kernel/record/may-read-type.ts'
import { requireRecord, stateOf, statesOf } from '../../kernel/record/read.ts'
import type { Records } from '../../kernel/record/records-of.ts'
import { requireWritableRole } from '../../kernel/record/save.ts'
import { isSameValue } from '../../kernel/record/same-value.ts'
import { scopeOf } from '../../kernel/record/requires-scope.ts'
import { lockSerializedRules } from '../../kernel/record/serialized-rules.ts'
import { inTransaction, withoutEffect, type RequestContext } from '../../kernel/request.ts'
import { requireScopes } from '../../kernel/unmet-scopes.ts'
import { lockRecords } from '../bulk-job/load/find-records.ts'
import { laterChange, operationEvents, type OperationEvent, type Selection } from './operation-events.ts'
import { planOf, type RecordPlan } from './record-plan.ts'
import { referredByOthers } from './referred-by-others.ts'
import { selectionOf } from './selection.ts'
import { undoableNamed, type Undoable } from './undoable.ts'
import type { NotUndone, UndoInput, UndoneRecord, UndoResult } from './undo.types.ts'

type Fields = Readonly<Record<string, unknown>>

/** What stays, besides where it is. */
type Left = Omit<NotUndone, 'object' | 'recordId'>

const left = (reason: string, message: string, field: string | null = null): Left => ({
  reason,
  message,
  field,
  changedById: null,
  changedAt: null,
})

/** Takes back what an operation did, record by record, as far as the caller sees and may write it. */
export async function undo(ctx: RequestContext, input: UndoInput): Promise<UndoResult> {
  requireWritableRole(ctx)
  const selection = await selectionOf(ctx, input)
  return transactionWithExternalCalls(ctx, (inner) => {
    if (!input.dryRun) return new Undo(inner, input).run(selection)
    return withoutEffect({ ...inner, dryRun: inner.dryRun ?? 'CHANGES' }, (tried) =>
      new Undo(tried, input).run(selection),
    )
  })
}

class Undo {
  readonly #undone: UndoneRecord[] = []
  readonly #left: NotUndone[] = []
  readonly #conflicts: NotUndone[] = []
  /** The ids of created records to which others refer. */
  #referred: ReadonlySet<string> = new Set()

  constructor(
    private readonly ctx: RequestContext,
    private readonly input: UndoInput,
  ) {}

  async run(selection: Selection): Promise<UndoResult> {
    const { ctx, input } = this
    const events = await operationEvents(ctx, selection)
    const plans = await this.#plansOf(events)
    if (plans.length === 0 && this.#left.length === 0) throw notFound('A change that you see of this operation')
    await this.#lock(plans)
    const [created, others] = [plans.filter(({ plan }) => plan.isCreated), plans.filter(({ plan }) => !plan.isCreated)]
    // What came last is undone first: children before their parents, and references to created records before these.
    for (const { plan, undoable } of others.toReversed()) await this.#undoRecord(plan, undoable)
    const newPlans = created.map(({ plan }) => plan)
    this.#referred = await referredByOthers(ctx, newPlans)
    for (const { plan, undoable } of created.toReversed()) await this.#undoRecord(plan, undoable)
    if (input.onConflict === 'REFUSE' && this.#conflicts.length > 0) throw this.#refusal()
    return {
      operationId: ctx.operationId ?? ctx.requestId,
      dryRun: input.dryRun || ctx.dryRun !== undefined,
      undone: this.#undone,
      notUndone: [...this.#conflicts, ...this.#left],
    }
  }

  /** What happened to each record that the caller sees. Refuses a caller without the scope of one of the types. */
  async #plansOf(events: readonly OperationEvent[]): Promise<{ plan: RecordPlan; undoable: Undoable }[]> {
    const { ctx } = this
    const types = new Map(
      [...new Set(events.map(({ object }) => object))].map((object) => [object, undoableNamed(ctx, object)]),
    )
    const needed = [...types.values()].flatMap((type) => (type ? [[[scopeOf('WRITE', type.scope)]]] : []))
    requireScopes(ctx.caller, needed)
    const plans: { plan: RecordPlan; undoable: Undoable }[] = []
    const seen = new Map<string, ReadonlyMap<string, unknown>>()
    for (const [object, group] of Map.groupBy(events, (event) => event.object)) {
      const shape = types.get(object)?.definition ?? this.#toldShape(object)
      const ids = [...new Set(group.map(({ recordId }) => recordId))]
      if (shape) seen.set(object, await statesOf(ctx, shape, ids))
    }
    for (const [, group] of Map.groupBy(events, ({ object, recordId }) => `${object} ${recordId}`)) {
      const { object, recordId } = group[0]!
      if (!seen.get(object)?.has(recordId)) continue
      const undoable = types.get(object)
      if (undoable) plans.push({ plan: planOf(undoable.definition, group), undoable })
      else {
        const message = `Changes of the ${nameOf({ object })} are not undone.`
        this.#left.push({ object, recordId, ...left('NOT_A_RECORD', message) })
      }
    }
    return plans
  }

  /** The type of what is told although its changes cannot be undone, such as mails; null if it is not. */
  #toldShape(object: string): RecordShape | null {
    const shape = recordTypeIn(this.ctx, object)
    if (!shape || shape.isAdministrative || !hasColumn(shape, 'deletedAt')) return null
    return mayReadType(this.ctx.caller, shape) ? shape : null
  }

  /** Nobody changes the records between their comparison and the undo. In the order of bulk changes, so that none of them waits for an undo that waits for it. */
  async #lock(plans: readonly { plan: RecordPlan; undoable: Undoable }[]): Promise<void> {
    const { ctx } = this
    const byType = [...Map.groupBy(plans, ({ plan }) => plan.object)].toSorted(([a], [b]) => (a < b ? -1 : 1))
    for (const [, [first]] of byType) await lockSerializedRules(ctx, first!.undoable.definition)
    for (const [, group] of byType) {
      const ids = group.map(({ plan }) => plan.recordId)
      await lockRecords(ctx, group[0]!.undoable.definition, ids)
    }
  }

  async #undoRecord(plan: RecordPlan, undoable: Undoable): Promise<void> {
    const { object, recordId } = plan
    const conflict = (one: Left): void => void this.#conflicts.push({ object, recordId, ...one })
    try {
      await inTransaction(this.ctx, (inner) => this.#change(inner, plan, undoable, conflict))
    } catch (error) {
      // A hook that cannot decide says nothing about one record, and all of them may be tried again.
      if (!(error instanceof Refusal) || error.code === 'HOOK_UNAVAILABLE' || error.code === 'UNAVAILABLE') throw error
      conflict(left('REFUSED', error.message, fieldOf(error, undoable, this.ctx)))
    }
  }

  async #change(
    ctx: RequestContext,
    plan: RecordPlan,
    { definition, records }: Undoable,
    conflict: (one: Left) => void,
  ): Promise<void> {
    const { object, recordId, wasLive, isLive } = plan
    const isLiveNow = (await stateOf(ctx, definition, recordId)) === 'LIVE'
    const done = (action: string, fields: string[] = []): void =>
      void this.#undone.push({ object, recordId, action, fields })
    if (!wasLive) {
      if (!isLiveNow || !isLive) return
      const found = [
        ...(await this.#changesSince(ctx, plan, definition)),
        ...(this.#referred.has(recordId)
          ? [left('HAS_RECORDS', `Other records refer to the ${nameOf(definition)}.`)]
          : []),
      ]
      if (found.length > 0) return found.forEach(conflict)
      await records.remove(ctx, recordId)
      return done('DELETED')
    }
    if (!isLive) {
      if (isLiveNow) return
      await records.restore(ctx, recordId)
    } else if (!isLiveNow) {
      const since = await laterChange(ctx, { ...plan, field: null })
      return conflict({ ...left('CHANGED', `The ${nameOf(definition)} has been deleted since.`), ...since })
    }
    const fields = await this.#setBack(ctx, plan, definition, records, conflict)
    if (!isLive) done('RESTORED', fields)
    else if (fields.length > 0) done('UPDATED', fields)
  }

  /** Gives fields back the values before the operation, of those that still have the value of the operation. */
  async #setBack(
    ctx: RequestContext,
    { object, recordId, position, before, after }: RecordPlan,
    definition: RecordDefinition<StoredRow>,
    records: Records<StoredRow>,
    conflict: (one: Left) => void,
  ): Promise<string[]> {
    if (before.size === 0) return []
    const { caller } = ctx
    const current = (await requireRecord(ctx, definition, recordId)) as unknown as Fields
    const values: Record<string, unknown> = {}
    const custom: Record<string, unknown> = {}
    const set: string[] = []
    const followers: string[] = []
    for (const [field, value] of before) {
      const column = definition.columns.byName.get(field)
      const key = customFieldKey(field)
      // The column or the custom field does not exist any more.
      if (!column && (key === null || definition.columns.hasDefinedKeysOnly)) continue
      const now = valueIn(current, field)
      if (isSame(now, value)) continue
      const shown = isHidden(caller, definition, field) ? null : field
      if (column && (isDerived(column) || (column.writable ?? 'ALWAYS') !== 'ALWAYS')) {
        if (!column.internal) followers.push(field)
      } else if (!isSame(now, after.get(field))) {
        const what = shown ?? 'A field'
        const since = await laterChange(ctx, { object, recordId, position, field })
        conflict({ ...left('CHANGED', `${what} has another value than the operation gave it.`, shown), ...since })
      } else if (!mayWrite(caller, definition, field)) {
        conflict(left('REFUSED', `Your profile does not let you change ${shown ?? 'a field'}.`, shown))
      } else {
        if (key === null) values[field] = value
        else custom[key] = value
        set.push(field)
      }
    }
    if (Object.keys(custom).length > 0) values[customFieldsName] = custom
    const readable = (field: string): boolean => !isHidden(caller, definition, field)
    const notWritable = (field: string, message: string): void =>
      void this.#left.push({ object, recordId, ...left('NOT_WRITABLE', message, field) })
    const updated = set.length > 0 ? await records.update(ctx, recordId, values) : null
    // Such as a password: the event has only its mask.
    const kept = set.filter(
      (field) => readable(field) && !isSame(valueIn(updated as unknown as Fields, field), before.get(field)),
    )
    for (const field of kept) notWritable(field, `The value that ${field} had is not known.`)
    if (followers.length > 0) {
      const changed = (await requireRecord(ctx, definition, recordId)) as unknown as Fields
      for (const field of followers)
        if (!isSame(valueIn(changed, field), before.get(field)) && readable(field))
          notWritable(field, `Only the platform sets ${field}.`)
    }
    return set.filter((field) => readable(field) && !kept.includes(field))
  }

  /** The changes of a record, which is to be deleted, after the operation. */
  async #changesSince(ctx: RequestContext, plan: RecordPlan, definition: RecordDefinition<StoredRow>): Promise<Left[]> {
    const { version } = (await requireRecord(ctx, definition, plan.recordId)) as unknown as { version: number }
    if (version === plan.version) return []
    const since = await laterChange(ctx, { ...plan, field: null })
    return [{ ...left('CHANGED', `The ${nameOf(definition)} has been changed since.`), ...since }]
  }

  #refusal(): Refusal {
    const errors = this.#conflicts
      .slice(0, 50)
      .map(({ field, reason, message, object, recordId, changedById, changedAt }) => ({
        path: field ?? 'recordId',
        code: reason,
        message,
        object,
        recordId,
        changedById,
        changedAt,
      }))
    const many = this.#conflicts.length === 1 ? 'One change' : `${this.#conflicts.length} changes`
    return new Refusal('UNDO_CONFLICT', `${many} of the operation cannot be undone; nothing was undone.`, { errors })
  }
}

function valueIn(record: Fields, field: string): unknown {
  const key = customFieldKey(field)
  if (key === null) return record[field]
  return (record[customFieldsName] as Fields | null | undefined)?.[key]
}

const isSame = (one: unknown, other: unknown): boolean => isSameValue(one ?? null, other ?? null)

/** The field that a refusal names, if the caller sees it. */
function fieldOf({ extensions }: Refusal, { definition }: Undoable, { caller }: RequestContext): string | null {
  const path = (extensions['errors'] as readonly FieldProblem[] | undefined)?.[0]?.path ?? null
  const isField = path !== null && (definition.columns.byName.has(path) || customFieldKey(path) !== null)
  return isField && !isHidden(caller, definition, path) ? path : null
}

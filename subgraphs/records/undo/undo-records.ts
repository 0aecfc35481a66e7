import { Refusal, type FieldProblem } from '../../kernel/errors.ts'
import { customFieldKey } from '../../kernel/record/custom-field-column.ts'
import { recordTypeIn } from '../../kernel/record/custom-object.ts'
import { hasColumn, type RecordDefinition, type RecordShape, type StoredRow } from '../../kernel/record/definition.ts'
import { nameOf } from '../../kernel/record/describe.ts'
import { isHidden } from '../../kernel/record/field-security.ts'
import { mayReadType } from '../../kernel/record/may-read-type.ts'
import { lockRows } from '../../kernel/record/lock-rows.ts'
import { requireRecord, stateOf, statesOf } from '../../kernel/record/read.ts'
import type { Records } from '../../kernel/record/records-of.ts'
import { scopeOf } from '../../kernel/record/requires-scope.ts'
import { lockSerializedRules } from '../../kernel/record/serialized-rules.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import type { ScopeRequirement } from '../../kernel/scopes.ts'
import { requireScopes } from '../../kernel/unmet-scopes.ts'
import { wholeRecords } from '../bulk-job/load/find-records.ts'
import { passes } from '../bulk-job/load/row-problem.ts'
import { comparedFields, isSame, left, valueIn, type TellConflict } from './compared-fields.ts'
import { laterChanges, type ChangedField, type OperationEvent } from './operation-events.ts'
import { PlanBuilder, type RecordPlan } from './record-plan.ts'
import { undoableNamed, type Undoable } from './undoable.ts'
import type { NotUndone, UndoneRecord } from './undo.types.ts'

type Fields = Readonly<Record<string, unknown>>

export interface PlannedRecord {
  readonly plan: RecordPlan
  readonly undoable: Undoable
}

/** Takes back what an operation did to records, one after another, as far as the caller sees and may write it. */
export class UndoRecords {
  readonly undone: UndoneRecord[] = []
  /** What no undo takes back. */
  readonly left: NotUndone[] = []
  readonly conflicts: NotUndone[] = []
  /** What is compared, by its type and id: whether it is live, and the record unless it is too large to be read with the others. */
  readonly #known = new Map<string, { readonly isLive: boolean; readonly record: Fields | null }>()
  /** The conflicts of which somebody may be told who changed the field, by their places. */
  readonly #changed: { readonly place: number; readonly of: ChangedField }[] = []

  constructor(
    private readonly ctx: RequestContext,
    /** Nothing is changed: `undone` and `conflicts` are what the values, versions, references and rights of now say, without the rules and hooks. */
    private readonly isComparison = false,
  ) {}

  get notUndone(): NotUndone[] {
    return [...this.conflicts, ...this.left]
  }

  /** Takes the records in this order. `referred`: the ids of created records to which others refer. */
  async take(records: readonly PlannedRecord[], referred: ReadonlySet<string> = new Set()): Promise<void> {
    if (this.isComparison) await this.#read(records)
    for (const { plan, undoable } of records) await this.#undoRecord(plan, undoable, referred)
    const changed = this.#changed.splice(0)
    const later = await laterChanges(
      this.ctx,
      changed.map(({ of }) => of),
    )
    for (const [index, { place }] of changed.entries())
      this.conflicts[place] = { ...this.conflicts[place]!, ...later[index] }
  }

  /** Reads what is compared, all records of a type together. */
  async #read(records: readonly PlannedRecord[]): Promise<void> {
    for (const [object, group] of Map.groupBy(records, ({ plan }) => plan.object)) {
      const { definition } = group[0]!.undoable
      const ids = group.map(({ plan }) => plan.recordId)
      const states = await statesOf(this.ctx, definition, ids)
      const live = await wholeRecords(this.ctx, definition, ids)
      for (const id of ids) {
        const record = (live?.get(id) ?? null) as Fields | null
        this.#known.set(`${object} ${id}`, { isLive: states.get(id) === 'LIVE', record })
      }
    }
  }

  async #isLive(ctx: RequestContext, { object, recordId }: RecordPlan, { definition }: Undoable): Promise<boolean> {
    const known = this.#known.get(`${object} ${recordId}`)
    return known?.isLive ?? (await stateOf(ctx, definition, recordId)) === 'LIVE'
  }

  async #current(
    ctx: RequestContext,
    { object, recordId }: RecordPlan,
    definition: RecordDefinition<StoredRow>,
  ): Promise<Fields> {
    const known = this.#known.get(`${object} ${recordId}`)?.record
    return known ?? ((await requireRecord(ctx, definition, recordId)) as unknown as Fields)
  }

  /** What happened to each record that the caller sees. Refuses a caller without the scope of one of the types. */
  async plansOf(events: AsyncIterable<OperationEvent> | Iterable<OperationEvent>): Promise<PlannedRecord[]> {
    const { ctx } = this
    const types = new Map<string, Undoable | null>()
    const builders = new Map<string, PlanBuilder>()
    for await (const event of events) {
      const { object, recordId } = event
      if (!types.has(object)) types.set(object, undoableNamed(ctx, object))
      const name = `${object} ${recordId}`
      let builder = builders.get(name)
      if (!builder) builders.set(name, (builder = new PlanBuilder(object, recordId)))
      builder.add(types.get(object)?.definition ?? null, event)
    }
    requireScopes(ctx.caller, scopesOf(types.values()))
    const plans: PlannedRecord[] = []
    for (const [object, group] of Map.groupBy(builders.values(), (builder) => builder.object)) {
      const undoable = types.get(object)
      const shape = undoable?.definition ?? this.#toldShape(object)
      const ids = group.map(({ recordId }) => recordId)
      const seen = shape ? await statesOf(ctx, shape, ids) : new Map<string, unknown>()
      for (const builder of group.filter(({ recordId }) => seen.has(recordId)))
        if (undoable) plans.push({ plan: builder.plan, undoable })
        else {
          const message = `Changes of the ${nameOf({ object })} are not undone.`
          this.left.push({ object, recordId: builder.recordId, ...left('NOT_A_RECORD', message) })
        }
    }
    const order = new Map([...builders.keys()].map((name, index) => [name, index]))
    const placeOf = ({ plan: { object, recordId } }: PlannedRecord): number => order.get(`${object} ${recordId}`)!
    return plans.toSorted((one, other) => placeOf(one) - placeOf(other))
  }

  /** The type of what is told although its changes cannot be undone, such as mails; null if it is not. */
  #toldShape(object: string): RecordShape | null {
    const shape = recordTypeIn(this.ctx, object)
    if (!shape || shape.isAdministrative || !hasColumn(shape, 'deletedAt')) return null
    return mayReadType(this.ctx.caller, shape) ? shape : null
  }

  /** Nobody changes the records between their comparison and the undo. In the order of bulk changes, so that none of them waits for an undo that waits for it. */
  async lock(plans: readonly PlannedRecord[]): Promise<void> {
    const { ctx } = this
    const byType = [...Map.groupBy(plans, ({ plan }) => plan.object)].toSorted(([a], [b]) => (a < b ? -1 : 1))
    for (const [, [first]] of byType) await lockSerializedRules(ctx, first!.undoable.definition)
    for (const [, group] of byType) {
      const ids = group.map(({ plan }) => plan.recordId)
      await lockRows(ctx, group[0]!.undoable.definition, ids)
    }
  }

  async #undoRecord(plan: RecordPlan, undoable: Undoable, referred: ReadonlySet<string>): Promise<void> {
    const { object, recordId } = plan
    const conflict: TellConflict = (one, changed) => {
      const place = this.conflicts.push({ object, recordId, ...one }) - 1
      if (changed) this.#changed.push({ place, of: { object, recordId, ...changed } })
    }
    const change = (ctx: RequestContext) => this.#change(ctx, plan, undoable, { referred, conflict })
    try {
      await (this.isComparison ? change(this.ctx) : inTransaction(this.ctx, change))
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      // A hook that cannot decide says nothing about one record, and all of them may be tried again. Records whose hooks are still to be called wait for
      // each other, so that these are called together; nothing of this round is kept.
      if (passes(error) && !this.ctx.externalCalls?.isWaiting) throw error
      conflict(left('REFUSED', error.message, fieldOf(error, undoable, this.ctx)))
    }
  }

  async #change(
    ctx: RequestContext,
    plan: RecordPlan,
    undoable: Undoable,
    { referred, conflict }: { referred: ReadonlySet<string>; conflict: TellConflict },
  ): Promise<void> {
    const { isComparison } = this
    const { definition, records } = undoable
    const { object, recordId, wasLive, isLive, position } = plan
    const isLiveNow = await this.#isLive(ctx, plan, undoable)
    const done = (action: string, fields: string[] = []): void =>
      void this.undone.push({ object, recordId, action, fields })
    if (!wasLive) {
      if (!isLiveNow || !isLive) return
      const isChanged = (await this.#current(ctx, plan, definition))['version'] !== plan.version
      const isReferred = referred.has(recordId)
      if (isChanged)
        conflict(left('CHANGED', `The ${nameOf(definition)} has been changed since.`), { position, field: null })
      if (isReferred) conflict(left('HAS_RECORDS', `Other records refer to the ${nameOf(definition)}.`))
      if (isChanged || isReferred) return
      if (!isComparison) await records.remove(ctx, recordId)
      return done('DELETED')
    }
    if (!isLive) {
      if (isLiveNow) return
      if (isComparison) return done('RESTORED')
      await records.restore(ctx, recordId)
    } else if (!isLiveNow) {
      const message = `The ${nameOf(definition)} has been deleted since.`
      return conflict(left('CHANGED', message), { position, field: null })
    }
    const fields = await this.#setBack(ctx, plan, definition, records, conflict)
    if (!isLive) done('RESTORED', fields)
    else if (fields.length > 0) done('UPDATED', fields)
  }

  /** Gives fields back the values before the operation, of those that still have the value of the operation. */
  async #setBack(
    ctx: RequestContext,
    plan: RecordPlan,
    definition: RecordDefinition<StoredRow>,
    records: Records<StoredRow>,
    conflict: TellConflict,
  ): Promise<string[]> {
    const { object, recordId, before } = plan
    if (before.size === 0) return []
    const { caller } = ctx
    const current = await this.#current(ctx, plan, definition)
    const { values, set, followers } = comparedFields(caller, plan, definition, { current, conflict })
    const readable = (field: string): boolean => !isHidden(caller, definition, field)
    const notWritable = (field: string, message: string): void =>
      void this.left.push({ object, recordId, ...left('NOT_WRITABLE', message, field) })
    if (this.isComparison) return set.filter(readable)
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

  /** The refusal of an undo that has conflicts. */
  refusal(): Refusal {
    const errors = this.conflicts
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
    const many = this.conflicts.length === 1 ? 'One change' : `${this.conflicts.length} changes`
    return new Refusal('UNDO_CONFLICT', `${many} of the operation cannot be undone; nothing was undone.`, { errors })
  }
}

/** The WRITE scopes of these types. */
export const scopesOf = (types: Iterable<Undoable | null>): ScopeRequirement[] =>
  [...types].flatMap((type) => (type ? [[[scopeOf('WRITE', type.scope)]]] : []))

/** The field that a refusal names, if the caller sees it. */
function fieldOf({ extensions }: Refusal, { definition }: Undoable, { caller }: RequestContext): string | null {
  const path = (extensions['errors'] as readonly FieldProblem[] | undefined)?.[0]?.path ?? null
  const isField = path !== null && (definition.columns.byName.has(path) || customFieldKey(path) !== null)
  return isField && !isHidden(caller, definition, path) ? path : null
}

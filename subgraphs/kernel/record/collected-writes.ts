import { actorIdOf } from '../context.ts'
import { withoutStorageRefusal } from '../database/row-bytes.ts'
import { concernsDefinitions, currentDefinitions } from '../extension/current-extensions.ts'
import { eventJson, manyEventsInsert } from '../outbox/event.ts'
import type { RequestContext } from '../request.ts'
import { giveWay } from '../work/background-turn.ts'
import type { Collected } from './collected.ts'
import { CollectedRules, type Condition } from './collected-rules.ts'
import type { Column } from './column.ts'
import { hasColumn, type RecordDefinition, type RecordShape, type Reference, type StoredRow } from './definition.ts'
import { derivedStatements } from './derived/derived-rows.ts'
import type { Change } from './event-types.ts'
import type { Fields } from './next-record.ts'
import { TenantPredicate, Values } from './predicate.ts'
import { eventsOf } from './record-events.ts'
import { lockNumbers, storeLastNumber } from './record-number.ts'

interface CollectedChange {
  readonly change: Change<StoredRow>
  readonly changed: readonly Column[]
}

/** Records of one statement. Sending the values of more records would take the event loop for more than some milliseconds. */
const statementRowsMax = 250

/** The columns of a record that have a value, in JSON: the other ones are null in the row that PostgreSQL makes of it. */
function rowJson(record: Fields, columns: readonly Column[]): string {
  const members: string[] = []
  for (const { name, column } of columns) {
    const value = record[name]
    if (value !== null && value !== undefined) members.push(`"${column}":${JSON.stringify(value)}`)
  }
  return `{${members.join(',')}}`
}

/**
 * Whether all rules of the record type hold for records that are written together: each change is decided by the record alone, by records of other types,
 * and by the definitions of the organization.
 */
export const isCollectable = (definition: RecordDefinition<StoredRow>): boolean => {
  const { decide, checks, decidesAlone = false, audit, storedIn } = definition
  return (decidesAlone || (!decide && !checks)) && !audit && !storedIn
}

/**
 * The writes of records of one type in one transaction, which are decided one by one and written together: each row with its event and what is derived
 * from it in one statement for many of them. The transaction has locked the records that exist. Whoever reads the records in between must `flush`.
 */
export class CollectedWrites implements Collected {
  readonly #definition: RecordDefinition<StoredRow>
  #created: CollectedChange[] = []
  #changed: CollectedChange[] = []
  readonly #pending = new Set<string>()
  #written = 0
  /** The last number that a record has taken; null before the counter is locked. */
  #lastNumber: number | null = null
  #conditions = new Set<Condition>()
  #failure: unknown = null
  readonly #references = new Map<Reference, Set<string>>()
  readonly rules: CollectedRules
  readonly #read = new Map<string, unknown>()

  /** `records`: the locked records, with all of their columns, by their ids. */
  constructor(
    definition: RecordDefinition<StoredRow>,
    private readonly records: Map<string, StoredRow> = new Map(),
  ) {
    this.#definition = definition
    this.rules = new CollectedRules(definition.serializedRules ?? [])
  }

  /** A locked record, as it is after the collected writes. */
  known<T extends StoredRow>(definition: RecordDefinition<T>, id: string): T | null {
    return this.isOf(definition) ? ((this.records.get(id.toLowerCase()) as T | undefined) ?? null) : null
  }

  /** Whether it collects the writes of records of this type. */
  isOf({ object }: Pick<RecordShape, 'object'>): boolean {
    return object === this.#definition.object
  }

  /** How many collected changes have been written. */
  get written(): number {
    return this.#written
  }

  isPending(id: string): boolean {
    return this.#pending.has(id)
  }

  get hasPending(): boolean {
    return this.#pending.size > 0
  }

  /** Writes what was collected, before a rule reads or changes records, or a record is written otherwise. What was known of records may be old then. */
  async settle(ctx: RequestContext): Promise<void> {
    await this.flush(ctx)
    this.records.clear()
    this.rules.forget()
    // A record that is written otherwise takes the next number of the counter itself.
    this.#lastNumber = null
  }

  takes(shape: RecordShape, { operation }: Change<StoredRow>, changed: readonly Column[]): boolean {
    if (!this.isOf(shape) || changed.length === 0) return false
    // What names a record follows its deletion and its restoring.
    if (operation === 'RESTORE' && shape.lookedUpBy) return false
    return operation !== 'DELETE' || (!shape.lookedUpBy && hasColumn(this.#definition, 'deletedAt'))
  }

  /** The number of a new record that is collected next. The counter is stored with the records. */
  async takeNumber(ctx: RequestContext): Promise<number> {
    this.#lastNumber = (this.#lastNumber ?? (await lockNumbers(ctx, this.#definition.object))) + 1
    return this.#lastNumber
  }

  /** Collects a change, which is written only if none of the conditions `unless` holds. */
  async add(
    ctx: RequestContext,
    change: Change<StoredRow>,
    changed: readonly Column[],
    unless: readonly Condition[],
  ): Promise<void> {
    const { id } = change.next
    if (this.#pending.has(id) || this.#pending.size >= statementRowsMax) await this.flush(ctx)
    this.#requireWritten()
    this.#pending.add(id)
    for (const condition of unless) this.#conditions.add(condition)
    this.rules.note(change.next, change.operation !== 'DELETE')
    const collected = { change, changed }
    if (change.previous) this.#changed.push(collected)
    else this.#created.push(collected)
    if (change.operation === 'DELETE') this.records.delete(id)
    else this.records.set(id, change.next)
  }

  /** Looks up references of many records at once; `referenced` then knows those that exist. */
  async lookUp(ctx: RequestContext, reference: Reference, ids: readonly string[]): Promise<void> {
    const found = await reference(ctx, [...new Set(ids)])
    this.#references.set(reference, new Set([...(this.#references.get(reference) ?? []), ...found]))
  }

  async referenced(ctx: RequestContext, reference: Reference, ids: readonly string[]): Promise<ReadonlySet<string>> {
    const known = this.#references.get(reference)
    return known && ids.every((id) => known.has(id)) ? known : reference(ctx, ids)
  }

  /** Keeps what the records are decided by, under the name by which `readOnce` asks for it. */
  keep(name: string, value: unknown): void {
    this.#read.set(name, value)
  }

  async once<T>(name: string, read: () => Promise<T>): Promise<T> {
    if (!this.#read.has(name)) this.keep(name, await read())
    return this.#read.get(name) as T
  }

  /** Writes what was collected. When that fails, nothing more is collected: a change that is tried again would lose those before it. */
  async flush(ctx: RequestContext): Promise<void> {
    this.#requireWritten()
    const [created, changed] = [this.#created, this.#changed]
    this.#created = []
    this.#changed = []
    this.#pending.clear()
    this.#written += created.length + changed.length
    try {
      if (created.length > 0) await this.#write(ctx, created, (values) => this.#insertSql(ctx, created, values))
      if (created.length > 0 && this.#lastNumber !== null)
        await storeLastNumber(ctx, this.#definition.object, this.#lastNumber)
      if (changed.length > 0) await this.#write(ctx, changed, (values) => this.#updateSql(ctx, changed, values))
    } catch (error) {
      this.#failure = error
      throw error
    }
    this.#conditions.clear()
  }

  #requireWritten(): void {
    if (this.#failure) throw new Error('Records that were collected before were not written.', { cause: this.#failure })
  }

  async #rowsSql(
    ctx: RequestContext,
    values: Values,
    collected: readonly CollectedChange[],
    columns: readonly Column[],
  ): Promise<string> {
    const rows: string[] = []
    for (const { change } of collected) {
      await giveWay(ctx.caller.organizationId)
      rows.push(rowJson(change.next as unknown as Fields, columns))
    }
    return `json_populate_recordset(null::${this.#definition.table}, ${values.add(`[${rows.join(',')}]`)}::json) g`
  }

  /** Once for all rows. */
  #conditionsSql(ctx: RequestContext, values: Values): string[] {
    return [
      ...(concernsDefinitions(this.#definition) ? [`(select ${currentDefinitions(ctx, values)})`] : []),
      ...[...this.#conditions].map((holds) => `(select not ${holds(values.add(ctx.caller.organizationId))})`),
    ]
  }

  async #insertSql(ctx: RequestContext, created: readonly CollectedChange[], values: Values): Promise<string> {
    const columns = this.#definition.columns.stored.filter(({ computed }) => !computed)
    const names = columns.map(({ column }) => column).join(', ')
    const rows = await this.#rowsSql(ctx, values, created, columns)
    const conditions = this.#conditionsSql(ctx, values)
    return `insert into ${this.#definition.table} (${names}) select ${names} from ${rows}
      ${conditions.length > 0 ? `where ${conditions.join(' and ')}` : ''} returning id`
  }

  async #updateSql(ctx: RequestContext, changed: readonly CollectedChange[], values: Values): Promise<string> {
    const written = [...new Set(changed.flatMap((one) => one.changed))].filter(({ computed }) => !computed)
    const columns = [this.#definition.columns.byName.get('id')!, ...written.filter(({ name }) => name !== 'id')]
    const sets = written.map(({ column }) => `${column} = g.${column}`)
    const rows = await this.#rowsSql(ctx, values, changed, columns)
    const predicate = new TenantPredicate(ctx.caller, values)
    const conditions = [predicate.visible(this.#definition, 't'), ...this.#conditionsSql(ctx, values)]
    return `update ${this.#definition.table} t set ${sets.join(', ')} from ${rows}
      where t.id = g.id and ${conditions.join(' and ')} returning t.id`
  }

  async #write(
    ctx: RequestContext,
    collected: readonly CollectedChange[],
    rowsSql: (values: Values) => Promise<string>,
  ): Promise<void> {
    const definition = this.#definition
    const values = new Values()
    const written = await rowsSql(values)
    const derived = derivedStatements(
      definition,
      { values, isWritten: (id) => `exists (select from written w where w.id = ${id})` },
      collected.map(({ change: { operation, previous, next }, changed }) => ({
        operation,
        previous: previous as Fields | null,
        next: next as unknown as Fields,
        changed,
      })),
    )
    const events: string[] = []
    for (const { change } of collected) {
      await giveWay(ctx.caller.organizationId)
      events.push(...eventsOf(definition, change, actorIdOf(ctx.caller)).map(eventJson))
    }
    const parts = derived.map(([name, sql]) => `${name} as (${sql}), `).join('')
    const deletes = collected.every(({ change }) => change.operation === 'DELETE')
    const [row] = await (deletes ? withoutStorageRefusal(ctx.db) : ctx.db).query<{ count: number }>(
      `with written as (${written}), ${parts}events as (${manyEventsInsert(ctx, values, events, 'written')})
       select count(*)::int as count from written`,
      values.list,
      'WRITE',
    )
    if (row!.count !== collected.length) throw new Error(`${collected.length - row!.count} records were not written.`)
  }
}

/** The writes that the context collects. */
export const collectedOf = ({ collected }: Pick<RequestContext, 'collected'>): CollectedWrites | undefined =>
  collected as CollectedWrites | undefined

/** What a record is decided by and no record of its type changes: it is read once for all that are written together. */
export const readOnce = <T>(ctx: RequestContext, name: string, read: () => Promise<T>): Promise<T> =>
  collectedOf(ctx)?.once(name, read) ?? read()

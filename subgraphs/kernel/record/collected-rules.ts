import type { RequestContext } from '../request.ts'
import { distinctIdsMax, type DistinctValues, type SerializedRule, type StoredRow } from './definition.ts'

type Rule = SerializedRule<StoredRow>
export type Condition = NonNullable<Rule['holdsIf']>
type Fields = Readonly<Record<string, unknown>>

/** Which live records have which values: those that are stored, and those that are written together with the others. */
class KnownValues {
  readonly #stored = new Map<string, readonly string[]>()
  /** The values of the records that were written; null of one that has none any more. */
  readonly #written = new Map<string, string | null>()
  readonly #own = new Map<string, Set<string>>()

  constructor(private readonly distinct: DistinctValues<StoredRow>) {}

  async lookUp(ctx: RequestContext, records: readonly Fields[]): Promise<void> {
    const values = records.map((record) => this.distinct.valueOf(record as Partial<StoredRow>))
    const unknown = new Set(values.filter((value) => value !== null && !this.#stored.has(value)) as string[])
    if (unknown.size === 0) return
    const found = await this.distinct.having(ctx, [...unknown])
    for (const value of unknown) this.#stored.set(value, found.get(value) ?? [])
  }

  async isFree(ctx: RequestContext, record: StoredRow): Promise<boolean> {
    const value = this.distinct.valueOf(record)
    if (value === null) return true
    await this.lookUp(ctx, [record as unknown as Fields])
    const stored = this.#stored.get(value)!
    const has = (id: string): boolean => !this.#written.has(id) || this.#written.get(id) === value
    return (
      stored.length < distinctIdsMax &&
      [...stored.filter(has), ...(this.#own.get(value) ?? [])].every((id) => id === record.id)
    )
  }

  note(record: StoredRow, isLive: boolean): void {
    const before = this.#written.get(record.id)
    if (before) this.#own.get(before)!.delete(record.id)
    const value = isLive ? this.distinct.valueOf(record) : null
    this.#written.set(record.id, value)
    if (value !== null) this.#own.set(value, (this.#own.get(value) ?? new Set()).add(record.id))
  }
}

/** The serialized rules of records that are written together. The transaction has locked the rules before. */
export class CollectedRules {
  readonly #holding = new Map<Condition, boolean>()
  #values = new Map<Rule, KnownValues>()

  constructor(private readonly rules: readonly Rule[]) {}

  /** Looks up together what rules compare records with that have these values. */
  async lookUp(ctx: RequestContext, records: readonly Fields[]): Promise<void> {
    for (const rule of this.rules)
      if (rule.distinct && (await this.holds(ctx, rule))) await this.#valuesOf(rule, rule.distinct).lookUp(ctx, records)
  }

  /** Whether a rule holds in the organization; asked once, so that a statement that relies on the answer must ask again. */
  async holds({ db, caller }: RequestContext, { holdsIf }: Rule): Promise<boolean> {
    if (!holdsIf) return true
    let holds = this.#holding.get(holdsIf)
    if (holds === undefined) {
      const [row] = await db.query<{ holds: boolean }>(`select ${holdsIf('$1')} as holds`, [caller.organizationId])
      this.#holding.set(holdsIf, (holds = row!.holds))
    }
    return holds
  }

  /** Those of the rules that must be enforced before the record is written. */
  async openOf(ctx: RequestContext, rules: readonly Rule[], next: StoredRow): Promise<Rule[]> {
    const open: Rule[] = []
    for (const rule of rules) {
      if (!(await this.holds(ctx, rule))) continue
      const isFree = rule.distinct && (await this.#valuesOf(rule, rule.distinct).isFree(ctx, next))
      if (!isFree) open.push(rule)
    }
    return open
  }

  note(record: StoredRow, isLive: boolean): void {
    for (const values of this.#values.values()) values.note(record, isLive)
  }

  /** All records that were noted are written, and others may be changed that nobody notes. */
  forget(): void {
    this.#values = new Map()
  }

  #valuesOf(rule: Rule, distinct: DistinctValues<StoredRow>): KnownValues {
    let values = this.#values.get(rule)
    if (!values) this.#values.set(rule, (values = new KnownValues(distinct)))
    return values
  }
}

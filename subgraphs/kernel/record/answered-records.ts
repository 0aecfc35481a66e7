/** The properties of a record type that restrict which callers of the organization can see its records. */
interface Visibility {
  readonly object: string
  readonly visibleBy: readonly string[]
  readonly visibleThrough?: unknown
  readonly visibleThroughRelated?: unknown
  readonly masters?: unknown
  readonly privateUnless?: unknown
  readonly entitlement?: string
}

/** The records with restricted visibility in an answer: their ids by record type, and whether the answer has aggregates of such records. */
export interface DisclosedRecords {
  readonly records: Readonly<Record<string, readonly string[]>>
  /** The name is part of stored answers (`idempotency.ts`). */
  readonly hasFigures: boolean
}

const hasRestrictedVisibility = ({ visibleBy, ...restrictions }: Visibility): boolean =>
  visibleBy.length > 0 ||
  restrictions.visibleThrough !== undefined ||
  restrictions.visibleThroughRelated !== undefined ||
  restrictions.masters !== undefined ||
  restrictions.privateUnless !== undefined ||
  restrictions.entitlement !== undefined

/** Collects which records an answer contains while the answer is built. */
export class AnsweredRecords {
  readonly #ids = new Map<string, Set<string>>()
  #hasAggregates = false

  constructor(private readonly recordTypes: Pick<ReadonlyMap<string, unknown>, 'has'>) {}

  record(definition: Visibility, id: unknown): void {
    if (!hasRestrictedVisibility(definition)) return
    if (!this.recordTypes.has(definition.object))
      throw new Error(`No resource of the subgraph declares the record type ${definition.object}`)
    const ids = this.#ids.get(definition.object)
    if (ids) ids.add(id as string)
    else this.#ids.set(definition.object, new Set([id as string]))
  }

  records(definition: Visibility, rows: readonly { readonly id?: unknown }[]): void {
    for (const { id } of rows) this.record(definition, id)
  }

  aggregate(definition: Visibility): void {
    if (hasRestrictedVisibility(definition)) this.#hasAggregates = true
  }

  told(): DisclosedRecords {
    return {
      records: Object.fromEntries([...this.#ids].map(([object, ids]) => [object, [...ids]])),
      hasFigures: this.#hasAggregates,
    }
  }
}

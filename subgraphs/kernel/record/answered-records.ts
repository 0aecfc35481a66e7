/** What says whether every caller of the organization sees every record of a type. */
interface Visibility {
  readonly object: string
  readonly visibleBy: readonly string[]
  readonly visibleThrough?: unknown
  readonly entitlement?: string
}

/** The records with restricted visibility in an answer: their ids by record type, and whether the answer has figures over such records. */
export interface Told {
  readonly records: Readonly<Record<string, readonly string[]>>
  readonly hasFigures: boolean
}

const hasRestrictedVisibility = ({ visibleBy, visibleThrough, entitlement }: Visibility): boolean =>
  visibleBy.length > 0 || visibleThrough !== undefined || entitlement !== undefined

/** Collects the records of an answer while the answer is built. */
export class AnsweredRecords {
  readonly #ids = new Map<string, Set<string>>()
  #hasFigures = false

  constructor(private readonly kinds: Pick<ReadonlyMap<string, unknown>, 'has'>) {}

  record(definition: Visibility, id: unknown): void {
    if (!hasRestrictedVisibility(definition)) return
    if (!this.kinds.has(definition.object))
      throw new Error(`No resource of the subgraph declares the record type ${definition.object}`)
    const ids = this.#ids.get(definition.object)
    if (ids) ids.add(id as string)
    else this.#ids.set(definition.object, new Set([id as string]))
  }

  records(definition: Visibility, rows: readonly { readonly id?: unknown }[]): void {
    for (const { id } of rows) this.record(definition, id)
  }

  figure(definition: Visibility): void {
    if (hasRestrictedVisibility(definition)) this.#hasFigures = true
  }

  told(): Told {
    return {
      records: Object.fromEntries([...this.#ids].map(([object, ids]) => [object, [...ids]])),
      hasFigures: this.#hasFigures,
    }
  }
}

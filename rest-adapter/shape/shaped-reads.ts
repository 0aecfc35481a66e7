import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { PreparedOperation } from '../../gateway/graph/prepared-operation.ts'
import type { Caller } from '../../subgraphs/kernel/context.ts'
import type { GraphPort } from '../ports.ts'
import type { RestOperation } from '../rest-operation.ts'
import { relatedProperty, type Shape } from './shaping.ts'
import { lookupAlias, shapedDocument } from './shaped-document.ts'

/** Characters of the documents of one operation that are kept. Plans are kept by the graph, which limits their bytes. */
const keptCharactersMax = 100_000

/** A read in the shape that a request chose. */
export interface ShapedRead {
  readonly prepared: PreparedOperation
  /** The names under which related records are added. */
  readonly expanded: readonly string[]
  /** The lookups whose records are added as `related`. */
  readonly lookups: readonly string[]
  /** The properties that were read for the `ETag` and are not answered. */
  readonly unasked: readonly string[]
}

/** The documents of one operation, one for each shape: `fields` and `expand` in any order, and named twice, are one shape. */
export class ShapedReads {
  private readonly documents = new LRUCache<string, string>({ maxSize: keptCharactersMax })
  /** The properties that are read whatever the caller chose: the `ETag` consists of them. */
  private readonly always: readonly string[]

  constructor(
    private readonly operation: RestOperation,
    private readonly graph: Pick<GraphPort, 'prepareAsync'>,
  ) {
    const { headers, unversioned } = operation.success
    this.always = ['id', ...(headers.has('ETag') ? ['version', ...unversioned] : [])]
  }

  get keptCharacters(): number {
    return this.documents.calculatedSize
  }

  async readFor(shape: Shape, caller: Caller): Promise<ShapedRead> {
    const { only, expand, lookups } = shape
    const prepared = await this.graph.prepareAsync(this.documentOf(shape), null, caller)
    const unasked = only ? this.always.filter((name) => name !== 'id' && !only.has(name)) : []
    const expanded = lookups.length > 0 ? [...expand, relatedProperty] : expand
    return { prepared, expanded, lookups, unasked }
  }

  private documentOf(shape: Shape): string {
    const { document, shaping } = this.operation
    const names = shape.only && shaping!.fields.filter((name) => shape.only!.has(name))
    const key = `${names?.join() ?? '*'} ${shape.expand.join()} ${shape.lookups.join()}`
    const known = this.documents.get(key)
    if (known !== undefined) return known
    const text = shapedDocument(document!, shaping!, shape, this.always)
    this.documents.set(key, text, { size: text.length })
    return text
  }
}

type Answered = Record<string, unknown>

/** The records of a result: a page, a list or one record. */
function recordsIn(result: unknown): readonly Answered[] {
  if (Array.isArray(result)) return result as Answered[]
  const { data, hasMore } = result as { readonly data?: unknown; readonly hasMore?: unknown }
  return hasMore !== undefined && Array.isArray(data) ? (data as Answered[]) : [result as Answered]
}

/** Puts the records that lookups name together, by the names of the lookups. */
export function gatherRelated(result: unknown, { lookups }: Pick<ShapedRead, 'lookups'>): void {
  if (lookups.length === 0 || typeof result !== 'object' || result === null) return
  for (const record of recordsIn(result)) {
    record[relatedProperty] = Object.fromEntries(lookups.map((key) => [key, record[lookupAlias(key)] ?? null]))
    for (const key of lookups) delete record[lookupAlias(key)]
  }
}

/** Removes what was read for the `ETag` only. */
export function removeUnasked(record: unknown, { unasked }: ShapedRead): void {
  for (const name of unasked) delete (record as Record<string, unknown>)[name]
}

/** A part of an `ETag` that is another one whenever anything in the related records is. */
export function tagOfExpanded(record: Readonly<Record<string, unknown>>, { expanded }: ShapedRead): string | null {
  if (expanded.length === 0) return null
  return tagOf(expanded.map((name) => record[name] ?? null))
}

/** The same for the custom fields in the answer that change without a new version of the record; null if it has none of them. */
export function tagOfUnversioned(
  { customFields }: Readonly<Record<string, unknown>>,
  keys: ReadonlySet<string>,
): string | null {
  if (keys.size === 0 || typeof customFields !== 'object' || customFields === null) return null
  const values = Object.entries(customFields).filter(([key]) => keys.has(key))
  return values.length > 0 ? tagOf(values.toSorted(([one], [other]) => (one < other ? -1 : 1))) : null
}

function tagOf(values: readonly unknown[]): string {
  const hash = createHash('sha256').update(JSON.stringify(values)).digest()
  return hash.readBigUInt64BE().toString(36).slice(0, 12)
}

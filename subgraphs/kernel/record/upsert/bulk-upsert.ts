import { invalid } from '../../errors.ts'
import { inTransaction, type RequestContext } from '../../request.ts'
import { transactionWithExternalCalls } from '../../outbound/external-call.ts'
import { attempted } from '../bulk-attempt.ts'
import type { RecordDefinition, RecordShape, StoredRow } from '../definition.ts'
import { lockKeysOfAll } from '../duplicates/refuse-duplicates.ts'
import { lockExternalIds } from '../external-id/lock-external-ids.ts'
import { withNamedOf } from '../lookup/check-lookups.ts'
import { withClearing } from '../lookup/deleted-targets.ts'
import { bulkMax, type Records } from '../records-of.ts'
import { requireWritableRole } from '../save.ts'
import { lockSerializedRules } from '../serialized-rules.ts'
import { shapeFor } from '../shape-source.ts'
import type { BulkUpsertItemResult, BulkUpsertResult } from './bulk-upsert-result.ts'
import { givenKey, keyFieldOf, keyValueOf, type KeyField } from './key-field.ts'
import { matchKeys } from './match-keys.ts'
import { upsert } from './upsert.ts'

interface Item<I> {
  readonly index: number
  readonly item: I
  /** The value of its key; null if it has none that a record can have. */
  readonly text: string | null
  /** The records with this key before the request. */
  readonly matches: readonly string[]
}

/**
 * The items in the order in which rows are locked by all bulk changes, by the ids of the records that exist; then the new ones by their keys. Items of
 * the same key keep the order of the request.
 */
function inLockOrder<I>(items: readonly Item<I>[]): Item<I>[] {
  const placeOf = ({ matches: [id], text }: Item<I>): string => (id === undefined ? `n${text}` : `e${id}`)
  const placed = items.map((item) => ({ item, place: placeOf(item) }))
  return placed.sort((a, b) => (a.place < b.place ? -1 : a.place > b.place ? 1 : 0)).map(({ item }) => item)
}

async function itemsWithMatches<I extends object>(
  ctx: RequestContext,
  definition: RecordShape,
  key: KeyField,
  items: readonly I[],
): Promise<Item<I>[]> {
  const texts = items.map((item) => {
    const text = keyValueOf(key, givenKey(key, item), key.name)
    return typeof text === 'string' ? text : null
  })
  const known = [...new Set(texts.filter((text) => text !== null))]
  const found = await matchKeys(ctx, definition, key, known)
  const matchesOf = new Map(known.map((text, at) => [text, found[at]!]))
  return items.map((item, index) => {
    const text = texts[index]!
    return { index, item, text, matches: (text !== null && matchesOf.get(text)) || [] }
  })
}

/**
 * Makes many upserts in one transaction, each in its own savepoint: a refused item does not affect the others. Each item has the value of its key in
 * the key field.
 */
export async function bulkUpsert<T extends StoredRow>(
  ctx: RequestContext,
  builtIn: RecordDefinition<T>,
  records: Pick<Records<T>, 'create' | 'update'>,
  field: string,
  items: readonly object[],
): Promise<BulkUpsertResult> {
  requireWritableRole(ctx)
  if (items.length < 1 || items.length > bulkMax)
    throw invalid({ path: 'items', code: 'OUT_OF_RANGE', message: `items must have between 1 and ${bulkMax} items.` })
  const definition = shapeFor(ctx, builtIn)
  const key = keyFieldOf(ctx, definition, field)
  const results: BulkUpsertItemResult[] = []
  await transactionWithExternalCalls(withClearing(ctx), async (opened) => {
    results.length = 0
    await lockSerializedRules(opened, definition)
    await lockExternalIds(
      opened,
      definition,
      items.map((item) => givenKey(key, item)),
    )
    const outer = await withNamedOf(opened, definition, items)
    const matched = await itemsWithMatches(outer, definition, key, items)
    await lockKeysOfAll(
      outer,
      definition,
      matched.flatMap(({ matches }) => matches),
      items,
    )
    const written = new Set<string | null>()
    for (const { index, item, text, matches } of inLockOrder(matched)) {
      const { expectedVersion, ...input } = item as { expectedVersion?: number | null }
      const known = written.has(text) ? undefined : matches
      written.add(text)
      const outcome = await attempted(() =>
        inTransaction(outer, (inner) =>
          upsert(inner, builtIn, records, { field, value: givenKey(key, item) }, input, {
            expectedVersion,
            path: key.name,
            matches: known,
          }),
        ),
      )
      const { code = null, message = null, errors = null } = outcome.failure ?? {}
      const done = outcome.failure ? null : outcome.done
      const status = done ? (done.isCreated ? 'CREATED' : 'UPDATED') : 'FAILED'
      results[index] = { index, key: text, id: done?.record.id ?? null, status, code, message, errors }
    }
  })
  const count = (status: BulkUpsertItemResult['status']): number =>
    results.filter((result) => result.status === status).length
  const [created, failed] = [count('CREATED'), count('FAILED')]
  return { requested: items.length, succeeded: items.length - failed, created, failed, results }
}

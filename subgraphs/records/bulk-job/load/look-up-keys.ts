import { customFieldsName } from '../../../kernel/record/custom-field-column.ts'
import type { StoredRow } from '../../../kernel/record/definition.ts'
import { comparedKeysOf } from '../../../kernel/record/duplicates/compared-keys.ts'
import { blockingRules, mayBeBlocked } from '../../../kernel/record/duplicates/refuse-duplicates.ts'
import { lockRows } from '../../../kernel/record/lock-rows.ts'
import type { RequestContext } from '../../../kernel/request.ts'
import type { Loading } from './loading.ts'
import type { LoadRow } from './prepare-rows.ts'
import type { Targets } from './write-row.ts'

type Fields = Readonly<Record<string, unknown>>

/** The record that a row leads to, as far as its values say; what rules calculate is looked up later. */
function expected(
  { key, created, changed }: LoadRow,
  { live, forms }: Targets,
  records: Map<string, StoredRow>,
): Fields {
  const id = key === null ? undefined : live.get(forms.get(key) ?? '')?.[0]
  const previous = id === undefined ? undefined : (records.get(id) as unknown as Fields | undefined)
  if (!previous) return id === undefined ? created : changed
  const customFields = {
    ...(previous[customFieldsName] as object),
    ...(changed[customFieldsName] as object | undefined),
  }
  return { ...previous, ...changed, [customFieldsName]: customFields }
}

/** Looks up together what rules of duplicates compare the rows with. */
export async function lookUpKeys(
  ctx: RequestContext,
  { definition }: Loading,
  rows: readonly LoadRow[],
  targets: Targets,
  records: Map<string, StoredRow>,
): Promise<void> {
  if (!mayBeBlocked(ctx, definition, { operation: 'CREATE' })) return
  const compared = comparedKeysOf(ctx, definition)
  compared?.noteAll()
  await compared?.lookUp(
    ctx,
    blockingRules(ctx.caller, definition),
    rows.map((row) => expected(row, targets, records)),
  )
}

/** Locks the records that rows may change because they duplicate them, in the order of all changes of many records. */
export async function lockDuplicates(
  ctx: RequestContext,
  { job, definition }: Loading,
  rows: readonly LoadRow[],
  { live, forms }: Targets,
): Promise<void> {
  const compared = comparedKeysOf(ctx, definition)
  if (job.options.duplicateStrategy !== 'UPDATE' || !compared) return
  const rules = blockingRules(ctx.caller, definition)
  const isNew = ({ key }: LoadRow): boolean => key === null || !live.has(forms.get(key) ?? '')
  const created = rows.filter(isNew).map((row) => row.created)
  await compared.lookUp(ctx, rules, created)
  const proposed = new Set<string>()
  for (const record of created) for (const id of await compared.proposedFor(ctx, rules, record)) proposed.add(id)
  await lockRows(ctx, definition, [...proposed])
}

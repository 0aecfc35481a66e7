import { invalid, notFound } from '../../kernel/errors.ts'
import type { RecordShape } from '../../kernel/record/definition.ts'
import { nameOf } from '../../kernel/record/describe.ts'
import { readPast } from '../../kernel/record/past/read-past.ts'
import { allColumnNames } from '../../kernel/record/read.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { fieldChanges } from './field-changes.ts'
import type { RecordDifference } from './history.types.ts'

/** What differs between the states of a record at two times; `to` null: now. */
export async function readDifference(
  ctx: RequestContext,
  shape: RecordShape,
  { id, from, to }: { readonly id: string; readonly from: string; readonly to: string | null },
): Promise<RecordDifference> {
  const until = to ?? ctx.clock.now().toISOString()
  if (Date.parse(from) > Date.parse(until))
    throw invalid({ path: 'from', code: 'OUT_OF_RANGE', message: 'from must not be after to.' })
  const names = allColumnNames(shape)
  const before = await readPast(ctx, shape, { id, at: from, path: 'from' }, names)
  const after = await readPast(ctx, shape, { id, at: until, path: 'to' }, names)
  if (!before && !after) throw notFound(`The ${nameOf(shape)}`)
  return {
    from,
    to: until,
    fromVersion: (before?.['version'] as number | undefined) ?? null,
    toVersion: (after?.['version'] as number | undefined) ?? null,
    changes: fieldChanges(shape, before, after),
  }
}

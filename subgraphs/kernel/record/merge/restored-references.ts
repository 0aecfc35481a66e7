import { unrestricted, type RequestContext } from '../../request.ts'
import type { Draft, RecordDefinition, RecordShape, StoredRow } from '../definition.ts'
import { together } from '../next-record.ts'
import { customFieldsName } from '../custom-field-column.ts'
import { lockNamed } from '../lookup/check-lookups.ts'
import { recordTypeIn, recordTypeNamesIn } from '../custom-object.ts'
import { winnersOf } from './merged-records.ts'
import { movedValues } from './moved-values.ts'
import { namingFieldsOf, type NamingField } from './naming.ts'

type Fields = Readonly<Record<string, unknown>>

/** The ids in a value: of a record, of a structured value or of a list. */
const textsIn = (value: unknown): unknown[] =>
  typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [value]

interface Named {
  readonly object: string
  readonly field: NamingField
}

const fieldsOf = (ctx: RequestContext, shape: RecordShape): Named[] =>
  recordTypeNamesIn(ctx)
    .filter((object) => recordTypeIn(ctx, object)!.merge)
    .flatMap((object) => namingFieldsOf(shape, object).map((field) => ({ object, field })))

/** A record is restored with the records into which those that it names were merged meanwhile, as far as these are not deleted. */
export async function withWinners<T extends StoredRow>(
  ctx: RequestContext,
  definition: RecordDefinition<T>,
  draft: Draft<T>,
): Promise<Draft<T>> {
  if (draft.operation !== 'RESTORE') return draft
  const named = fieldsOf(ctx, definition)
  if (named.length === 0) return draft
  const previous = draft.previous as unknown as Fields
  const valueOf = ({ column }: NamingField): unknown =>
    column.key === undefined ? previous[column.name] : (previous[customFieldsName] as Fields)[column.key]
  const winners = await winnersOf(
    ctx,
    named.flatMap(({ field }) => textsIn(valueOf(field))),
  )
  if (winners.size === 0) return draft
  let moved: Partial<T> = {}
  for (const [object, own] of Map.groupBy(named, (one) => one.object)) {
    const live = await lockNamed(unrestricted(ctx), object, [...new Set(winners.values())])
    const winnersThatLive = new Map([...winners].filter(([, id]) => live.has(id)))
    const fields = own.map(({ field }) => field)
    const before = { ...previous, ...moved, [customFieldsName]: previous[customFieldsName] }
    moved = together<T>(moved, movedValues(before, fields, winnersThatLive) as Partial<T>)
  }
  return { ...draft, implied: together<T>(draft.implied ?? {}, moved) }
}

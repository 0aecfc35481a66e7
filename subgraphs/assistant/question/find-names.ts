import type { Caller } from '../../kernel/context.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { hasColumn } from '../../kernel/record/definition.ts'
import { recordType } from '../../kernel/record/record-registry.ts'
import { isHidden } from '../../kernel/record/field-security.ts'
import { mayReadType as mayReadShape } from '../../kernel/record/may-read-type.ts'
import { recordsWithText, type TextSearch } from '../../kernel/record/records-with-text.ts'
import { labelOf } from './label.ts'
import { namesOf, questionObjects, referenceTo } from './question.ts'

export interface FoundName {
  readonly object: string
  readonly id: string
  readonly label: string
}

const searchedMax = 5
const resources: Readonly<Record<string, string>> = { opportunity: 'OPPORTUNITIES', activity: 'ACTIVITIES' }
export const readScope = (object: string): string => `READ_${resources[object] ?? `${object.toUpperCase()}S`}`

/** Whether the caller may read records of a type at all. */
export const mayReadType = (caller: Caller, object: string): boolean => mayReadShape(caller, recordType(object)())

/** The record types in which a name is looked for: those that the message says or that the records refer to, as far as the caller may read them. */
export function objectsFor(caller: Caller, said: string | null, asked: string | null): string[] {
  const all =
    said !== null
      ? [said]
      : asked !== null
        ? Object.keys(referenceTo).filter((object) => hasColumn(recordType(asked)(), referenceTo[object]!))
        : questionObjects.filter((object) => object !== 'activity')
  return all.filter((object) => mayReadType(caller, object))
}

/** Visible records with this name; if none has exactly this name, those whose names begin with it. */
export async function findNames(
  ctx: RequestContext,
  text: string,
  objects: readonly string[],
  searched = searchedMax,
): Promise<FoundName[]> {
  const { caller } = ctx
  if (text.length > 255) return []
  const searches = objects
    .filter((object) => mayReadType(caller, object))
    .map((object): TextSearch => {
      const shape = recordType(object)()
      const names = namesOf[object]!.filter((name) => !isHidden(caller, shape, name))
      const isNumber = object === 'case' && /^\d{1,9}$/.test(text)
      return { shape, names, ...(isNumber && { equal: { name: 'caseNumber', value: Number(text) } }) }
    })
  const rows = await recordsWithText(ctx, searches, text, searched)
  const found = rows.map(({ shape, id, values }) => {
    const { names } = searches.find((search) => search.shape === shape)!
    return { shape, id, row: Object.fromEntries(names.map((name, index) => [name, values[index] ?? null])) }
  })
  const wanted = text.toLowerCase()
  const fits = (isFit: (name: string) => boolean) =>
    found.filter(({ row }) => Object.values(row).some((value) => value !== null && isFit(value.toLowerCase())))
  const exact = fits((name) => name === wanted)
  const chosen = exact.length > 0 ? exact : fits((name) => name.startsWith(`${wanted} `))
  return chosen.map(({ shape, id, row }) => ({ object: shape.object, id, label: labelOf(shape, row) ?? text }))
}

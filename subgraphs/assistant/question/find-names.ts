import type { Caller } from '../../kernel/context.ts'
import { holdsScope } from '../../kernel/scopes.ts'
import { hasColumn } from '../../kernel/record/definition.ts'
import { recordType } from '../../kernel/record/record-registry.ts'
import { isHidden } from '../../kernel/record/field-security.ts'
import { compileLists } from './compile.ts'
import { labelOf } from './label.ts'
import type { Read, Row } from './ask.ts'
import { namesOf, questionObjects, referenceTo } from './question.ts'

export interface FoundName {
  readonly object: string
  readonly id: string
  readonly label: string
}

const searchedMax = 5
const resources: Readonly<Record<string, string>> = { opportunity: 'OPPORTUNITIES', activity: 'ACTIVITIES' }
export const readScope = (object: string): string => `READ_${resources[object] ?? `${object.toUpperCase()}S`}`

/** Whether the scopes and the plan of the caller permit to read records of a type. */
export function mayReadType(caller: Caller, object: string): boolean {
  const { entitlement } = recordType(object)()
  return holdsScope(caller, readScope(object)) && (!entitlement || caller.entitlements.includes(entitlement))
}

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

const same = (value: unknown, text: string): boolean =>
  (typeof value === 'string' || typeof value === 'number') && String(value).toLowerCase() === text.toLowerCase()

/** Visible records with this name; if none has exactly this name, those whose names begin with it. */
export async function findNames(
  read: Read,
  caller: Caller,
  text: string,
  objects: readonly string[],
  searched = searchedMax,
): Promise<FoundName[]> {
  if (objects.length === 0 || text.length > 255) return []
  const parts = objects.map((object, index) => {
    const shape = recordType(object)()
    const names = namesOf[object]!.filter((name) => !isHidden(caller, shape, name))
    const isNumber = object === 'case' && /^\d{1,9}$/.test(text)
    const filter = isNumber ? { caseNumber: { eq: Number(text) } } : null
    const select = `id ${names.join(' ')}`
    return {
      alias: `n${index}`,
      shape,
      filter,
      ...(!isNumber && { search: text }),
      limit: searched,
      hasTotal: false,
      select,
    }
  })
  const lists = await read<Record<string, { data: readonly Row[] }>>(compileLists(parts))
  const found = parts.flatMap(({ alias, shape }) => lists[alias]!.data.map((row) => ({ shape, row })))
  const exact = found.filter(({ shape, row }) => namesOf[shape.object]!.some((name) => same(row[name], text)))
  const begins = (value: unknown) =>
    typeof value === 'string' && value.toLowerCase().startsWith(`${text.toLowerCase()} `)
  const chosen =
    exact.length > 0
      ? exact
      : found.filter(({ shape, row }) => namesOf[shape.object]!.some((name) => begins(row[name])))
  return chosen.map(({ shape, row }) => ({ object: shape.object, id: row.id, label: labelOf(shape, row) ?? text }))
}

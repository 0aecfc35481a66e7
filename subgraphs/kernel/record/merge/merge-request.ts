import { invalid, type FieldProblem } from '../../errors.ts'
import { isJsonObject } from '../../json/exact-number.ts'
import { customFieldKey, customFieldsName } from '../custom-field-column.ts'
import type { RecordShape } from '../definition.ts'
import { isChosen } from './merged-values.ts'

export interface MergeRequest {
  /** The records that are merged into the one that stays. */
  readonly ids: readonly string[]
  /** `{name: id}`: fields whose value is that of a certain record. */
  readonly fields: unknown
  /** `{id: version}`: the versions that the caller read. */
  readonly expectedVersions: unknown
  readonly dryRun: boolean
}

export interface Request {
  readonly winner: string
  readonly losers: readonly string[]
  /** The id of the record from which the value is taken, by the name of the field. */
  readonly chosen: ReadonlyMap<string, string>
  readonly expectedVersions: ReadonlyMap<string, number>
}

const notAnObject = (path: string, what: string): FieldProblem => ({
  path,
  code: 'WRONG_TYPE',
  message: `${path} must be an object with ${what}.`,
})

const entriesOf = (value: unknown): [string, unknown][] =>
  isJsonObject(value) ? Object.entries(value).filter(([, given]) => given !== null) : []

/** Checks what can be checked without the records. */
export function requestOf(shape: RecordShape, id: string, given: MergeRequest): Request {
  const winner = id.toLowerCase()
  const losers = given.ids.map((one) => one.toLowerCase())
  const all = new Set([winner, ...losers])
  const problems: FieldProblem[] = losers.flatMap((loser, index) => {
    const path = `ids.${index}`
    if (loser === winner)
      return [{ path, code: 'NOT_ALLOWED', message: `${path} must differ from the record that stays.` }]
    if (losers.indexOf(loser) < index)
      return [{ path, code: 'NOT_UNIQUE', message: `${path} must differ from the other ids.` }]
    return []
  })
  if (given.fields != null && !isJsonObject(given.fields))
    problems.push(notAnObject('fields', 'names of fields and ids'))
  if (given.expectedVersions != null && !isJsonObject(given.expectedVersions))
    problems.push(notAnObject('expectedVersions', 'ids and versions'))
  const chosen = entriesOf(given.fields).map(([name, from]): [string, string] => {
    const path = `fields.${name}`
    const column = shape.columns.byName.get(name)
    const isFree = customFieldKey(name) !== null && !shape.columns.hasDefinedKeysOnly
    if (column ? !isChosen(shape, column) : !isFree)
      problems.push({
        path,
        code: column ? 'NOT_ALLOWED' : 'UNKNOWN_FIELD',
        message: `${path} must be a field that can be changed.`,
      })
    const value = typeof from === 'string' ? from.toLowerCase() : ''
    if (!all.has(value))
      problems.push({ path, code: 'NOT_ALLOWED', message: `${path} must be the id of one of the merged records.` })
    return [name, value]
  })
  const versions = entriesOf(given.expectedVersions).map(([key, version]): [string, number] => {
    const path = `expectedVersions.${key}`
    if (!all.has(key.toLowerCase()))
      problems.push({
        path,
        code: 'NOT_ALLOWED',
        message: `${path} must be named by the id of one of the merged records.`,
      })
    if (!Number.isInteger(version))
      problems.push({ path, code: 'WRONG_TYPE', message: `${path} must be a whole number.` })
    return [key.toLowerCase(), version as number]
  })
  if (problems.length > 0) throw invalid(...problems)
  return { winner, losers, chosen: new Map(chosen), expectedVersions: new Map(versions) }
}

/** The chosen fields as if they were values, for the check of the rights to write them; without those that nobody can choose. */
export function asValues(shape: RecordShape, fields: unknown): object {
  const names = entriesOf(fields)
    .map(([name]) => name)
    .filter((name) => {
      const column = shape.columns.byName.get(name)
      return !column || isChosen(shape, column)
    })
  const keys = names.flatMap((name) => customFieldKey(name) ?? [])
  const plain = names.filter((name) => customFieldKey(name) === null).map((name) => [name, null])
  return {
    ...Object.fromEntries(plain),
    ...(keys.length > 0 && { [customFieldsName]: Object.fromEntries(keys.map((key) => [key, null])) }),
  }
}

import type { FieldProblem } from '../subgraphs/kernel/errors.ts'
import { compareNumbers, isExactNumber, isJsonObject, nearestNumber } from '../subgraphs/kernel/json/exact-number.ts'
import { isSameValue } from '../subgraphs/kernel/record/same-value.ts'
import { normalizeTimestamp } from '../subgraphs/kernel/record/scalars.ts'
import { resolve, typesOf, type OpenApiDocument, type OperationObject, type PathItem, type Schema } from './openapi.ts'
import { relatedProperty } from './shape/shaping.ts'

// A client reads a record, changes it and sends all of it back. Properties that only the platform sets are accepted if they are as they were
// read, and refused with their path otherwise.

/** The properties of an answer that the body of a change does not have. */
export interface ReadOnlyShape {
  readonly names: ReadonlySet<string>
  /** Those of them that change without a new version: their values may differ from what was read. */
  readonly unversioned: ReadonlySet<string>
  /** Those of them that are related records, which `GET` adds with `expand`. */
  readonly related: ReadonlySet<string>
  /** The properties of both that are objects, or lists of objects. */
  readonly inner: ReadonlyMap<string, ReadOnlyShape>
}

/** A read-only value that was sent. */
export interface SentValue {
  /** Its properties and its indexes in lists. */
  readonly path: readonly (string | number)[]
  readonly value: unknown
  /** Whether it changes without a new version. */
  readonly isUnversioned: boolean
  /** Whether it is a related record, which may have changed since: only its id is compared. */
  readonly isRelated: boolean
}

/** The read-only values of a body, and the whole body. */
export interface SentReadOnly {
  readonly sent: readonly SentValue[]
  readonly body: unknown
}

/** Structured values have objects in lists in the body; deeper ones are not compared. */
const levelsMax = 4

/** The schema of the object, or of the objects in the list. */
function objectSchemaOf(document: OpenApiDocument, given: Schema): Schema | null {
  const schema = resolve<Schema>(document, given)
  if (schema.properties) return schema
  if (typesOf(schema).includes('array') && schema.items) return objectSchemaOf(document, schema.items)
  const [only, ...others] = (schema.anyOf ?? []).filter((one) => one.type !== 'null')
  return only && others.length === 0 ? objectSchemaOf(document, only) : null
}

function shapeOf(document: OpenApiDocument, body: Schema, answer: Schema, levels: number): ReadOnlyShape | null {
  const [sent, read] = [objectSchemaOf(document, body), objectSchemaOf(document, answer)]
  if (!sent?.properties || !read?.properties || sent.additionalProperties !== false) return null
  const names = new Set(Object.keys(read.properties).filter((name) => !Object.hasOwn(sent.properties!, name)))
  const marked = (mark: string) => new Set([...names].filter((name) => read.properties![name]![mark] === true))
  const [unversioned, related] = [marked('x-unversioned'), marked('x-expandable')]
  const inner = new Map<string, ReadOnlyShape>()
  if (levels > 1)
    for (const [name, schema] of Object.entries(sent.properties)) {
      const answered = read.properties[name]
      const shape = answered && shapeOf(document, schema, answered, levels - 1)
      if (shape) inner.set(name, shape)
    }
  return names.size > 0 || inner.size > 0 ? { names, unversioned, related, inner } : null
}

const answerOf = (document: OpenApiDocument, operation: OperationObject): Schema | undefined => {
  const { 200: response } = operation.responses
  return response && resolve(document, response as { content?: OperationContent }).content?.['application/json']?.schema
}
type OperationContent = Readonly<Record<string, { readonly schema?: Schema }>>

/** The read-only properties of a change: `PATCH` or `PUT` of what `GET` of the same path returns. */
export function readOnlyOf(document: OpenApiDocument, item: PathItem, method: string): ReadOnlyShape | null {
  const body =
    (method === 'patch' || method === 'put') && item[method]?.requestBody?.content['application/json']?.schema
  const answer = body && item.get && answerOf(document, item.get)
  return answer ? shapeOf(document, body, answer, levelsMax) : null
}

/** Separates a body into what may be written and the read-only values in it. */
export function withoutReadOnly(shape: ReadOnlyShape, body: unknown): { body: unknown; readOnly: SentReadOnly | null } {
  const sent: SentValue[] = []
  let isStripped = false
  const strip = (value: unknown, shape: ReadOnlyShape, path: readonly (string | number)[]): unknown => {
    if (Array.isArray(value)) return value.map((item, index) => strip(item, shape, [...path, index]))
    if (!isJsonObject(value)) return value
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, member]) => {
        const at = [...path, name]
        if (shape.names.has(name)) {
          isStripped = true
          const isRelated = shape.related.has(name)
          const isUnversioned = shape.unversioned.has(name)
          sent.push({ path: at, value: member, isUnversioned, isRelated })
          return []
        }
        const shapeOfMember = shape.inner.get(name)
        return [[name, shapeOfMember ? strip(member, shapeOfMember, at) : member]]
      }),
    )
  }
  // A body without read-only values stays as it is, with names such as `__proto__`, which the validator refuses.
  const stripped = strip(body, shape, [])
  return isStripped ? { body: stripped, readOnly: { sent, body } } : { body, readOnly: null }
}

/** The values that were sent and differ from those that were read. Objects in lists are found by their `id`. */
export function differencesOf({ sent, body }: SentReadOnly, read: unknown): FieldProblem[] {
  return sent.flatMap(({ path, value, isUnversioned, isRelated }) => {
    const found = readValue(path, body, read)
    const isSameRelated = path[0] === relatedProperty ? areSameRecords : isSameRecord
    const isEqual = isRelated ? isSameRelated : isUnversioned ? isOfSameForm : isSame
    if (found.isKnown && isEqual(value, found.value)) return []
    const name = path.join('.')
    const advice = found.isKnown ? 'send it as it was read, or leave it out' : 'leave it out'
    return [{ path: name, code: 'READ_ONLY', message: `${name} is set by the platform; ${advice}.` }]
  })
}

/** The properties of a body that are exactly as they were read. What the caller may not read is not known to be unchanged. */
export const unchangedIn = (body: Readonly<Record<string, unknown>>, read: unknown): string[] =>
  isJsonObject(read)
    ? Object.keys(body).filter((name) => Object.hasOwn(read, name) && isSameValue(body[name], read[name]))
    : []

interface Found {
  /** Whether the answer has the object that would have the value. */
  readonly isKnown: boolean
  readonly value?: unknown
}

function readValue(path: readonly (string | number)[], body: unknown, read: unknown): Found {
  let [given, stored] = [body, read]
  for (const step of path) {
    given = (given as Readonly<Record<string | number, unknown>> | undefined)?.[step]
    if (typeof step === 'number') stored = Array.isArray(stored) ? counterpart(stored, step, given) : undefined
    else if (isJsonObject(stored)) stored = Object.hasOwn(stored, step) ? stored[step] : null
    else return { isKnown: false }
  }
  return stored === undefined ? { isKnown: false } : { isKnown: true, value: stored }
}

function counterpart(stored: readonly unknown[], index: number, given: unknown): unknown {
  const id = isJsonObject(given) ? given['id'] : undefined
  const hasIds = stored.some((item) => isJsonObject(item) && Object.hasOwn(item, 'id'))
  if (!hasIds) return stored[index]
  return typeof id === 'string'
    ? stored.find((item) => isJsonObject(item) && String(item['id']).toLowerCase() === id.toLowerCase())
    : undefined
}

/** Numbers may have passed through doubles, and times through another offset. */
function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (isExactNumber(one) && isExactNumber(other))
    return compareNumbers(one, other) === 0 || nearestNumber(one) === nearestNumber(other)
  if (typeof one === 'string' && typeof other === 'string') {
    const moment = normalizeTimestamp(one)
    return moment !== null && moment === normalizeTimestamp(other)
  }
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, index) => isSame(item, other[index]))
  if (!isJsonObject(one) || !isJsonObject(other)) return false
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isSame(one[name], other[name]))
  )
}

/** Whether both are the record with this id, or none. */
const isSameRecord = (one: unknown, other: unknown): boolean =>
  isJsonObject(one) && isJsonObject(other) ? one['id'] === other['id'] : one === null && other === null

/** Whether all of the records that the first one has are the same in the other one, by the lookups that name them. */
const areSameRecords = (one: unknown, other: unknown): boolean =>
  isJsonObject(one) &&
  isJsonObject(other) &&
  Object.keys(one).every((key) => Object.hasOwn(other, key) && isSameRecord(one[key], other[key]))

/** Whether a value may have been read at another time: it has the type, and as an object the names, of the value that is read. */
function isOfSameForm(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) || Array.isArray(other)) return Array.isArray(one) && Array.isArray(other)
  if (!isJsonObject(one) || !isJsonObject(other))
    return !isJsonObject(one) && !isJsonObject(other) && (one === null || other === null || typeof one === typeof other)
  const names = Object.keys(one)
  return names.length === Object.keys(other).length && names.every((name) => Object.hasOwn(other, name))
}

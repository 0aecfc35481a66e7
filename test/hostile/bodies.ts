import { gzipSync } from 'node:zlib'
import type { Contract } from '../../rest-adapter/contract.ts'
import type { ReadOnlyShape } from '../../rest-adapter/read-only.ts'
import type { RestOperation } from '../../rest-adapter/rest-operation.ts'
import { typesOf, type ResponseObject, type Schema } from '../../rest-adapter/openapi.ts'
import { badValues } from '../requests/bad-values.ts'
import { edgeValues } from '../requests/edge-values.ts'
import { againstRules, hasRules, setByOperations, valuesOfField } from '../requests/field-values.ts'
import { refusedInput, refusedWith } from '../requests/problem.ts'
import type { Requests, ValidRequest } from '../requests/requests.ts'
import { needsOtherParty } from '../requests/special-cases.ts'
import { schemaSignature, type Sweep } from '../requests/sweep.ts'
import { fieldsOf, withPath, schemaAt, valueAt, without, withText, type Field } from '../requests/schema.ts'
import { freshPrefix } from '../requests/valid-values.ts'
import type { HostileRequest } from './refusals.ts'

const invalidJson = { ...refusedWith('INVALID_JSON'), errors: [{ path: 'body', code: 'INVALID_JSON' }] }
const deep = (open: string, close: string): string => open.repeat(100_000) + '1' + close.repeat(100_000)

/** Bodies that are not a JSON object. */
export function badBodies({ operation }: ValidRequest): HostileRequest[] {
  const isRequired = operation.body!.required
  const texts: [string, string | Buffer][] = [
    ['half a body', '{"a":'],
    ['two bodies', '{}{}'],
    ['a trailing comma', '{"a":1,}'],
    ['single quotes', "{'a':1}"],
    ['NaN', '{"a":NaN}'],
    ['Infinity', '{"a":-Infinity}'],
    ['hexadecimal', '{"a":0x10}'],
    ['a comment', '{}//'],
    ['a byte order mark', '\ufeff{}'],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
    ['half a surrogate pair in UTF-8', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
    ['a raw NUL', '{"a":"\0"}'],
    ['a raw line break in text', '{"a":"\n"}'],
    ['a form', 'a=1&b=2'],
    ['brackets without end', '['.repeat(100_000)],
    ['braces without end', '{"a":'.repeat(100_000)],
  ]
  const others = ['null', 'true', '1', '1e400', '"text"', '[]', '[{}]', '[[[]]]']
  const notObject = refusedInput('', 'WRONG_TYPE')
  return [
    ...texts.map(([what, body]) => ({ what, change: { body }, refused: invalidJson })),
    ...others.map((body) => ({ what: body, change: { body }, refused: notObject })),
    { what: 'lists in lists', change: { body: deep('[', ']') }, refused: refusedInput('*', 'TOO_DEEP') },
    { what: 'objects in objects', change: { body: deep('{"a":', '}') }, refused: refusedInput('*', 'TOO_DEEP') },
    ...(isRequired ? [{ what: 'no body', change: { body: '' }, refused: refusedInput('', 'REQUIRED') }] : []),
  ]
}

/** Bodies for an operation that has no body. */
export function unexpectedBodies(): HostileRequest[] {
  return [
    { what: 'a field', change: { body: '{"isAdmin":true}' }, refused: refusedInput('isAdmin', 'UNKNOWN_FIELD') },
    { what: 'a list', change: { body: '[{"isAdmin":true}]' }, refused: refusedInput('', 'WRONG_TYPE') },
    { what: 'half a body', change: { body: '{"a":' }, refused: invalidJson },
  ]
}

/** Bodies with the wrong media type, encoding or size, of a valid request. */
export function badTransports({ body, operation }: ValidRequest): HostileRequest[] {
  const { bodyBytes } = operation.limits
  const refused = refusedWith('UNSUPPORTED_MEDIA_TYPE')
  const types = [
    '',
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    'application/jsonp',
    'text/json',
    'application/json; charset=utf-16',
    'application/json; charset=iso-8859-1',
    'application/json, text/plain',
    '*/*',
    'json',
  ]
  const compressed = gzipSync(JSON.stringify(body))
  const large = JSON.stringify({ nosuch: 1 })
  const padded = (bytes: number): string => large + ' '.repeat(bytes - large.length)
  return [
    ...types.map((type) => ({ what: `content type ${type}`, change: { headers: { 'Content-Type': type } }, refused })),
    ...['gzip', 'br', 'deflate', 'identity, gzip', 'x'].map((coding) => ({
      what: `content encoding ${coding}`,
      change: { body: compressed, headers: { 'Content-Encoding': coding } },
      refused,
    })),
    { what: 'compressed, and not called so', change: { body: compressed }, refused: invalidJson },
    { what: 'as many bytes as allowed', change: { body: padded(bodyBytes) }, refused: refusedUnknown },
    {
      what: 'as many bytes as allowed in chunks',
      change: { body: padded(bodyBytes), chunked: true },
      refused: refusedUnknown,
    },
    { what: 'a byte more', change: { body: padded(bodyBytes + 1) }, refused: refusedWith('PAYLOAD_TOO_LARGE') },
    {
      what: 'a byte more in chunks',
      change: { body: padded(bodyBytes + 1), chunked: true },
      refused: refusedWith('PAYLOAD_TOO_LARGE'),
    },
  ]
}

// Other problems of this body depend on the operation.
const refusedUnknown = { status: 400, code: 'UNKNOWN_FIELD' } as const

const at = ({ path }: Field): string => path.join('.')

/** How an operation is served: by its stored document or by a handler of its area, with or without an Idempotency-Key. */
export const kindOfRoute = ({ document, path, method, acceptsIdempotencyKey, keyParameter }: RestOperation): string =>
  [method, acceptsIdempotencyKey, keyParameter !== null, document === null ? path.split('/', 3).join('/') : ''].join()

/** Fields with this signature are checked alike. */
const signatureOf = (operation: RestOperation, { path, schema, required }: Field): string =>
  [
    kindOfRoute(operation),
    required,
    path.map((key) => (typeof key === 'number' ? 'item' : 'member')).join('.'),
    schemaSignature(schema),
  ].join()

/** Every field with the values that its rules refuse: an operation that forgets them would accept what the others refuse. */
export const valuesAgainstRules = (operation: RestOperation, contract: Contract): { name: string; value: unknown }[] =>
  fieldsOf(contract, operation.body!.schema).flatMap(({ path: [name, ...below] }) =>
    below.length > 0 ? [] : (againstRules[String(name)] ?? []).map((value) => ({ name: String(name), value })),
  )

/** Every field with the kinds of value that its schema does not allow. */
export function badFields(
  { contract }: Requests,
  { operation, body }: ValidRequest,
  whole: unknown,
  sweep: Sweep,
): HostileRequest[] {
  return fieldsOf(contract, operation.body!.schema).flatMap((field) => {
    const base = withPath(body, whole, field.path)
    // The smallest valid item, so that a list with too many of them is not too large a body.
    const item = field.schema.items && (valueAt(body, [...field.path, 0]) ?? valueAt(whole, [...field.path, 0]))
    const bad = sweep.choose(
      signatureOf(operation, field),
      `${operation.id}.${at(field)}`,
      badValues(field.schema, item),
    )
    return bad.map(({ what, json, code, below }) => ({
      what: `${at(field)}: ${what}`,
      change: { body: withText(base, field.path, json) },
      refused: refusedInput(below ? `${at(field)}.${below}` : at(field), code),
    }))
  })
}

/** The read-only properties of an object in the body, or of the objects in a list. */
const readOnlyAt = ({ readOnly }: RestOperation, path: Field['path']): ReadOnlyShape | null =>
  path.reduce<ReadOnlyShape | null>(
    (shape, key) => (typeof key === 'number' ? shape : (shape?.inner.get(key) ?? null)),
    readOnly,
  )

/** Bodies with missing, unknown or read-only fields. */
export function badShapes(
  { contract }: Requests,
  { operation, body }: ValidRequest,
  whole: unknown,
  sweep: Sweep,
): HostileRequest[] {
  const root = schemaAt(contract, operation.body!.schema)
  const fields = fieldsOf(contract, root)
  const closed = [
    { path: [], schema: root, required: true } as Field,
    ...fields.filter(({ schema }) => schema['additionalProperties'] === false),
  ]
  const missing = fields
    .filter(({ required }) => required)
    .map((field) => ({
      what: `without ${at(field)}`,
      change: { body: without(withPath(body, whole, field.path), field.path) },
      refused: refusedInput(at(field), 'REQUIRED'),
    }))
  const unknown = closed.flatMap((field) => {
    const { path, schema } = field
    const names = unknownNames(contract, operation, schema)
    return sweep.choose(signatureOf(operation, field), `${operation.id}.${at(field)}`, names, 3).map((name) => {
      const place = [...path, name]
      const isReadOnly = readOnlyAt(operation, path)?.names.has(name)
      return {
        what: `with ${place.join('.')}`,
        change: { body: withText(withPath(body, whole, place), place, '{"isAdmin":true}') },
        refused:
          isReadOnly && needsOtherParty.has(operation.documentId)
            ? refusedWith('NOT_FOUND')
            : refusedInput(place.join('.'), isReadOnly ? 'READ_ONLY' : 'UNKNOWN_FIELD'),
      }
    })
  })
  const long = '😀'.repeat(100_000)
  const many = Object.fromEntries(Array.from({ length: 900 }, (_, index) => [`nosuch${index}`, index]))
  const tooMuch = [
    {
      what: 'with a field whose name is long',
      change: { body: { ...(body as object), [long]: 1 } },
      refused: refusedUnknown,
    },
    { what: 'with many unknown fields', change: { body: { ...(body as object), ...many } }, refused: refusedUnknown },
  ]
  // In an object literal, __proto__ would set the prototype.
  const prototype = {
    what: 'with __proto__',
    change: { body: JSON.stringify(body).replace(/^\{/, '{"__proto__":{"isAdmin":true},').replace(',}', '}') },
    refused: refusedInput('__proto__', 'UNKNOWN_FIELD'),
  }
  const kind = `shape ${kindOfRoute(operation)}`
  return [...missing, ...unknown, ...sweep.choose(kind, operation.id, [...tooMuch, prototype])]
}

const unknownFields = [
  'nosuch',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'valueOf',
  '$where',
  'a.b',
  ' name',
  '',
]

/** Unknown fields, and read-only fields: those of the response that the body does not accept. */
function unknownNames(
  contract: Contract,
  { path, method, success }: RestOperation,
  { properties = {} }: Schema,
): string[] {
  const answer = contract.document.paths[path]![method]!.responses[success.status] as ResponseObject
  const shown = schemaAt(contract, answer.content?.['application/json']?.schema ?? {}).properties ?? {}
  const names = new Set([
    ...unknownFields,
    'organizationId',
    'createdAt',
    'version',
    'deletedAt',
    ...Object.keys(shown),
  ])
  return [...names].filter((name) => !Object.hasOwn(properties, name))
}

/** A record was not created in the future, whatever an import says. */
const isInFuture = (read: unknown): boolean => typeof read === 'string' && read > new Date().toISOString()

/** The boundary values of every field of a record, each with the value that is read back. */
export function edgesOf({ contract }: Requests, { operation, body }: ValidRequest, sweep: Sweep) {
  const fields = fieldsOf(contract, operation.body!.schema).filter(
    ({ path, schema }) =>
      path.length === 1 && schema.format !== 'uuid' && !hasRules(operation.documentId, String(path[0])),
  )
  const isDefaulted = (read: unknown): boolean => read === null && operation.success.status === 201
  return fields.flatMap((field) => {
    const refused = setByOperations[String(field.path[0])] ?? []
    const all = edgeValues(field.schema).filter(
      ({ read }) => !refused.includes(read) && !(field.path[0] === 'createdAt' && isInFuture(read)),
    )
    // A setting of the organization that is true would refuse later requests, so its last value is false.
    const edges = typesOf(field.schema).includes('boolean')
      ? all
      : sweep.choose(`edge ${signatureOf(operation, field)}`, `${operation.id}.${at(field)}`, all)
    return edges.map(({ what, json, read }) => {
      const name = String(field.path[0])
      return {
        what: `${name}: ${what}`,
        change: { body: withText(renewed(body, name), field.path, json) },
        // Null in a create input may mean the default.
        read: (answer: Record<string, unknown>) =>
          isDefaulted(read) || !Object.hasOwn(answer, name) ? read : answer[name],
        expected: read,
      }
    })
  })
}

const uniqueFields: ReadonlySet<string> = new Set(['apiName', 'email'])

/** Makes unique fields different in every request, so that they do not conflict. */
function renewed(body: unknown, except: string): unknown {
  const members = Object.entries(body as Record<string, unknown>).map(([name, value]) => {
    if (name === except) return [name, value]
    // API names have an underscore in the place of the hyphen.
    const sample = typeof value === 'string' ? /^s[0-9a-z]+([-_])/.exec(value) : null
    if (sample) return [name, freshPrefix().replace('-', sample[1]!)]
    return [name, uniqueFields.has(name) ? valuesOfField[name]!() : value]
  })
  return Object.fromEntries(members)
}

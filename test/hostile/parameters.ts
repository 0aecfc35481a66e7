import type { Contract } from '../../rest-adapter/contract.ts'
import type { RestOperation } from '../../rest-adapter/rest-operation.ts'
import { typesOf, type Parameter, type Schema } from '../../rest-adapter/openapi.ts'
import { notDates, notIds } from '../requests/bad-values.ts'
import { refusedInput, refusedWith } from '../requests/problem.ts'
import type { ValidRequest } from '../requests/requests.ts'
import { fieldsOf } from '../requests/schema.ts'
import { schemaSignature, type Sweep } from '../requests/sweep.ts'
import { kindOfRoute } from './bodies.ts'
import type { HostileRequest } from './refusals.ts'

const queryOf = (name: string, text: string): string => `${encodeURIComponent(name)}=${encodeURIComponent(text)}`

type BadText = readonly [text: string, code: string]

function badNumbers({ minimum, maximum, ...schema }: Schema & { minimum?: number; maximum?: number }): BadText[] {
  const texts = [
    '',
    'x',
    'NaN',
    'Infinity',
    ...(typesOf(schema as Schema).includes('number') ? [] : ['1.5']),
    '1e2',
    '0x10',
    ' 1',
    '１',
    '1,2',
    'null',
    '99999999999999999999',
    '1;drop',
  ]
  const beyond = [
    ...(minimum === undefined ? [] : [minimum - 1, Math.min(minimum - 1, -1_000_000_000)]),
    ...(maximum === undefined ? [] : [maximum + 1, Math.max(maximum + 1, 1_000_000_000)]),
  ]
  return [
    ...texts.map((text): BadText => [text, 'WRONG_TYPE']),
    ...beyond.map((value): BadText => [String(value), 'OUT_OF_RANGE']),
  ]
}

function badTexts(schema: Schema): BadText[] {
  const { enum: members, format, maxLength, minLength = 0 } = schema
  const each = (code: string, texts: readonly string[]): BadText[] => texts.map((text) => [text, code])
  switch (typesOf(schema)[0]) {
    case 'integer':
    case 'number':
      return badNumbers(schema)
    case 'boolean':
      return each('WRONG_TYPE', ['', 'TRUE', 'yes', '1', '0', 'null'])
    default:
  }
  const bad = each('NOT_TEXT', ['\0', 'a\0b'])
  if (members)
    return [
      ...bad,
      ...each('NOT_ALLOWED', [
        '',
        'nope',
        '__proto__',
        'constructor',
        `${members[0]},${members[0]}`,
        `${members[0]} desc`,
      ]),
    ]
  if (format === 'uuid') return [...bad, ...each('WRONG_FORMAT', notIds)]
  if (format === 'date-time') return [...bad, ...each('WRONG_FORMAT', notDates)]
  if (minLength > 0) bad.push(['', 'TOO_SHORT'])
  if (maxLength !== undefined) {
    bad.push(['a'.repeat(maxLength + 1), 'TOO_LONG'])
    // Escaping makes the text twelve times longer, and headers have a limit of their own.
    if (maxLength <= 2000) bad.push(['😀'.repeat(maxLength + 1), 'TOO_LONG'])
  }
  return bad
}

function badLists(name: string, { items = {}, ...schema }: Schema): HostileRequest[] {
  const { maxItems } = schema as { maxItems?: number }
  const bad = badTexts(items)
    .filter(([text]) => text.trim() === text && text !== '' && !text.includes(','))
    .map(([text, code]) => ({
      what: `${name}=${JSON.stringify(text)}`,
      change: { query: queryOf(name, text) },
      refused: refusedInput(`${name}.0`, code),
    }))
  if (schema['minItems'])
    bad.push({ what: `${name} without items`, change: { query: `${name}=` }, refused: refusedInput(name, 'TOO_FEW') })
  if (maxItems !== undefined && items.format === 'uuid') {
    const ids = Array.from(
      { length: maxItems + 1 },
      (_, index) => `0199d1a0-0000-7000-8000-${String(index).padStart(12, '0')}`,
    )
    bad.push({
      what: `${name} of ${ids.length}`,
      change: { query: queryOf(name, ids.join(',')) },
      refused: refusedInput(name, 'TOO_MANY'),
    })
  }
  return bad
}

function badObjects(name: string): HostileRequest[] {
  const members = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`k${index}`, 1]))
  const cases: [string, string, string][] = [
    [`${name}=x`, name, 'INVALID_JSON'],
    [`${name}=`, name, 'INVALID_JSON'],
    [`${name}=[]`, name, 'WRONG_TYPE'],
    [`${name}=1`, name, 'WRONG_TYPE'],
    [`${name}=null`, name, 'WRONG_TYPE'],
    [queryOf(name, '{"a":{}}'), `${name}.a`, 'WRONG_TYPE'],
    [queryOf(name, '{"a":[1]}'), `${name}.a`, 'WRONG_TYPE'],
    [queryOf(name, '{"__proto__":1}'), `${name}.__proto__`, 'UNKNOWN_FIELD'],
    [queryOf(name, '{"a":"\\u0000"}'), `${name}.a`, 'NOT_TEXT'],
    [queryOf(name, '{"a":"\\ud800"}'), `${name}.a`, 'NOT_TEXT'],
    [queryOf(name, JSON.stringify(members)), name, 'TOO_MANY'],
    [`${name}[__proto__]=1`, `${name}.__proto__`, 'UNKNOWN_FIELD'],
    [`${name}[a]=1&${name}[a]=2`, `${name}.a`, 'REPEATED'],
    [`${name}[a]=1&${name}={"b":1}`, name, 'REPEATED'],
    [`${name}={"b":1}&${name}={"b":2}`, name, 'REPEATED'],
    [`${name}[a]=%00`, `${name}.a`, 'NOT_TEXT'],
  ]
  return cases.map(([query, path, code]) => ({
    what: query.slice(0, 60),
    change: { query: query.replaceAll('"', '%22') },
    refused: refusedInput(path, code),
  }))
}

/** A credential is checked before the query is validated, so whatever is no key is refused as one. */
function badCredentials(name: string): HostileRequest[] {
  const refused = refusedWith('API_KEY_INVALID')
  const texts = ['', '\0', 'a\0b', 'nosuch', 'a'.repeat(201), '😀'.repeat(201)]
  return [
    { what: `${name} twice`, change: { query: `${name}=1&${name}=1` }, refused },
    ...texts.map((text) => ({
      what: `${name}=${JSON.stringify(text.slice(0, 50))}`,
      change: { query: queryOf(name, text) },
      refused,
    })),
  ]
}

function badParameter({ name, schema = {}, style, ...parameter }: Parameter): HostileRequest[] {
  if (style === 'deepObject') return badObjects(name)
  if (parameter['x-credential']) return badCredentials(name)
  if (typesOf(schema).includes('array')) return badLists(name, schema)
  const repeated = {
    what: `${name} twice`,
    change: { query: `${name}=1&${name}=1` },
    refused: refusedInput(name, 'REPEATED'),
  }
  const bad = badTexts(schema).map(([text, code]) => ({
    what: `${name}=${JSON.stringify(text.slice(0, 50))}`,
    change: { query: queryOf(name, text) },
    refused: refusedInput(name, code),
  }))
  return [repeated, ...bad]
}

const inQuery = ({ parameters }: RestOperation): Parameter[] =>
  parameters.filter((parameter) => parameter.in === 'query')

/** Every query parameter with the kinds of value that its schema does not allow, and queries that cannot be parsed. */
export function badQueries({ operation }: ValidRequest, sweep: Sweep): HostileRequest[] {
  const unreadable = ['%', '%zz=1', 'a=%ff', 'a=%ed%a0%80', 'a=%c0%80', 'a=%u0041', 'x=1&y=%2']
  const refused = refusedInput('query', 'WRONG_ENCODING')
  const unknown = ['nosuch', 'constructor', '__proto__', 'nosuch[a]', 'PAGE']
  const unknownParameters = (operation.ignoresUnknownParameters ? [] : unknown).map((name) => ({
    what: `${name}, which the operation does not have`,
    change: { query: `${name}=1` },
    refused: refusedInput(name, 'UNKNOWN_FIELD'),
  }))
  const invalid = inQuery(operation).flatMap((parameter) => {
    // The expected path is the name of the parameter, so its name is no part of the signature.
    const { name, schema, style, in: place, 'x-credential': credential } = parameter
    const signature = schemaSignature({ schema, style, place, credential })
    return sweep.choose(`query ${signature}`, `${operation.id}.${name}`, badParameter(parameter))
  })
  const ofTheQuery = [...unreadable.map((query) => ({ what: query, change: { query }, refused })), ...unknownParameters]
  return [...invalid, ...sweep.choose(`query ${kindOfRoute(operation)}`, operation.id, ofTheQuery, 2)]
}

/** Every path parameter with values that name no record. */
export function badPaths({ operation, path }: ValidRequest, sweep: Sweep): HostileRequest[] {
  const isByKey = operation.path.endsWith('/by/{field}/{value}')
  return (
    operation.parameters
      .filter((parameter) => parameter.in === 'path')
      // A field that is no key is refused with 400, and an upsert creates the record of any value.
      .filter(({ name }) => !isByKey || (name === 'value' && operation.method === 'get'))
      .flatMap(({ name, schema }) => {
        const isId = schema?.format === 'uuid'
        const at = (text: string): string =>
          operation.path.replaceAll(/\{(\w+)\}/g, (_, placeholder: string) =>
            placeholder === name ? text : encodeURIComponent(path[placeholder]!),
          )
        const nobody = encodeURIComponent(isId ? '0199d1a0-0000-7000-8000-0000000000ff' : 'nosuch')
        const nothing = [
          ...(isId ? notIds.slice(1) : ['\0', 'a\0', 'x'.repeat(101), '😀'.repeat(101), 'x'.repeat(8000)]),
          '%',
          "'",
          '"',
          '\\',
          '*',
          '..;',
          'a/b',
          '../accounts',
        ]
        const named = isId ? refusedInput(name, 'NOT_FOUND').errors : undefined
        const refused = { status: 404, code: 'NOT_FOUND', ...(named && { errors: named }) } as const
        const cases: HostileRequest[] = nothing.map((text) => ({
          what: `${name} ${JSON.stringify(text.slice(0, 50))}`,
          change: { at: at(encodeURIComponent(text)) },
          refused,
        }))
        const unreadable = ['%', '%zz', '%ff', '%ed%a0%80', '%c0%ae%c0%ae'].map((text) => ({
          what: `${name} ${text}`,
          change: { at: at(text) },
          refused: refusedInput('path', 'WRONG_FORMAT'),
        }))
        const signature = `path ${schemaSignature(schema ?? {})} ${kindOfRoute(operation)}`
        return [
          ...sweep.choose(signature, `${operation.id}.${name}`, [...cases, ...unreadable], 2),
          { what: `${name} of nobody`, change: { at: at(nobody) }, refused: refusedWith('NOT_FOUND') },
        ]
      })
  )
}

/** Other versions than that of the record, also where every flag of the request is set: none of them makes the API ignore the version. */
export function otherVersions(contract: Contract, { operation, body: valid }: ValidRequest): HostileRequest[] {
  if (!takesHeader(operation, 'If-Match')) return []
  const flags = inQuery(operation).filter(({ schema }) => typesOf(schema ?? {}).includes('boolean'))
  const query = flags.map(({ name }) => `${name}=true`).join('&')
  const body = withFlags(contract, operation, valid)
  return ['"999"', 'W/"999"', '999', '"0"'].map((tag, index) => ({
    what: `If-Match ${tag}`,
    change: { headers: { 'If-Match': tag }, ...(index === 0 && { query, ...(body !== undefined && { body }) }) },
    refused: refusedWith('VERSION_CONFLICT'),
  }))
}

/** The body with true in every flag; undefined if the operation has none. */
function withFlags(contract: Contract, { body }: RestOperation, valid: unknown): unknown {
  const fields = body ? fieldsOf(contract, body.schema) : []
  const flags = fields.filter(({ path, schema }) => path.length === 1 && typesOf(schema).includes('boolean'))
  if (flags.length === 0) return undefined
  return { ...(valid as object), ...Object.fromEntries(flags.map(({ path }) => [path[0], true])) }
}

const takesHeader = ({ parameters }: RestOperation, name: string): boolean =>
  parameters.some((parameter) => parameter.in === 'header' && parameter.name === name)

/** Headers that the API reads, with invalid values. */
export function badHeaders({ operation }: ValidRequest): HostileRequest[] {
  const bad: HostileRequest[] = []
  if (takesHeader(operation, 'If-Match')) {
    const tags = [
      '',
      'x',
      '"x"',
      '"1" "2"',
      '"1", "2"',
      '-1',
      '"-1"',
      '1.5',
      '"9999999999"',
      '1e1',
      'W/',
      '**',
      '"1',
      'é',
      'null',
    ]
    for (const tag of tags)
      bad.push({
        what: `If-Match ${tag}`,
        change: { headers: { 'If-Match': tag } },
        refused: refusedInput('If-Match', 'WRONG_FORMAT'),
      })
  }
  if (operation.acceptsIdempotencyKey) {
    const keys = [
      ['', 'TOO_SHORT'],
      ['k'.repeat(256), 'TOO_LONG'],
      ['k'.repeat(10_000), 'TOO_LONG'],
    ] as const
    for (const [key, code] of keys) {
      bad.push({
        what: `Idempotency-Key of ${key.length}`,
        change: { headers: { 'Idempotency-Key': key } },
        refused: refusedInput('Idempotency-Key', code),
      })
    }
  }
  return bad
}

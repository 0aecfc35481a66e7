import {
  buildClientSchema,
  getIntrospectionQuery,
  getNamedType,
  getNullableType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  Kind,
  parse,
  valueFromASTUntyped,
  type FieldNode,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type IntrospectionQuery,
} from 'graphql'
import { beforeAll, describe, expect, it } from 'vitest'
import type { RestOperation } from '../../rest-adapter/rest-operation.ts'
import { Translation } from '../../rest-adapter/translate.ts'
import { restContract } from '../contract-of-rest.ts'
import { newDirectory } from '../directory.ts'
import { usePlatform } from '../platform.ts'
import { Requests } from '../requests/requests.ts'
import { inParallel, send, type RawResponse } from '../requests/send.ts'
import { rootFields } from './graphql-values.ts'

const platform = usePlatform({ TRUST_PROXY: '127.0.0.1' })

/** Texts that are no ids, although the last two have the length of one. */
const wrongIds = ['', 'x', '0199d1a0-0000-7000-8000-00000000000g', '-'.repeat(36)]
const someId = '0199d1a0-0000-7000-8000-000000000000'

type Values = Readonly<Record<string, unknown>>

interface Asked {
  readonly kind: 'query' | 'mutation'
  readonly field: GraphQLField<unknown, unknown>
  /** Valid values of its arguments. */
  readonly args: Values
  readonly headers: Readonly<Record<string, string>>
}

interface Selected {
  readonly operation: RestOperation
  readonly node: FieldNode
}

/** The REST operations by the root field that their stored documents select. */
const selections: ReadonlyMap<string, Selected> = new Map(
  restContract().operations.flatMap((operation) => {
    const definition = parse(operation.document ?? '{ __typename }').definitions.find(
      ({ kind }) => kind === Kind.OPERATION_DEFINITION,
    )
    const nodes = definition?.kind === Kind.OPERATION_DEFINITION ? definition.selectionSet.selections : []
    return nodes.flatMap((node): [string, Selected][] =>
      node.kind === Kind.FIELD ? [[node.name.value, { operation, node }]] : [],
    )
  }),
)

const isId = ({ type }: GraphQLArgument): boolean => String(getNamedType(type)) === 'ID'
const isRequired = ({ type, defaultValue }: Pick<GraphQLArgument, 'type' | 'defaultValue'>): boolean =>
  isNonNullType(type) && defaultValue === undefined

/** What refuses an id, or the record that it names. */
const refusals: ReadonlySet<string> = new Set(['NOT_FOUND', 'VALIDATION_FAILED', 'INVALID_STATE'])

/** Fields that answer something for an id that names nothing, and what that is. */
const answered: Readonly<Record<string, string>> = {
  explainAccess: 'why the user does not see such a record',
}

let requests: Requests
/** Of the directory service that provisions users. */
let directoryToken: string
let fields: (readonly ['query' | 'mutation', GraphQLField<unknown, unknown>])[]

beforeAll(async () => {
  requests = await Requests.of(platform, await platform.member({ role: 'OWNER' }))
  const directory = await newDirectory(platform)
  directoryToken = directory.token
  // The first use of a minute is recorded, and the clock stands still.
  await directory.scim('GET', '/Users')
  // The first introspection of a process builds the whole answer.
  const answer = await send(platform.url, {
    method: 'POST',
    path: '/v1/graphql',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${requests.session}` },
    body: JSON.stringify({ query: getIntrospectionQuery() }),
    withinMs: 60_000,
  })
  fields = rootFields(buildClientSchema(answer.body.data as IntrospectionQuery)).flatMap(([kind, field]) =>
    kind !== 'subscription' && field.args.some(isId) ? [[kind, field] as const] : [],
  )
})

/** The least value of a type. */
function leastValue(type: GraphQLInputType): unknown {
  if (isNonNullType(type)) return leastValue(type.ofType)
  if (isListType(type)) return [leastValue(type.ofType)]
  if (isEnumType(type)) return type.getValues()[0]!.name
  if (!isInputObjectType(type)) return someId
  const required = Object.values(type.getFields()).filter(isRequired)
  return Object.fromEntries(required.map((field) => [field.name, leastValue(field.type)]))
}

/** Valid arguments of a field: those of a valid request of its REST operation, and the least of others that it requires. */
async function asked([kind, field]: (typeof fields)[number]): Promise<Asked> {
  const selected = selections.get(field.name)
  const inRest = selected ? await argsInRest(selected) : {}
  const others = field.args.filter((arg) => isRequired(arg) && inRest[arg.name] === undefined)
  const args = { ...inRest, ...Object.fromEntries(others.map(({ name, type }) => [name, leastValue(type)])) }
  const token = field.name.startsWith('scim') ? directoryToken : requests.session
  return { kind, field, args, headers: { Authorization: `Bearer ${token}` } }
}

async function argsInRest({ operation, node }: Selected): Promise<Values> {
  const { path, query, headers, body } = await requests.valid(operation)
  const variables = new Translation(operation).variables(path, query, headers, body)
  const given = (node.arguments ?? []).map(
    ({ name, value }) => [name.value, valueFromASTUntyped(value, variables)] as const,
  )
  return Object.fromEntries(given.filter(([, value]) => value !== undefined))
}

function ask({ kind, field, headers }: Asked, args: Values): Promise<RawResponse> {
  const given = field.args.filter(({ name }) => args[name] !== undefined)
  const declared = given.map(({ name, type }) => `$${name}: ${String(type)}`).join(' ')
  const passed = given.map(({ name }) => `${name}: $${name}`).join(' ')
  const selected = isCompositeType(getNamedType(field.type)) ? ' { __typename }' : ''
  return send(platform.url, {
    withinMs: 30_000,
    method: 'POST',
    path: '/v1/graphql',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify({
      query: `${kind}(${declared}) { ${field.name}(${passed})${selected} }`,
      variables: Object.fromEntries(given.map(({ name }) => [name, args[name]])),
    }),
  })
}

describe('a text that is no id', () => {
  it('in any argument for an id, with valid values in all others, is refused or finds nothing, and changes nothing', async () => {
    // Records of the valid requests are created one after the other, because some preparations change what others share.
    const valid: Asked[] = []
    for (const field of fields) valid.push(await asked(field))
    const before = await platform.fingerprint()
    const found = await inParallel(valid, async (one) => {
      const problems: string[] = []
      for (const arg of one.field.args.filter(isId))
        for (const text of wrongIds) {
          const isList = isListType(getNullableType(arg.type))
          const { name } = one.field
          const { status, text: answer, body } = await ask(one, { ...one.args, [arg.name]: isList ? [text] : text })
          const codes = ((body.errors ?? []) as { extensions: { code: string } }[]).map(
            ({ extensions }) => extensions.code,
          )
          const isRefused = codes.length > 0 && codes.every((code) => refusals.has(code))
          // A list of ids is answered with what became of each.
          const isAnswered = codes.length === 0 && (isList || name in answered || body.data[name] === null)
          if (status >= 500 || !(isRefused || isAnswered))
            problems.push(`${name}(${arg.name}: "${text}"): ${status} ${answer.slice(0, 300)}`)
        }
      return problems
    })
    expect(valid.length).toBeGreaterThan(200)
    expect(found.flat()).toEqual([])
    expect(await platform.fingerprint()).toBe(before)
  }, 400_000)
})

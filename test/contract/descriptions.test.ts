import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  isEnumType,
  isInputObjectType,
  isNonNullType,
  isObjectType,
  isSpecifiedScalarType,
  type GraphQLNamedType,
} from 'graphql'
import { describe, expect, it } from 'vitest'
import { LoadedSupergraph } from '../../gateway/graph/supergraph.ts'
import { schemaPath } from '../../subgraphs/kernel/config/paths.ts'
import { restAreas, typeOf } from '../rest-areas.ts'
import { areaFolders, handwrittenSchemas, printedDescriptions } from './printed-descriptions.ts'

interface Described {
  readonly path: string
  readonly description: string
}

const { apiSchema: schema } = new LoadedSupergraph(readFileSync('schema/supergraph.graphql', 'utf8'))
const types = Object.values(schema.getTypeMap()).filter(
  (type) => !type.name.startsWith('__') && !isSpecifiedScalarType(type),
)

const described = (path: string, { description }: { readonly description?: string | null }): Described => ({
  path,
  description: description?.trim() ?? '',
})

/** A type with its fields, arguments and enumerated values, as they are shown to a client. */
function partsOf(type: GraphQLNamedType): Described[] {
  const own = described(type.name, type)
  if (isEnumType(type)) return [own, ...type.getValues().map((value) => described(`${type.name}.${value.name}`, value))]
  if (isInputObjectType(type))
    return [own, ...Object.values(type.getFields()).map((field) => described(`${type.name}.${field.name}`, field))]
  if (!isObjectType(type)) return [own]
  const fields = Object.values(type.getFields()).flatMap((field) => [
    described(`${type.name}.${field.name}`, field),
    ...field.args.map((argument) => described(`${type.name}.${field.name}(${argument.name})`, argument)),
  ])
  return [own, ...fields]
}

const parts = types.flatMap(partsOf)
const letters = (text: string): string => text.toLowerCase().replaceAll(/[^a-z]/g, '')

describe('descriptions in GraphQL', () => {
  it('are sentences, on every type, field, argument and enumerated value', () => {
    const faulty = parts.filter(({ description }) => !/^[A-Z0-9`].*[.)]$/s.test(description))
    expect(faulty.map(({ path }) => path)).toEqual([])
  })

  it('say more than the name', () => {
    const nameOf = (path: string): string => letters(path.split(/[.(]/).at(-1)!)
    const repeated = parts.filter(({ path, description }) =>
      [nameOf(path), `the${nameOf(path)}`].includes(letters(description)),
    )
    expect(repeated.map(({ path }) => path)).toEqual([])
  })

  it.each(restAreas.map((area) => [typeOf(area), area] as const))(
    '%s: say when a field that may be null is null',
    (type, { definition }) => {
      const object = schema.getType(type)
      if (!isObjectType(object)) throw new Error(`The graph must have the type ${type}.`)
      const silent = definition.columns.shown.filter(({ name }) => {
        const field = object.getFields()[name]!
        return !isNonNullType(field.type) && !/\bnull\b/i.test(field.description ?? '')
      })
      expect(silent.map(({ name }) => name)).toEqual([])
    },
  )

  it('name the scopes of every operation', () => {
    const operations = parts.filter(({ path }) => /^(Query|Mutation|Subscription)\.\w+$/.test(path))
    expect(operations.filter(({ description }) => !/ Needs [^.]+\.$/.test(description))).toEqual([])
  })

  it('name the scopes that a field needs', () => {
    const needs = (path: string): string | undefined =>
      /Needs .*$/.exec(parts.find((part) => part.path === path)?.description ?? '')?.[0]
    expect({
      accountList: needs('Query.accountList'),
      accountCreate: needs('Mutation.accountCreate'),
      cases: needs('Account.cases'),
      nodes: needs('CaseConnection.nodes'),
      apiKeyCreate: needs('Mutation.apiKeyCreate'),
      authLogin: needs('Mutation.authLogin'),
      scimUser: needs('Query.scimUser'),
      appInstallation: needs('Query.appInstallation'),
      recordChange: needs('Query.recordChange'),
    }).toEqual({
      accountList: 'Needs READ_ACCOUNTS.',
      accountCreate: 'Needs WRITE_ACCOUNTS.',
      cases: 'Needs READ_CASES.',
      nodes: undefined,
      apiKeyCreate: 'Needs a session.',
      authLogin: 'Needs no credential.',
      scimUser: 'Needs a SCIM token.',
      appInstallation: 'Needs * or an OAuth access token.',
      recordChange: expect.stringMatching(
        /^Needs READ_ACCOUNTS or ((READ_\w+|\*) or )*READ_PRODUCTS( or (READ_\w+|\*))*\.$/,
      ),
    })
  })
})

/** Properties that are described by hand because REST differs from the graph: a secret is in one response of REST only. */
const describedForRest = [
  'ApiKeyWithSecret.secret',
  'OAuthAppWithSecret.clientSecret',
  'RegisterInput.origin',
  'ScimTokenWithSecret.token',
  'SignedIn.refreshToken',
]

describe('descriptions in REST', () => {
  it('come from the graph, except where REST differs', () => {
    const rest = schemaPath('rest')
    const printed = printedDescriptions(rest, schema)
    const twice = areaFolders(rest).flatMap((area) =>
      Object.entries(handwrittenSchemas(join(rest, area))).flatMap(([name, { properties = {} }]) => {
        const known = Object.keys((printed.get(area)?.[name]?.['properties'] ?? {}) as object)
        const own = Object.entries(properties).filter(([, property]) =>
          Object.hasOwn(property as object, 'description'),
        )
        return own.flatMap(([property]) => (known.includes(property) ? [`${name}.${property}`] : []))
      }),
    )
    expect(twice.toSorted()).toEqual(describedForRest)
  })
})

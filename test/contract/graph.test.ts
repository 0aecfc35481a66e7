import { readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { GraphQLList, GraphQLNonNull, isInputObjectType, parse, validate, type GraphQLInputType } from 'graphql'
import { describe, expect, it } from 'vitest'
import { Graph } from '../../gateway/graph/graph.ts'
import { loadContract } from '../../rest-adapter/contract.ts'
import { type RestOperation } from '../../rest-adapter/rest-operation.ts'
import { typesOf, resolve, type Schema } from '../../rest-adapter/openapi.ts'
import { sourcesOf } from '../../rest-adapter/translate.ts'
import { acceptsAnyCredential } from '../rest-areas.ts'
import type { Caller } from '../../subgraphs/kernel/context.ts'
import { joinedLimits } from '../../subgraphs/kernel/operation-limits.ts'
import { meets } from '../../subgraphs/kernel/scopes.ts'

const contract = loadContract('schema/rest')
const supergraphSdl = readFileSync('schema/supergraph.graphql', 'utf8')
const subgraphNames = Array.from(supergraphSdl.matchAll(/@join__graph\(name: "(\w+)"/g), ([, name]) => name!)
const refuseToExecute = () => Promise.reject(new Error('a contract test must not send a request to a subgraph'))
const graph = Graph.create({
  supergraph: supergraphSdl,
  endpoints: subgraphNames.map((name) => ({ name, execute: refuseToExecute })),
})
const stored = contract.operations.filter(
  (operation) => operation.document !== null && operation.id === operation.documentId,
)

const aKey = (scopes: readonly string[]): Pick<Caller, 'kind' | 'scopes'> => ({ kind: 'API_KEY', scopes })

function unwrapped(type: GraphQLInputType): GraphQLInputType {
  return type instanceof GraphQLNonNull || type instanceof GraphQLList ? unwrapped(type.ofType) : type
}

/** Properties of a REST input that the GraphQL input does not have or for which it refuses null. */
function inputMismatches(schema: Schema, type: GraphQLInputType, path: string): string[] {
  const target = unwrapped(type)
  if (!isInputObjectType(target)) return []
  const fields = target.getFields()
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const field = fields[name]
    if (!field) return [`${path}.${name} is not in ${target.name}`]
    const inner = resolve<Schema>(contract.document, property)
    if (typesOf(inner).includes('null') && field.type instanceof GraphQLNonNull)
      return [`${path}.${name} may be null in REST only`]
    return inputMismatches(resolve<Schema>(contract.document, inner.items ?? inner), field.type, `${path}.${name}`)
  })
}

const variableTypes = (operation: RestOperation) =>
  new Map(graph.prepare(operation.document!).variables.map(({ name, type }) => [name, type]))

describe('stored documents', () => {
  it.each(stored.map((operation) => [operation.id, operation] as const))(
    '%s is valid in the supergraph',
    (_, operation) => {
      expect(validate(graph.apiSchema, parse(operation.document!)).map(({ message }) => message)).toEqual([])
    },
  )

  it.each(stored.map((operation) => [operation.id, operation] as const))(
    '%s requires exactly the scopes that OpenAPI names',
    (_, operation) => {
      const { document, scopes } = operation
      const isForEveryMember = acceptsAnyCredential(operation, contract.document)
      const { requirements } = graph.prepare(document!)
      const meetsRequirements = (held: readonly string[]) =>
        requirements.every((requirement) => meets(aKey(held), requirement))
      expect(meetsRequirements(scopes)).toBe(scopes.length > 0 || isForEveryMember)
      for (const scope of scopes) {
        expect(meetsRequirements(scopes.filter((other) => other !== scope))).toBe(false)
        expect(meetsRequirements([scope.replace('WRITE_', 'READ_')]) && scope.startsWith('WRITE_')).toBe(false)
      }
    },
  )

  it('have the limits of their root fields', () => {
    const usual = joinedLimits([])
    const differing = stored.filter(
      ({ document, limits }) => !isDeepStrictEqual(limits, graph.prepare(document!).limits ?? usual),
    )
    expect(differing.map(({ id }) => id)).toEqual([])
  })

  it('receive only inputs that their GraphQL types have', () => {
    const found = stored.flatMap((operation) => {
      const types = variableTypes(operation)
      return sourcesOf(operation).flatMap(({ variable, sources: [source] }) => {
        if (source?.place !== 'input' && source?.place !== 'body') return []
        const { schema } = operation.body!
        const property =
          source.place === 'input' ? schema : resolve<Schema>(contract.document, schema.properties![variable]!)
        const shape = resolve<Schema>(contract.document, property.items ?? property)
        return inputMismatches(shape, types.get(variable)!, `${operation.id}.${variable}`)
      })
    })
    expect(found).toEqual([])
  })
})

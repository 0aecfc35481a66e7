import { buildSubgraphSchema } from '@apollo/subgraph'
import { buildSchema, graphqlSync, parse, type GraphQLObjectType } from 'graphql'
import { expect, it } from 'vitest'
import { compactSchema, emptyDocument } from './compact-schema.ts'

const sdl = `
  directive @marked(by: String) on FIELD_DEFINITION
  enum Size { SMALL LARGE }
  input BoxFilter { size: Size = LARGE }
  interface Thing { name(upper: Boolean = false): String }
  type Box implements Thing { name(upper: Boolean = false): String @marked(by: "me") size: Size }
  type Query { box(filter: BoxFilter): Box }
  extend type Query { boxes: [Box] }
`

it('removes syntax trees and empty extensions, keeps other extensions, and the schema answers as before', () => {
  const schema = buildSchema(sdl)
  const box = schema.getType('Box') as GraphQLObjectType
  box.getFields()['size']!.extensions = { complexity: 2 }

  compactSchema(schema)

  const { name, size } = box.getFields()
  const [upper] = name!.args
  for (const element of [schema, box, name!, upper!, size!, schema.getQueryType()!, schema.getDirective('marked')!]) {
    expect(element.astNode).toBeUndefined()
  }
  expect(schema.getQueryType()!.extensionASTNodes).toEqual([])
  expect(name!.extensions).toBe(upper!.extensions)
  expect(size!.extensions).toEqual({ complexity: 2 })

  const source = '{ box(filter: {}) { name(upper: true) size } }'
  const answer = graphqlSync({ schema, source, rootValue: { box: { name: 'A', size: 'SMALL' } } })
  expect(answer).toEqual({ data: { box: { name: 'A', size: 'SMALL' } } })
})

it('empties a document of a schema, and a schema that is built later has all directives of federation', () => {
  const document = parse(`
    extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@tag"])
    type Query { box: Box }
    type Box @key(fields: "id") { id: ID! @tag(name: "small") }
  `)
  const first = buildSubgraphSchema(structuredClone(document))
  const own = structuredClone(document)
  const emptied = buildSubgraphSchema(own)
  compactSchema(emptied)
  emptyDocument(own)
  expect(own.definitions.map((node) => ('fields' in node ? node.fields : []))).toEqual([[], [], []])

  const later = buildSubgraphSchema(document)
  expect(later.getDirectives().map(String)).toEqual(first.getDirectives().map(String))
  const answer = graphqlSync({ schema: emptied, source: '{ box { id } }', rootValue: { box: { id: '1' } } })
  expect(answer).toEqual({ data: { box: { id: '1' } } })
})

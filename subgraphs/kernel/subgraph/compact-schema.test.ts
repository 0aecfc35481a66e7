import { buildASTSchema, graphqlSync, parse, type GraphQLObjectType } from 'graphql'
import { expect, it } from 'vitest'
import { compactSchema } from './compact-schema.ts'

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
  const document = parse(sdl)
  const schema = buildASTSchema(document)
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

  const fields = document.definitions.map((node) => ('fields' in node ? node.fields?.length : 0))
  expect(fields).toEqual(document.definitions.map(() => 0))

  const source = '{ box(filter: {}) { name(upper: true) size } }'
  const answer = graphqlSync({ schema, source, rootValue: { box: { name: 'A', size: 'SMALL' } } })
  expect(answer).toEqual({ data: { box: { name: 'A', size: 'SMALL' } } })
})

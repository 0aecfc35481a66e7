import { readFileSync } from 'node:fs'
import { buildSchema, isObjectType } from 'graphql'
import { expect, it } from 'vitest'
import { sealedColumns } from '../../subgraphs/all.ts'

/** Columns with sealed values and hashes are named so. */
const secret = /^sealed|(?:secret|password|token)hash$/i

const inGraph = (column: string): string => column.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

/** Names of sealed columns that others have, too. */
const ofOthers: ReadonlySet<string> = new Set(['answer', 'content', 'keys'])

it('no type of the graph, and so neither REST nor an event, has a field with the column of a secret', () => {
  const sealed = new Set(sealedColumns.map(({ column }) => inGraph(column)).filter((name) => !ofOthers.has(name)))
  const schema = buildSchema(readFileSync('schema/supergraph.graphql', 'utf8'), { assumeValidSDL: true })
  const fields = Object.values(schema.getTypeMap())
    .filter(isObjectType)
    .flatMap((type) => Object.keys(type.getFields()).map((name) => ({ type: type.name, name })))
  expect(fields.length).toBeGreaterThan(1_000)
  expect(sealed.size).toBeGreaterThan(5)
  const shown = fields.filter(({ name }) => sealed.has(name) || secret.test(name))
  expect(shown.map(({ type, name }) => `${type}.${name}`)).toEqual([])
})

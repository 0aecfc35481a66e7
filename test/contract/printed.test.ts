import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { schemaPath } from '../../subgraphs/kernel/config/paths.ts'
import { printedSchema, standardRestFiles } from './printed.ts'

let printed: ReadonlyMap<string, string>
beforeAll(async () => {
  printed = await printedSchema()
})

describe('printed files of the contract', () => {
  it('are committed as `npm run schema` prints them', () => {
    const changed = [...printed].filter(([path, text]) => readFileSync(schemaPath(path), 'utf8') !== text)
    expect(changed.map(([path]) => path)).toEqual([])
  })

  it('are schemas of Latin-1 characters only, because one other character doubles the memory that each copy of the text takes', () => {
    const schemas = [...printed].filter(([path]) => path.endsWith('.graphql'))
    expect(schemas.length).toBeGreaterThan(1)
    expect(schemas.flatMap(([, text]) => text.match(/[\u0100-\uffff]/g) ?? [])).toEqual([])
  })

  it('are the only files of the standard REST operations', () => {
    const expected = [...printed.keys()].filter((path) => path.startsWith('rest/'))
    expect(standardRestFiles()).toEqual(expected.toSorted())
  })
})

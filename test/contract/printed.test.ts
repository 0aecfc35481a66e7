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

  it('are the only files of the standard REST operations', () => {
    const expected = [...printed.keys()].filter((path) => path.startsWith('rest/'))
    expect(standardRestFiles()).toEqual(expected.toSorted())
  })
})

import { existsSync, globSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { projectRoot } from '../../subgraphs/kernel/config/paths.ts'
import { areas, areasOf } from '../areas.ts'
import { systemTests } from '../system-tests.ts'

const exists = (path: string): boolean => existsSync(join(projectRoot, path))
const found = (pattern: string): string[] =>
  globSync(`{cli,gateway,rest-adapter,subgraphs,test}/**/${pattern}`, { cwd: projectRoot }).filter(
    (path) => !path.includes('node_modules'),
  )

describe('an area', () => {
  it('has every test', () => {
    expect(found('*.test.ts').filter((path) => areasOf(path).length === 0)).toEqual([])
  })

  it('has no folder or test that does not exist', () => {
    const files = globSync('{*.ts,{bin,cli,gateway,rest-adapter,schema,subgraphs,test}/**}', { cwd: projectRoot })
    const named = Object.values(areas).flatMap(({ code, tests }) => [...code, ...tests])
    expect(named.filter((prefix) => !files.some((file) => file.startsWith(prefix) || `${file}/` === prefix))).toEqual(
      [],
    )
  })
})

describe('the list of system tests', () => {
  it('has every one of them', () => {
    expect(Object.keys(systemTests).toSorted()).toEqual(found('*.system.test.ts').toSorted())
  })

  it('names code that exists', () => {
    expect(
      Object.values(systemTests)
        .flat()
        .filter((path) => !exists(path)),
    ).toEqual([])
  })
})

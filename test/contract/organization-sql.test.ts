import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { projectRoot } from '../../subgraphs/kernel/config/paths.ts'

/** Who reads organizations with own SQL, beside `identity`; `activeOrganizations` of `identity/public.ts` is what all others use. */
const allowed: Readonly<Record<string, string>> = {
  'subgraphs/crm/contact/contact.serialized-rules.ts':
    'the rule of one email address is a setting, and is compared inside the statement that writes',
}

it('only `identity` knows how organizations are stored, and which of them are suspended', () => {
  const files = globSync('{gateway,rest-adapter,subgraphs}/**/*.ts', { cwd: projectRoot }).filter(
    (file) => !/^subgraphs\/(identity|demo)\/|\.(test|fixture|migrations)\.ts$/.test(file),
  )
  const readers = files.filter((file) => {
    const code = readFileSync(join(projectRoot, file), 'utf8')
    return /\b(from|join|update|into) identity\.organization\b/.test(code) && !/^\s*name: '2/m.test(code)
  })
  expect(readers).toEqual(Object.keys(allowed))
})

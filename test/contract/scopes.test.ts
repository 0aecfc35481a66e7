import { readFileSync } from 'node:fs'
import { parse } from 'graphql'
import { describe, expect, it } from 'vitest'
import { restContract } from '../contract-of-rest.ts'
import { readRequirements } from '../../gateway/graph/requirements.ts'
import { schemaPath } from '../../subgraphs/kernel/config/paths.ts'
import { holdsScope } from '../../subgraphs/kernel/scopes.ts'
import { scopeGuide, withScopeTable } from './scope-table.ts'
import { appScopes, keyScopes, scopeAreas, scopeSentences } from '../../subgraphs/kernel/scope-areas.ts'

const { document } = restContract()
const requirements = readRequirements(parse(readFileSync(schemaPath('supergraph.graphql'), 'utf8')))
const needed = [...new Set([...requirements.values()].flat(2))].toSorted()
const schemaOf = (name: string) => (document.components!.schemas as Record<string, { enum?: string[] }>)[name]!

/** Requirements that no key or app is granted. */
const notGranted = ['APP', 'MEMBER', 'PUBLIC', 'SCIM', 'SESSION']
const implied = new Set<string>()

describe('scopes', () => {
  it('that the graph requires can be granted', () => {
    expect(needed.filter((scope) => !keyScopes.includes(scope))).toEqual(notGranted)
  })

  it('that can be granted open something', () => {
    expect(appScopes.filter((scope) => !needed.includes(scope) && !implied.has(scope)).toSorted()).toEqual([])
  })

  it('are the members of the enumerations of OpenAPI', () => {
    expect(schemaOf('ApiKeyScope').enum).toEqual(keyScopes)
    expect(schemaOf('OAuthScope').enum).toEqual(appScopes)
  })

  it('have the sentences of the consent page in OpenAPI', () => {
    const { oauth2 } = document.components!.securitySchemes as unknown as {
      oauth2: { flows: Record<string, { scopes: object }> }
    }
    for (const { scopes } of Object.values(oauth2.flows)) expect(scopes).toEqual(Object.fromEntries(scopeSentences))
  })

  it('are listed by area in the guide', () => {
    const guide = readFileSync(scopeGuide, 'utf8')
    expect(guide).toBe(withScopeTable(guide))
    for (const area of Object.keys(scopeAreas)) expect(guide).toContain(`\`READ_${area}\``)
  })

  it.each(Object.entries(scopeAreas).filter(([, { isStated }]) => !isStated))(
    'of the area %s are never those of legacy keys',
    (area) => {
      const legacy = { kind: 'API_KEY', scopes: ['read', 'write', 'WEBHOOKS'] } as const
      expect([holdsScope(legacy, `READ_${area}`), holdsScope(legacy, `WRITE_${area}`)]).toEqual([false, false])
    },
  )
})

import { describe, expect, it } from 'vitest'
import { legacyScopes } from './legacy-scopes.ts'
import { holdsScope } from '../scopes.ts'

const resources = [
  'LEADS',
  'CONTACTS',
  'ACCOUNTS',
  'OPPORTUNITIES',
  'PRODUCTS',
  'QUOTES',
  'ORDERS',
  'TASKS',
  'ACTIVITIES',
  'CASES',
  'CUSTOM_OBJECTS',
  'CUSTOM_FIELDS',
  'WEBHOOKS',
]
const explicitOnly = new Set(['ORDERS', 'CASES', 'CUSTOM_OBJECTS', 'CUSTOM_FIELDS'])
const reached = resources.filter((resource) => !explicitOnly.has(resource))
const every = [
  '*',
  ...resources.flatMap((resource) => [`READ_${resource}`, `WRITE_${resource}`]),
  'INVOKE_FUNCTIONS',
  'MANAGE_METADATA',
  'PUBLISH_EVENTS',
  'READ_EVENTS',
  'SESSION',
  'PUBLIC',
]
const heldBy = (...scopes: string[]) => every.filter((scope) => holdsScope({ kind: 'API_KEY', scopes }, scope))

describe('a legacy scope of a key', () => {
  it.each([
    ['read', reached.map((resource) => `READ_${resource}`)],
    ['write', reached.flatMap((resource) => [`READ_${resource}`, `WRITE_${resource}`])],
    ['WEBHOOKS', ['READ_WEBHOOKS', 'WRITE_WEBHOOKS']],
  ])('%s grants the scopes of the specification, and no others', (scope, granted) => {
    expect(heldBy(scope)).toEqual(granted)
  })

  it('adds to explicit scopes', () => {
    expect(heldBy('WEBHOOKS', 'READ_CASES')).toEqual(['READ_CASES', 'READ_WEBHOOKS', 'WRITE_WEBHOOKS'])
  })

  it('grants nothing to an app', () => {
    const scopes = [...legacyScopes.keys()]
    expect(every.filter((scope) => holdsScope({ kind: 'OAUTH', scopes }, scope))).toEqual([])
  })
})

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { schemaPath } from '../kernel/config/paths.ts'
import { midnightOf } from './calendar.ts'
import { definitionsByType, demoData, recordsByType } from './demo-data.ts'
import { Random } from './random.ts'
import { membersOf, generatorInputOf, teamNames } from './organization.ts'
import { demoKeys, profiles } from './profiles.ts'
import { Secrets } from './secrets.ts'

const midnightMs = midnightOf(new Date('2026-11-21T12:00:00.000Z'))
const inputs = profiles.map((profile) => generatorInputOf(profile, midnightMs))
const generated = inputs.map(demoData)
const data = generated[0]!

describe('Random', () => {
  it('gives the same choices for the same seed', () => {
    const random = new Random('seed')
    const values = Array.from({ length: 6 }, () => random.whole(1, 6))
    const again = new Random('seed')
    expect(Array.from({ length: 6 }, () => again.whole(1, 6))).toEqual(values)
    const other = new Random('another seed')
    expect(Array.from({ length: 6 }, () => other.whole(1, 6))).not.toEqual(values)
  })

  it('creates a UUIDv7 with the given time', () => {
    expect(new Random('id').id(midnightMs)).toMatch(/^01a1fb67-1800-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })
})

describe('the demo', () => {
  it('gives its read-only key every READ scope of the graph', () => {
    const supergraph = readFileSync(schemaPath('supergraph.graphql'), 'utf8')
    const scopes = new Set(Array.from(supergraph.matchAll(/"(READ_[A-Z_]+)"/g), ([, scope]) => scope!))
    expect(demoKeys[1].scopes.toSorted()).toEqual([...scopes].toSorted())
  })

  it('has companies, products and ids that are all different', () => {
    const { accounts, contacts } = data
    expect(new Set(accounts.map(({ given }) => given.values.name)).size).toBe(320)
    expect(new Set(accounts.map(({ given }) => given.values.domain)).size).toBe(320)
    expect(new Set(profiles.flatMap(({ catalog }) => catalog.map(({ sku }) => sku))).size).toBe(100)
    expect(new Set(contacts.map(({ given }) => given.values.email)).size).toBe(700)
    const ids = [...definitionsByType(data), ...recordsByType(data)].flatMap(({ records }) =>
      records.flatMap(({ values, eventId }) => [values.id, eventId]),
    )
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('leaves no empty text and no unfilled slot', () => {
    const texts = generated
      .flatMap((one) => [...definitionsByType(one), ...recordsByType(one)])
      // Email templates have slots on purpose.
      .filter(({ object }) => object !== 'email_template')
      .flatMap(({ records }) =>
        records.flatMap(({ values }) => Object.values(values).filter((value) => typeof value === 'string')),
      )
    expect(texts.filter((text) => !text || /[{}]|undefined|NaN|\bour our\b/.test(text))).toEqual([])
  })
})

describe('Secrets', () => {
  it('depend on the encryption key and on their owner', () => {
    const secrets = new Secrets({ encryption: Buffer.alloc(32, 1) })
    expect(secrets.password('a')).toBe(new Secrets({ encryption: Buffer.alloc(32, 1) }).password('a'))
    expect(secrets.password('a')).toMatch(/^[A-Z][a-z]{7}-[a-z]{8}-\d{4}$/)
    expect(secrets.password('b')).not.toBe(secrets.password('a'))
    expect(new Secrets({ encryption: Buffer.alloc(32, 2) }).password('a')).not.toBe(secrets.password('a'))
    expect(secrets.apiKey('a').secret).toBe(secrets.apiKey('a').secret)
    expect(secrets.apiKey('b').secret).not.toBe(secrets.apiKey('a').secret)
  })
})

describe('record visibility in the demo', () => {
  it.each(inputs)('differs in $profile.name: OWN is less than TEAM, TEAM less than ALL', (generatorInput) => {
    const { profile } = generatorInput
    const { accounts, cases } = generated[inputs.indexOf(generatorInput)]!
    const seenBy = (ids: readonly string[]) => [
      accounts.filter(({ owner }) => ids.includes(owner.id)).length,
      cases.filter(({ values }) => ids.includes(values.ownerId!) || ids.includes(values.assignedToId ?? '')).length,
    ]
    for (const team of teamNames(profile)) {
      const members = membersOf(generatorInput, team)
      const [teamAccounts, teamCases] = seenBy(members.map(({ id }) => id)) as [number, number]
      expect(teamAccounts < profile.accounts && teamCases < profile.cases).toBe(true)
      for (const { id } of members) {
        const [ownAccounts, ownCases] = seenBy([id]) as [number, number]
        expect(ownAccounts > 0 && ownAccounts < teamAccounts).toBe(true)
        expect(ownCases > 0 && ownCases < teamCases).toBe(true)
      }
    }
  })
})

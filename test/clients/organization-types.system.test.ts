import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { anOrganization, field, valuesNamed } from '../extensions/custom-fields.fixture.ts'
import { object } from '../extensions/custom-objects.fixture.ts'
import { usePlatform } from '../platform.ts'
import { GeneratedFolder } from './generators.ts'

// As in the guide: the description of the organization in a file, and the generator with the configuration that the guide shows.

const guide = readFileSync(new URL('../../gateway/pages/guides/generated-clients.md', import.meta.url), 'utf8')
const configuration = (/```json\n(\{\s+"generates": \{\s+"src\/organization.ts"[\s\S]*?)```/.exec(guide) ?? [])[1]!

const platform = usePlatform()
let folder: GeneratedFolder

beforeAll(async () => {
  folder = await GeneratedFolder.create()
  const { owner, member } = await anOrganization(platform)
  await object(owner)
  await object(owner, { name: 'task' })
  await object(owner, { name: 'note', nameField: null, fields: [] })
  await field(owner, { name: 'tier', fieldType: 'PICKLIST', picklistValues: valuesNamed('GOLD', 'Gold', 'SILVER') })
  await field(owner, { name: 'answer', fieldType: 'PICKLIST', picklistValues: valuesNamed('24h', '8h') })
  await field(owner, { entity: 'LEAD', name: 'seenAt', fieldType: 'DATETIME' })
  const response = await fetch(`${platform.url}/v1/graphql/schema`, { headers: member.headers })
  await folder.write('organization.graphql', await response.text())
  await folder.write('codegen.json', configuration)
  await folder.generate('@graphql-codegen/cli', 'graphql-codegen', ['--config', 'codegen.json'])
}, 120_000)
afterAll(() => folder.remove())

const using = `
import type { AccountCustomFields, CustomObject_task, LeadCustomFields, Note, SiteVisit } from './organization'
export const visit = ({ name, version, customFields: { hours, outcome } }: SiteVisit) =>
  [name?.length, version.toFixed(), hours?.toFixed(), outcome === 'DONE'] as const
export const task = ({ customFields }: CustomObject_task): string | null | undefined => customFields.subject
export const note = ({ id, name }: Note): string => name ?? id
export const tier = ({ tier, answer }: AccountCustomFields): 'GOLD' | 'Gold' | 'SILVER' | string => tier ?? answer ?? 'Gold'
export const seen = ({ seenAt }: LeadCustomFields): Date => new Date(seenAt!)
`
const wrong = `
import type { SiteVisit } from './organization'
export const colour = ({ customFields }: SiteVisit) => customFields.colour
export const isWon = ({ customFields }: SiteVisit) => customFields.outcome === 'WON'
`

describe('graphql-codegen with /v1/graphql/schema', () => {
  it('generates types of custom objects and fields, with which code compiles', async () => {
    await folder.write('src/using.ts', using)
    expect(await folder.problems('src/using.ts')).toBe('')
  })

  it('generates types that find a wrong name and a wrong value', async () => {
    await folder.write('src/wrong.ts', wrong)
    const found = await folder.problems('src/wrong.ts')
    expect(found).toMatch(/wrong\.ts\(3,.*colour/)
    expect(found).toMatch(/wrong\.ts\(4,.*TS2367/)
  })
})

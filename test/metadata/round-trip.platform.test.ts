import { beforeEach, describe, expect, it } from 'vitest'
import { usePlatform, type Member } from '../platform.ts'
import { components, deployed, functionTest, project, retrieved, source, succeeded } from './metadata.fixture.ts'

const platform = usePlatform()
let owner: Member

beforeEach(async () => {
  owner = await platform.member({ organizationId: await platform.organization('Metadata'), role: 'OWNER' })
})
const another = async (): Promise<Member> =>
  platform.member({ organizationId: await platform.organization('Other'), role: 'OWNER' })

/** The rows that any change of a definition writes. */
const written = () =>
  platform.query(
    `select (select count(*) from kernel.event where organization_id = $1) as events,
       (select count(*) from identity.audit_entry where organization_id = $1) as audited,
       (select version from kernel.definition_version where organization_id = $1) as version`,
    [owner.organizationId],
  )

describe('metadata that is deployed', () => {
  it('is retrieved, deployed into an empty organization and retrieved again with the same bytes', async () => {
    const deployment = await succeeded(platform, owner, project())
    expect(deployment.counts).toEqual({ created: 16, updated: 0, unchanged: 0, deleted: 0 })
    const first = await retrieved(owner)
    expect(Object.keys(first.files).sort()).toEqual(Object.keys(project()).sort())
    expect(first.files['src/functions/score_account/index.ts']).toBe(source)
    expect(first.files['src/functions/score_account/tests/doubles.json']).toBe(functionTest)
    expect(first.version).toBe(deployment.version)
    expect(first.warnings).toEqual([])

    const other = await another()
    const copy = await succeeded(platform, other, first.files)
    const second = await retrieved(other)
    expect(second).toEqual(first)
    expect(copy.version).toBe(first.version)
    expect((await retrieved(other, { format: 'ZIP' })).zip).toBe((await retrieved(owner, { format: 'ZIP' })).zip)
  })

  it('is unchanged when it is deployed again: no version, no event, no row', async () => {
    await succeeded(platform, owner, project())
    const { files, version } = await retrieved(owner)
    const before = await written()
    const again = await succeeded(platform, owner, files)
    expect(again.counts).toEqual({ created: 0, updated: 0, unchanged: 16, deleted: 0 })
    expect(again.version).toBe(version)
    expect(await written()).toEqual(before)
    expect((await deployed(platform, owner, project())).counts).toEqual(again.counts)
  })
})

it('has a component of each type', () => {
  expect(new Set(Object.keys(components).map((path) => path.split('/')[0])).size).toBe(12)
})

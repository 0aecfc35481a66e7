import { randomBytes } from 'node:crypto'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { Apps, packaged } from '../extensions/apps.fixture.ts'
import { field } from '../extensions/custom-fields.fixture.ts'
import { usePlatform, type Member } from '../platform.ts'
import { deployed, json, problemsOf, project, retrieved, succeeded, type Files } from './metadata.fixture.ts'

const platform = usePlatform()
let owner: Member
beforeEach(async () => {
  owner = await platform.member({ organizationId: await platform.organization('Large'), role: 'OWNER' })
})

describe('metadataRetrieve', () => {
  it('answers whatever a request can deploy', async () => {
    const functions = Array.from({ length: 48 }, (_, index): Files => {
      const folder = `src/functions/large_${10 + index}`
      const filling = randomBytes(195_000).toString('base64')
      return {
        [`${folder}/function.json`]: json({ name: 'Large' }),
        [`${folder}/index.js`]: `/* ${filling} */ export default () => 1`,
      }
    })
    const files: Files = Object.assign({}, ...functions)
    await succeeded(platform, owner, files)
    const { files: now } = await retrieved(owner)
    const sources = (of: Files) => Object.entries(of).filter(([path]) => path.endsWith('.js'))
    expect(sources(now).map(([, text]) => text.length)).toEqual(sources(files).map(([, text]) => text.length))
    expect(Object.fromEntries(sources(now))).toEqual(Object.fromEntries(sources(files)))
    expect(JSON.stringify(now).length).toBeGreaterThan(12_000_000)
  })

  it('has each of more records than one statement reads, in their order', async () => {
    const names = Array.from({ length: 205 }, (_, index) => `field_${index}`)
    const files = names.map((name, sortOrder) => [
      `src/fields/ACCOUNT.${name}.field.json`,
      json({ entity: 'ACCOUNT', name, label: name, fieldType: 'TEXT', isActive: false, sortOrder }),
    ])
    await succeeded(platform, owner, Object.fromEntries(files) as Files)
    const { files: now } = await retrieved(owner)
    expect(Object.keys(now)).toEqual(['service.project.json', ...files.map(([path]) => path!).toSorted()])
  })

  it('names the fields that the organization has added to an object of an app, which are in no file, and in the version', async () => {
    const apps = new Apps(platform)
    const publisher = await platform.member({ organizationId: await platform.organization('Maps'), role: 'OWNER' })
    const own = { name: 'town', label: 'Town', type: 'TEXT' }
    await apps.publish(
      publisher,
      packaged({ 'objects/visit.object.json': { name: 'visit', label: 'Visit', fields: [own] } }),
    )
    await apps.succeeded(owner, await apps.install(owner))
    const before = await retrieved(owner)
    expect([Object.keys(before.files), before.warnings]).toEqual([['service.project.json'], []])

    await field(owner, { entity: 'custom:visit', name: 'note' })
    const warning = {
      type: 'CUSTOM_FIELD',
      name: 'custom:visit.note',
      message: 'It was added to a component of an app, so it is in no file.',
    }
    const after = await retrieved(owner)
    expect([after.files, after.warnings]).toEqual([before.files, [warning]])
    expect(after.version).not.toBe(before.version)
    for (const [types, expected] of [
      [['CUSTOM_OBJECT'], [warning]],
      [['CUSTOM_FIELD'], [warning]],
      [['FUNCTION'], []],
    ])
      expect((await retrieved(owner, { types })).warnings).toEqual(expected)
  })
})

describe('metadataDeploy', () => {
  it('writes its own row and requests nothing with checkOnly, also with tests', async () => {
    // An organization gets its data key with the first deployment, and keeps it.
    await platform.services.vault.load(owner.organizationId)
    const before = await platform.fingerprint(owner.organizationId)
    const sending = vi.spyOn(platform.services.outbound, 'send')
    try {
      const { id } = await succeeded(platform, owner, project(), { checkOnly: true, testLevel: 'ALL' })
      expect(sending).toHaveBeenCalledTimes(0)
      const removed = await platform.query(
        'delete from extensions.deployment where organization_id = $1 returning id',
        [owner.organizationId],
      )
      expect(removed).toEqual([{ id }])
      expect(await platform.fingerprint(owner.organizationId)).toBe(before)
    } finally {
      sending.mockRestore()
    }
  })

  it('deletes nothing that the definition of another component names, with force neither', async () => {
    const tier = { entity: 'ACCOUNT', name: 'tier', label: 'Tier', fieldType: 'TEXT' }
    const rule = {
      entityType: 'ACCOUNT',
      name: 'No gold',
      conditions: [{ field: 'customFields.tier', operator: 'EQUALS', value: 'GOLD' }],
      errorMessage: 'There is no gold.',
    }
    await succeeded(
      platform,
      owner,
      project({ 'fields/ACCOUNT.tier.field.json': tier, 'validation-rules/ACCOUNT.No gold.rule.json': rule }),
    )
    const before = await retrieved(owner)
    const one = { type: 'CUSTOM_FIELD', name: 'ACCOUNT.tier', force: true }
    const deletion = (...all: readonly object[]) => ({ 'destructiveChanges.json': json({ delete: all }) })
    const allowed = { allowDestructive: true }
    const refused = await deployed(platform, owner, deletion(one), allowed)
    expect(problemsOf(refused)).toEqual(['destructiveChanges.json delete.0 HAS_DEPENDENTS'])
    expect(refused.problems[0]!.usedBy).toEqual([
      { object: 'validation_rule', id: expect.any(String), name: 'No gold' },
    ])
    expect(await retrieved(owner)).toEqual(before)
    await succeeded(platform, owner, deletion(one, { type: 'VALIDATION_RULE', name: 'ACCOUNT.No gold' }), allowed)
  })
})

import JSZip from 'jszip'
import { beforeEach, describe, expect, it } from 'vitest'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { succeeded } from '../metadata/metadata.fixture.ts'
import { usePlatform, type Member } from '../platform.ts'
import {
  appFiles,
  aSlot,
  aSlug,
  inSession,
  publish,
  published,
  refusedWith,
  writtenApps,
} from './app-packages.fixture.ts'

const platform = usePlatform()
let owner: Member
let other: Member
let slug: string

beforeEach(async () => {
  slug = aSlug()
  owner = await platform.member({ organizationId: await platform.organization('Maps Inc.'), role: 'OWNER' })
  other = await platform.member({ organizationId: await platform.organization('Customer'), role: 'OWNER' })
})

const events = (type: string) =>
  platform.query<{ data: { record: Record<string, unknown> } }>(
    'select data from kernel.event where organization_id = $1 and type = $2 order by id',
    [owner.organizationId, type],
  )

describe('appPublish', () => {
  it('makes the package with its first version, and adds higher versions', async () => {
    const settingsSchema = { type: 'object', properties: { zoom: { type: 'integer', minimum: 1 } } }
    const first = await published(owner, {
      slug,
      description: 'Shows accounts on a map.',
      homepageUrl: 'https://maps.example.com',
      scopes: ['WRITE_ACCOUNTS'],
      settingsSchema,
      slots: [aSlot],
    })
    expect(first).toEqual({
      packageId: first.packageId,
      slug,
      number: '1.0.0',
      scopes: ['WRITE_ACCOUNTS'],
      releaseNotes: null,
      clientId: null,
      sha256: first.sha256,
      createdAt: platform.now.toISOString(),
      createdById: owner.userId,
      settingsSchema,
      slots: [{ ...aSlot, height: 300 }],
      components: [{ type: 'CUSTOM_FIELD', name: 'ACCOUNT.geo_position' }],
    })
    const second = await published(owner, { slug, name: 'Maps', version: '1.10.0', releaseNotes: 'Faster.' })
    const { body: found } = await owner.rest['appPackage']!({ id: slug })
    expect(found).toEqual({
      id: first.packageId,
      slug,
      name: 'Maps',
      description: null,
      homepageUrl: null,
      listing: 'PRIVATE',
      latestVersion: '1.10.0',
      versionCount: 2,
      publishedAt: platform.now.toISOString(),
      createdAt: platform.now.toISOString(),
      createdById: owner.userId,
    })
    const { body: versions } = await owner.rest['appVersionList']!({ id: found.id as string })
    const { settingsSchema: _schema, slots: _slots, components: _components, ...summary } = second
    expect(versions.data).toEqual([summary, expect.objectContaining({ number: '1.0.0', sha256: first.sha256 })])
    expect((await owner.rest['appVersion']!({ id: slug, number: '1.0.0' })).body).toEqual(first)
    expect((await owner.rest['appVersion']!({ id: slug, number: '1.9.0' })).status).toBe(404)
    expect((await owner.rest['appPackageList']!({})).body.data).toEqual([found])
    expect((await events('app.published')).map(({ data }) => data.record)).toEqual([
      expect.objectContaining({ slug, number: '1.0.0', scopes: ['WRITE_ACCOUNTS'], packageId: found.id }),
      expect.objectContaining({ slug, number: '1.10.0', packageId: second.packageId }),
    ])
  })

  it('answers the version that has the same files already, however they are sent, and changes nothing', async () => {
    const first = await published(owner, { slug })
    const before = await writtenApps(platform)
    const archive = new JSZip()
    for (const [path, text] of Object.entries(appFiles({ slug })).toReversed()) archive.file(path, text)
    const zip = await archive.generateAsync({ type: 'base64' })
    const again = await owner.rest['appPublish']!({ body: { source: { zip } } } as never)
    expect([again.status, again.body]).toEqual([201, first])
    const both = await Promise.all([publish(owner, appFiles({ slug })), publish(owner, appFiles({ slug }))])
    expect(both.map(({ body }) => body)).toEqual([first, first])
    expect(await writtenApps(platform)).toEqual(before)
  })

  it('publishes once when the same files are sent at the same time', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => publish(owner, appFiles({ slug }))))
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201])
    expect(new Set(answers.map(({ body }) => body.packageId)).size).toBe(1)
    expect(await events('app.published')).toHaveLength(1)
  })

  it('refuses other files with a known number, and numbers that are not higher', async () => {
    await published(owner, { slug, version: '1.10.0' })
    const before = await writtenApps(platform)
    expect(refusedWith(await publish(owner, appFiles({ slug, version: '1.10.0', name: 'Other' })))).toBe(
      '409 UNIQUE_VIOLATION; app.json version NOT_UNIQUE',
    )
    for (const version of ['1.9.9', '0.999999.0', '1.10.0'.replace('10', '2')])
      expect(refusedWith(await publish(owner, appFiles({ slug, version })))).toBe('409 INVALID_STATE')
    expect(await writtenApps(platform)).toEqual(before)
  })

  it('refuses the slug of another organization, also of a deleted package, and tells nothing about it', async () => {
    await published(owner, { slug })
    const before = await writtenApps(platform)
    const refused = await publish(other, appFiles({ slug, version: '0.1.0' }))
    expect(refusedWith(refused)).toBe('409 UNIQUE_VIOLATION; app.json slug NOT_UNIQUE')
    expect(JSON.stringify(refused.body)).not.toContain(owner.organizationId)
    expect(await writtenApps(platform)).toEqual(before)
    expect((await owner.rest['appPackageDelete']!({ id: slug })).status).toBe(204)
    for (const by of [owner, other])
      expect(refusedWith(await publish(by, appFiles({ slug, version: '2.0.0' })))).toBe(
        '409 UNIQUE_VIOLATION; app.json slug NOT_UNIQUE',
      )
  })

  it('takes the scopes of functions from the scopes of the app only', async () => {
    const functionFiles = (scopes: readonly string[]) => ({
      'src/functions/locate/function.json': JSON.stringify({ name: 'Locate', scopes }),
      'src/functions/locate/index.js': 'export default () => 1',
    })
    const manifest = { slug, scopes: ['WRITE_ACCOUNTS', 'READ_LEADS'] }
    const refused = await publish(owner, appFiles(manifest, functionFiles(['READ_ACCOUNTS', 'WRITE_LEADS'])))
    expect(refusedWith(refused)).toBe('400 VALIDATION_FAILED; src/functions/locate/function.json scopes.1 NOT_ALLOWED')
    await published(owner, manifest, functionFiles(['READ_ACCOUNTS', 'READ_LEADS']))
  })

  it('takes an OAuth app of the own organization that can get the scopes of the app', async () => {
    const clients = async (by: Member, scopes: readonly string[]) => {
      const { body } = await (
        await inSession(platform, by)
      )['oauthAppCreate']!({ body: { name: 'Maps', scopes } } as never)
      return body.id as string
    }
    const of = (clientId: string) =>
      publish(owner, { 'app.json': appFiles({ slug, scopes: ['READ_LEADS'], clientId })['app.json']! })
    for (const clientId of [newId(), await clients(other, ['READ_LEADS'])])
      expect(refusedWith(await of(clientId))).toBe('400 VALIDATION_FAILED; app.json clientId UNKNOWN_REFERENCE')
    expect(refusedWith(await of(await clients(owner, ['READ_ACCOUNTS'])))).toBe(
      '400 VALIDATION_FAILED; app.json clientId NOT_ALLOWED',
    )
    const clientId = await clients(owner, ['WRITE_LEADS'])
    const { status, body } = await of(clientId)
    expect([status, body.clientId, body.components]).toEqual([201, clientId, []])
    const second = { slug: `${slug}-two`, scopes: ['READ_LEADS'], clientId }
    expect(refusedWith(await publish(owner, { 'app.json': appFiles(second)['app.json']! }))).toBe(
      '400 VALIDATION_FAILED; app.json clientId NOT_UNIQUE',
    )
  })

  it('is for owners and admins with MANAGE_METADATA', async () => {
    const { organizationId } = owner
    const before = await writtenApps(platform)
    const member = await platform.member({ organizationId, role: 'MEMBER' })
    const reader = await platform.member({ organizationId, role: 'ADMIN', scopes: ['WRITE_CUSTOM_FIELDS'] })
    expect(refusedWith(await publish(member, appFiles({ slug })))).toBe('403 PERMISSION_DENIED')
    expect(refusedWith(await publish(reader, appFiles({ slug })))).toBe('403 API_KEY_SCOPE_INSUFFICIENT')
    const answers = await Promise.all([
      member.rest['appPackageList']!({}),
      member.rest['appPackage']!({ id: slug }),
      member.rest['appVersionList']!({ id: slug }),
      member.rest['appVersion']!({ id: slug, number: '1.0.0' }),
      member.rest['appPackageUpdate']!({ id: slug, body: { isListed: true } } as never),
      member.rest['appPackageDelete']!({ id: slug }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403, 403])
    expect(await writtenApps(platform)).toEqual(before)
    await published(await platform.member({ organizationId, role: 'ADMIN', scopes: ['MANAGE_METADATA'] }), { slug })
  })

  it('keeps the numbers of packages and versions and their bytes within bounds', async () => {
    await published(owner, { slug })
    const set = (change: string) =>
      platform.query(`update extensions.app_package set ${change} where organization_id = $1`, [owner.organizationId])
    const refused = async (manifest: object): Promise<unknown[]> => {
      const { status, body } = await publish(owner, appFiles(manifest))
      return [status, body.code, body['limit']]
    }
    await set('version_count = 200')
    expect(await refused({ slug, version: '2.0.0' })).toEqual([409, 'LIMIT_REACHED', 200])
    await set(`version_count = 1, stored_bytes = ${256 * 1_048_576 - 10}`)
    expect(await refused({ slug, version: '2.0.0' })).toEqual([409, 'LIMIT_REACHED', 256 * 1_048_576])
    await set('stored_bytes = 10')
    await platform.query(
      `insert into extensions.app_package (organization_id, id, slug, name, publisher_name, latest_number, version_count, stored_bytes,
         published_at, created_at, deleted_at)
       select $1, gen_random_uuid(), $2 || '-' || n, 'A', 'A', '1.0.0', 1, 1, now(), now(), now() from generate_series(1, 49) n`,
      [owner.organizationId, slug],
    )
    expect(await refused({ slug: `${slug}-new` })).toEqual([409, 'LIMIT_REACHED', 50])
    await published(owner, { slug, version: '2.0.0' })
  })

  it('does not keep a project with a manifest from being deployed', async () => {
    const { status, components } = await succeeded(platform, owner, appFiles({ slug: 'not valid' }))
    expect([status, components.map(({ name }) => name)]).toEqual(['SUCCEEDED', ['ACCOUNT.geo_position']])
    const { 'service.project.json': _project, ...files } = appFiles({ slug })
    await succeeded(platform, owner, files)
  })
})

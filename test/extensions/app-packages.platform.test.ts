import JSZip from 'jszip'
import { beforeEach, describe, expect, it } from 'vitest'
import { decideListing, listingRequests } from '../../subgraphs/extensions/public.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { readVersionToInstall } from '../../subgraphs/extensions/app/app-package.ts'
import { succeeded } from '../metadata/metadata.fixture.ts'
import { usePlatform, type Member } from '../platform.ts'
import {
  appFiles,
  aSlot,
  aSlug,
  fieldFile,
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
      id: first.id,
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
      id: found.id,
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
    expect(versions.data).toEqual([summary, expect.objectContaining({ id: first.id, number: '1.0.0' })])
    expect((await owner.rest['appVersion']!({ id: slug, number: '1.0.0' })).body).toEqual(first)
    expect((await owner.rest['appVersion']!({ id: slug, number: '1.9.0' })).status).toBe(404)
    expect((await owner.rest['appPackageList']!({})).body.data).toEqual([found])
    expect((await events('app.published')).map(({ data }) => data.record)).toEqual([
      expect.objectContaining({ id: first.id, slug, number: '1.0.0', scopes: ['WRITE_ACCOUNTS'], packageId: found.id }),
      expect.objectContaining({ id: second.id, slug, number: '1.10.0', packageId: found.id }),
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
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
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
  })

  it('tells what is wrong with the project, and writes nothing', async () => {
    const before = await writtenApps(platform)
    const { 'app.json': _manifest, ...withoutManifest } = appFiles()
    const only = (manifest: object) => ({ 'app.json': appFiles(manifest)['app.json']! })
    const cases: readonly (readonly [files: Record<string, string>, problem: string])[] = [
      [withoutManifest, 'app.json  REQUIRED'],
      [only({ slug }), 'app.json  EMPTY'],
      [only({ slug, slots: [aSlot, aSlot] }), 'app.json slots.1.key NOT_UNIQUE'],
      [only({ slug, unlisted: 1 }), 'app.json unlisted UNKNOWN_FIELD'],
      [{ ...appFiles({ slug }), 'destructiveChanges.json': '{"delete": []}' }, 'destructiveChanges.json  NOT_ALLOWED'],
      [{ ...appFiles({ slug }), [fieldFile]: '{"entity": 1}' }, `${fieldFile} `],
      [{ ...appFiles({ slug }), 'src/other.txt': 'a' }, 'src/other.txt  WRONG_PATH'],
    ]
    for (const [files, problem] of cases) {
      const refused = await publish(owner, files)
      expect(refusedWith(refused)).toContain(`400 VALIDATION_FAILED; ${problem}`)
    }
    expect(await writtenApps(platform)).toEqual(before)
  })

  it.each([
    ['deep JSON', `{"slug": ${'['.repeat(100_000)}`, ' TOO_DEEP'],
    ['__proto__', '{"__proto__": {"slug": "a"}}', ' NOT_ALLOWED'],
    ['no JSON', '{', ' INVALID_JSON'],
    ['no object', '[]', ' WRONG_TYPE'],
    ['a NUL character', '{"name": "\\u0000"}', ' NOT_TEXT'],
    ['very many scopes', JSON.stringify({ scopes: Array.from({ length: 50_000 }, (_, at) => `S${at}`) }), 'scopes '],
    ['very many slots', JSON.stringify({ slots: Array.from({ length: 50_000 }, () => ({})) }), 'slots TOO_MANY'],
  ])('refuses a manifest with %s at once', async (_name, text, problem) => {
    const before = await writtenApps(platform)
    const begunAt = performance.now()
    const refused = await publish(owner, { ...appFiles(), 'app.json': text })
    expect(performance.now() - begunAt).toBeLessThan(5_000)
    expect(refusedWith(refused)).toMatch(/^400 VALIDATION_FAILED/)
    expect(refusedWith(refused)).toContain(`app.json ${problem}`)
    expect(await writtenApps(platform)).toEqual(before)
  })

  it.each([
    [
      'a pattern that may take long',
      { properties: { a: { type: 'string', pattern: '(?<=a)b' } } },
      'properties.a.pattern',
    ],
    ['a reference', { $ref: '#' }, '$ref'],
    ['names of JavaScript', { properties: { constructor: {} } }, 'properties.constructor'],
    ['another type', { type: 'array' }, 'type'],
    ['an unknown keyword', { if: {} }, 'if'],
  ])('refuses a schema of settings with %s', async (_name, schema, path) => {
    const refused = await publish(owner, appFiles({ slug, settingsSchema: { type: 'object', ...schema } }))
    expect(refusedWith(refused)).toContain(`400 VALIDATION_FAILED; app.json settingsSchema.${path} `)
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

describe('the listing of a package', () => {
  const asked = (isListed: boolean | null) => owner.rest['appPackageUpdate']!({ id: slug, body: { isListed } } as never)

  it('is asked for by the publisher, decided by the operator, and ended by both', async () => {
    await published(owner, { slug })
    const { services } = platform
    await expect(decideListing(services, slug, 'approve')).rejects.toThrow('has not asked')
    expect((await asked(true)).body.listing).toBe('REQUESTED')
    expect(await listingRequests(services)).toContainEqual({
      slug,
      name: 'Site maps',
      latestVersion: '1.0.0',
      organizationId: owner.organizationId,
      publisherName: 'Maps Inc.',
      requestedAt: platform.now.toISOString(),
    })
    expect((await asked(null)).body.listing).toBe('REQUESTED')
    expect(await decideListing(services, slug, 'refuse')).toBe('PRIVATE')
    await asked(true)
    expect(await decideListing(services, slug, 'approve')).toBe('LISTED')
    expect((await asked(true)).body.listing).toBe('LISTED')
    expect((await listingRequests(services)).filter((one) => one.slug === slug)).toEqual([])
    expect((await asked(false)).body.listing).toBe('PRIVATE')
    expect((await events('app_package.updated')).map(({ data }) => data.record['listing'])).toEqual([
      'REQUESTED',
      'PRIVATE',
      'REQUESTED',
      'LISTED',
      'PRIVATE',
    ])
    expect(await decideListing(services, 'no-such-app', 'approve')).toBe(null)
  })

  it('ends with the package', async () => {
    await published(owner, { slug })
    await asked(true)
    expect((await owner.rest['appPackageDelete']!({ id: slug })).status).toBe(204)
    expect((await owner.rest['appPackageDelete']!({ id: slug })).status).toBe(404)
    expect((await asked(true)).status).toBe(404)
    expect((await listingRequests(platform.services)).filter((one) => one.slug === slug)).toEqual([])
    expect(await decideListing(platform.services, slug, 'approve')).toBe(null)
    expect(await events('app_package.deleted')).toHaveLength(1)
  })
})

describe('the marketplace', () => {
  const list = async (by: Member, query: object = {}): Promise<string[]> => {
    const { status, body } = await (await inSession(platform, by))['marketplaceAppList']!({ query } as never)
    expect(status, JSON.stringify(body)).toBe(200)
    return (body.data as { slug: string }[]).map((one) => one.slug).filter((one) => one.startsWith(slug))
  }
  const one = async (by: Member, of = slug) => (await inSession(platform, by))['marketplaceApp']!({ slug: of })
  const listed = async (of = slug) => {
    await owner.rest['appPackageUpdate']!({ id: of, body: { isListed: true } } as never)
    await decideListing(platform.services, of, 'approve')
  }

  it('shows private apps to their organization only, and listed ones to everyone', async () => {
    await published(owner, { slug })
    expect([await list(owner), await list(other)]).toEqual([[slug], []])
    expect([(await one(owner)).status, (await one(other)).status]).toEqual([200, 404])
    expect((await one(owner)).body.isListed).toBe(false)
    await listed()
    expect([await list(owner), await list(other)]).toEqual([[slug], [slug]])
    await owner.rest['appPackageDelete']!({ id: slug })
    expect([await list(owner), await list(other)]).toEqual([[], []])
    expect([(await one(owner)).status, (await one(other)).status]).toEqual([404, 404])
  })

  it('shows what an app brings and who publishes it, without files and people', async () => {
    await published(owner, { slug })
    platform.advanceClock(1_000)
    await published(owner, { slug, version: '1.1.0', releaseNotes: 'Faster.', scopes: ['READ_LEADS'], slots: [aSlot] })
    await listed()
    const { status, body } = await one(other)
    expect(status).toBe(200)
    expect(body).toEqual({
      slug,
      name: 'Site maps',
      description: null,
      homepageUrl: null,
      publisherName: 'Maps Inc.',
      isListed: true,
      latestVersion: '1.1.0',
      publishedAt: platform.now.toISOString(),
      scopes: ['READ_LEADS'],
      settingsSchema: null,
      slots: [{ ...aSlot, height: 300 }],
      components: [{ type: 'CUSTOM_FIELD', name: 'ACCOUNT.geo_position' }],
      hasClient: false,
      versions: [
        { number: '1.1.0', releaseNotes: 'Faster.', createdAt: platform.now.toISOString() },
        { number: '1.0.0', releaseNotes: null, createdAt: new Date(platform.now.getTime() - 1_000).toISOString() },
      ],
    })
    expect(JSON.stringify(body)).not.toContain(owner.userId)
  })

  it('finds apps by a part of the slug, the name or the description, and turns its pages', async () => {
    const slugs = ['a', 'b', 'c'].map((end) => `${slug}-${end}`)
    for (const [at, of] of slugs.entries()) {
      await published(owner, { slug: of, name: `Karte ${slug.slice(4)}`, description: at === 1 ? 'Zeigt Höfe' : '' })
      await listed(of)
    }
    for (const by of [owner, other]) {
      expect(await list(by, { search: slug.slice(4) })).toEqual(slugs.toReversed())
      expect(await list(by, { search: 'höfe' })).toEqual([slugs[1]])
      expect(await list(by, { search: 'no such app' })).toEqual([])
      expect(await list(by, { search: '%' })).toEqual([])
      const client = await inSession(platform, by)
      const page = await client['marketplaceAppList']!({ query: { search: slug, limit: 2 } } as never)
      expect([page.body.data.map((app: { slug: string }) => app.slug), page.body.hasMore]).toEqual([
        slugs.slice(1).toReversed(),
        true,
      ])
      expect(await list(by, { search: slug, limit: 2, cursor: page.body.nextCursor as string })).toEqual([slugs[0]])
    }
  })

  it('is for signed-in users only', async () => {
    for (const call of [owner.rest['marketplaceAppList']!({}), owner.rest['marketplaceApp']!({ slug })])
      expect(refusedWith(await call)).toBe('403 API_KEY_SCOPE_BLOCKED')
  })

  it('lets other organizations read no version of a private app, and write none of a listed one', async () => {
    await published(owner, { slug })
    const theirs = platform.services.tenants.of(other.organizationId)
    const versions = () =>
      theirs.query('select number from extensions.app_version where organization_id = $1', [owner.organizationId])
    expect(await versions()).toEqual([])
    await listed()
    expect(await versions()).toEqual([{ number: '1.0.0' }])
    for (const change of [
      `update extensions.app_version set number = '9.9.9' where organization_id = $1 returning 1`,
      `update extensions.app_package set name = 'Mine' where organization_id = $1 returning 1`,
      'delete from extensions.app_version where organization_id = $1 returning 1',
    ])
      expect(await theirs.query(change, [owner.organizationId])).toEqual([])
  })
})

describe('readVersionToInstall', () => {
  it('has the files of the latest version or of one by its number, for organizations that may install it', async () => {
    await published(owner, { slug })
    await published(owner, { slug, version: '2.0.0' })
    const of = (by: Member, number: string | null) =>
      readVersionToInstall(systemContext(platform.services, by.organizationId), slug, number)
    const { files, number, publisherName, position } = await of(owner, null)
    expect([Object.fromEntries(files), number, publisherName, position]).toEqual([
      appFiles({ slug, version: '2.0.0' }),
      '2.0.0',
      'Maps Inc.',
      2,
    ])
    expect((await of(owner, '1.0.0')).position).toBe(1)
    await expect(of(owner, '3.0.0')).rejects.toThrow('The version of the app was not found.')
    await expect(of(other, null)).rejects.toThrow('The app was not found.')
  })
})

import { beforeEach, describe, expect, it } from 'vitest'
import { readVersionToInstall } from '../../subgraphs/extensions/app/app-package.ts'
import { decideListing, listingRequests } from '../../subgraphs/extensions/public.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { usePlatform, type Member } from '../platform.ts'
import { aSlot, aSlug, inSession, published, refusedWith } from './app-packages.fixture.ts'

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
      installedVersion: null,
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
  it('has the latest version or one by its number, for organizations that may install it', async () => {
    await published(owner, { slug })
    await published(owner, { slug, version: '2.0.0' })
    const of = (by: Member, number: string | null) =>
      readVersionToInstall(systemContext(platform.services, by.organizationId), slug, number)
    const { number, publisherName } = await of(owner, null)
    expect([number, publisherName]).toEqual(['2.0.0', 'Maps Inc.'])
    expect((await of(owner, '1.0.0')).number).toBe('1.0.0')
    await expect(of(owner, '3.0.0')).rejects.toThrow('The version of the app was not found.')
    await expect(of(other, null)).rejects.toThrow('The app was not found.')
  })
})

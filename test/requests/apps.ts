import { storedFiles } from '../../subgraphs/extensions/metadata/source-files.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import type { Sender } from './sender.ts'

type Path = Record<string, string>

const aSlug = (): string => `requested-${newId().slice(-12)}`

/** A package with versions, of which the first one is 1.0.0. */
async function aPackage({ platform, member }: Sender, id: string, versions: number): Promise<string> {
  const slug = aSlug()
  await platform.query(
    `insert into extensions.app_package (organization_id, id, slug, name, publisher_name, latest_number, version_count, stored_bytes,
       published_at, created_at, created_by_id)
     values ($1, $2, $3, 'Requested', 'Publisher', $4 || '.0.0', $4::int, 1, now(), now(), $5)`,
    [member.organizationId, id, slug, String(versions), member.userId],
  )
  await platform.query(
    `insert into extensions.app_version (organization_id, id, package_id, position, number, scopes, slots, components, files, bytes, sha256,
       created_at, created_by_id)
     select $1, gen_random_uuid(), $2, n, n || '.0.0', '{READ_ACCOUNTS,READ_LEADS}', '[]', '[]', $5, 0, repeat('a', 64), now(), $3
     from generate_series(1, $4::int) n`,
    [member.organizationId, id, member.userId, versions, await storedFiles(new Map())],
  )
  return slug
}

/** The answer of a publication is the version, so its path names another package. */
const ofPackage =
  (versions = 1) =>
  async (requests: Sender, _id: string, path: Path): Promise<void> => {
    const id = newId()
    await aPackage(requests, id, versions)
    Object.assign(path, { id, ...('number' in path && { number: '1.0.0' }) })
  }

/** An installed app with this id, whose package has two versions. */
async function anInstalledApp(requests: Sender, id: string): Promise<void> {
  const { platform, member } = requests
  const packageId = newId()
  const slug = await aPackage(requests, packageId, 2)
  await platform.query(
    `insert into extensions.installed_app (organization_id, id, package_id, slug, name, publisher_name, app_version, scopes, asked_scopes,
       settings, settings_schema, slots, installed_by_id, created_at, updated_at)
     values ($1, $2, $3, $4, 'Requested', 'Publisher', '1.0.0', '{READ_ACCOUNTS}', '{READ_ACCOUNTS,READ_LEADS}', '{}', '{"type": "object"}',
       '[{"key": "place", "label": "Place", "url": "https://maps.example.com", "objectTypes": ["ACCOUNT"], "height": 300}]', $5, now(), now())`,
    [member.organizationId, id, packageId, slug, member.userId],
  )
}

export const appBodies = {
  appInstall: async (requests: Sender, whole: boolean) => ({
    slug: await aPackage(requests, newId(), 1),
    scopes: ['READ_ACCOUNTS'],
    ...(whole && { appVersion: '1.0.0', settings: {} }),
  }),
  installedAppUpdate: (_requests: Sender, whole: boolean) =>
    Promise.resolve({ settings: {}, ...(whole && { appVersion: '1.0.0', scopes: ['READ_ACCOUNTS'] }) }),
  appPublish: (_requests: Sender, whole: boolean) => {
    const manifest = { slug: aSlug(), name: 'Requested', version: '1.0.0', scopes: [] }
    const settings = whole ? { settingsSchema: { type: 'object', properties: { zoom: { type: 'integer' } } } } : {}
    const files = {
      'app.json': JSON.stringify({ ...manifest, ...settings }),
      'src/fields/ACCOUNT.requested.field.json': JSON.stringify({
        entity: 'ACCOUNT',
        name: 'requested',
        label: 'Requested',
        fieldType: 'TEXT',
      }),
    }
    return Promise.resolve({ source: { files } })
  },
}

export const appPreparations = {
  installedApp: anInstalledApp,
  installedAppUpdate: anInstalledApp,
  appUninstall: anInstalledApp,
  installedAppList: async (requests: Sender) => {
    for (let row = 0; row < 2; row++) await anInstalledApp(requests, newId())
  },
  appPackage: ofPackage(),
  appPackageUpdate: ofPackage(),
  appPackageDelete: ofPackage(),
  appVersionList: ofPackage(5),
  appVersion: ofPackage(),
  async marketplaceApp(requests: Sender, _id: string, path: Path): Promise<void> {
    path['slug'] = await aPackage(requests, newId(), 1)
  },
}

import { createHash } from 'node:crypto'
import { activeOrganizationName } from '../../identity/public.ts'
import { actorIdOf } from '../../kernel/context.ts'
import { lockOf } from '../../kernel/database/locks.ts'
import { invalid, Refusal } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { refusalInSituation } from '../../kernel/record/transitions.ts'
import { insertRow, updateRow, writeChange } from '../../kernel/record/write-change.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import { isTurnOver, nextTurn } from '../../kernel/work/turn.ts'
import type { FileProblem } from '../metadata/package.ts'
import { manifestFile } from '../metadata/project-file.ts'
import { filesOfSource, storedFiles, type GivenSource, type SourceFiles } from '../metadata/source-files.ts'
import { publishedVersions } from './app.events.ts'
import { readVersionById } from './app-package.ts'
import type { AppComponent, AppVersion } from './app-package.types.ts'
import { packageBytesMax, packagesMax, versionsMax } from './bounds.ts'
import { componentsOfApp } from './check-app.ts'
import { manifestIn, type Manifest } from './manifest.ts'

const byPath = ([one]: readonly [string, string], [other]: readonly [string, string]): number => (one < other ? -1 : 1)

/** The digest of files in the order of their paths. */
async function digestOfFiles(files: SourceFiles, organizationId: string): Promise<string> {
  const hash = createHash('sha256')
  for (const entry of files) {
    if (isTurnOver()) await nextTurn(organizationId)
    hash.update(`${JSON.stringify(entry)}\n`)
  }
  return hash.digest('hex')
}

/** Publications of an organization, and its installations, wait for each other, so that its bounds hold. */
export const lockPackages = ({ db, caller }: RequestContext): Promise<unknown> =>
  db.query(`select pg_advisory_xact_lock(${lockOf('appPackages')})`, [caller.organizationId])

/** Publishes a version of an app. The same files again are the version that they are already, so that a repeated build changes nothing. */
export async function publishApp(ctx: RequestContext<'work'>, source: GivenSource): Promise<AppVersion> {
  requireAdministrator(ctx)
  const { organizationId } = ctx.caller
  const files: SourceFiles = new Map([...(await filesOfSource(ctx, source))].toSorted(byPath))
  const read = manifestIn(files)
  if ('problems' in read) throw invalid(...read.problems)
  const { manifest } = read
  const sha256 = await digestOfFiles(files, organizationId)
  const before = await packageToExtend(ctx, manifest, sha256)
  if (before?.versionId) return readVersionById(ctx, before.versionId)
  const packaged = await componentsOfApp(ctx, files, manifest)
  const components = packaged.map(({ component, name }) => ({ type: component.type, name }) as AppComponent)
  const stored = await storedFiles(files)
  return inTransaction(ctx, async (inner) => {
    await lockPackages(inner)
    const known = await packageToExtend(inner, manifest, sha256)
    const id = known?.versionId ?? (await write(inner, known, { manifest, sha256, components, stored }))
    return readVersionById(inner, id)
  })
}

interface KnownPackage {
  readonly id: string
  readonly latestNumber: string
  readonly versionCount: number
  readonly storedBytes: number
  readonly isDeleted: boolean
  /** The version that has these files. */
  readonly versionId: string | null
}

const slugTaken = (): Refusal => {
  const message = 'slug is taken; choose another one.'
  return new Refusal('UNIQUE_VIOLATION', message, {
    errors: [{ file: manifestFile, path: 'slug', code: 'NOT_UNIQUE', message }],
  })
}

const partsOf = (number: string): number[] => number.split('.').map(Number)

function isHigher(number: string, than: string): boolean {
  const [parts, others] = [partsOf(number), partsOf(than)]
  const at = parts.findIndex((part, index) => part !== others[index])
  return at >= 0 && parts[at]! > others[at]!
}

/** The package of the organization to which a version would be added; null if it is to be created. */
async function packageToExtend(
  { db, caller }: RequestContext,
  { slug, version }: Manifest,
  sha256: string,
): Promise<KnownPackage | null> {
  const [row] = await db.query<KnownPackage & { versionSha256: string | null } & Record<string, unknown>>(
    `select p.id, p.latest_number as "latestNumber", p.version_count as "versionCount",
       p.stored_bytes::float8 as "storedBytes", p.deleted_at is not null as "isDeleted", v.id as "versionId", v.sha256 as "versionSha256"
     from extensions.app_package p
     left join extensions.app_version v
       on v.organization_id = p.organization_id and v.package_id = p.id and v.number = $3
     where p.organization_id = $1 and p.slug = $2`,
    [caller.organizationId, slug, version],
  )
  if (!row) return null
  if (row.isDeleted) throw slugTaken()
  if (row.versionId === null) {
    if (isHigher(version, row.latestNumber)) return row
    throw refusalInSituation(`version must be higher than ${row.latestNumber}, which is published.`)
  }
  if (row.versionSha256 === sha256) return row
  const message = `version ${version} is published with other files, and versions never change; raise version.`
  throw new Refusal('UNIQUE_VIOLATION', message, {
    errors: [{ file: manifestFile, path: 'version', code: 'NOT_UNIQUE', message }],
  })
}

interface NewVersion {
  readonly manifest: Manifest
  readonly sha256: string
  readonly components: readonly AppComponent[]
  readonly stored: Buffer
}

const limitReached = (message: string, limit: number): Refusal => new Refusal('LIMIT_REACHED', message, { limit })

async function requireRoom({ db, caller }: RequestContext, known: KnownPackage | null, bytes: number): Promise<void> {
  const [used] = await db.query<{ packages: number; bytes: number }>(
    `select count(*)::int as packages, coalesce(sum(stored_bytes), 0)::float8 as bytes
     from extensions.app_package where organization_id = $1`,
    [caller.organizationId],
  )
  if (!known && used!.packages >= packagesMax)
    throw limitReached(`An organization has at most ${packagesMax} apps, also deleted ones.`, packagesMax)
  if (known && known.versionCount >= versionsMax)
    throw limitReached(`An app has at most ${versionsMax} versions.`, versionsMax)
  if (used!.bytes + bytes > packageBytesMax)
    throw limitReached(`The versions of all apps have at most ${packageBytesMax} bytes together.`, packageBytesMax)
}

/** An OAuth app has the scopes, settings and version of one app in an organization, so it acts for one. */
async function requireFreeClient({ db, caller }: RequestContext, { slug, clientId }: Manifest): Promise<void> {
  if (clientId === null) return
  const [other] = await db.query<{ slug: string }>(
    `select p.slug from extensions.app_version v
     join extensions.app_package p on p.organization_id = v.organization_id and p.id = v.package_id
     where v.organization_id = $1 and v.client_id = $2 and p.slug <> $3 limit 1`,
    [caller.organizationId, clientId, slug],
  )
  if (!other) return
  const message = `clientId must be an OAuth app that acts for no other app; it acts for ${other.slug}.`
  throw invalid({ file: manifestFile, path: 'clientId', code: 'NOT_UNIQUE', message } as FileProblem)
}

/** Writes the version and what the package has of it. The organization's packages are locked. */
async function write(ctx: RequestContext, known: KnownPackage | null, version: NewVersion): Promise<string> {
  const { manifest, sha256, components, stored } = version
  const { slug, name, description, homepageUrl, version: number, scopes } = manifest
  const { organizationId } = ctx.caller
  await requireRoom(ctx, known, stored.length)
  await requireFreeClient(ctx, manifest)
  const [id, packageId] = [newId(), known?.id ?? newId()]
  const createdById = actorIdOf(ctx.caller)
  const now = ctx.clock.now().toISOString()
  const position = (known?.versionCount ?? 0) + 1
  const latest = {
    name,
    description,
    homepage_url: homepageUrl,
    publisher_name: (await activeOrganizationName(ctx)) ?? '',
    latest_number: number,
    version_count: position,
    stored_bytes: (known?.storedBytes ?? 0) + stored.length,
    published_at: now,
  }
  const row = {
    organization_id: organizationId,
    id,
    package_id: packageId,
    position,
    number,
    scopes,
    settings_schema: manifest.settingsSchema && JSON.stringify(manifest.settingsSchema),
    slots: JSON.stringify(manifest.slots),
    components: JSON.stringify(components),
    files: stored,
    bytes: stored.length,
    sha256,
    release_notes: manifest.releaseNotes,
    client_id: manifest.clientId,
    created_at: now,
    created_by_id: createdById,
  }
  const next = { id, organizationId, packageId, slug, name, number, scopes, createdById }
  const isWritten = await writeChange(
    ctx,
    publishedVersions,
    { operation: 'CREATE', previous: null, next },
    (values) => {
      const key = { organization_id: organizationId, id: packageId }
      const created = { ...key, slug, ...latest, created_at: now, created_by_id: createdById }
      const owner = known
        ? updateRow(values, 'extensions.app_package', latest, key)
        : insertRow(values, 'extensions.app_package', created, 'on conflict (slug) do nothing')
      return { owner, written: insertRow(values, 'extensions.app_version', row, 'where exists (select from owner)') }
    },
  )
  // The only row that was not written is one whose slug another organization has.
  if (!isWritten) throw slugTaken()
  return id
}

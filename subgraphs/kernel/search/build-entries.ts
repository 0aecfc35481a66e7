import type { Row, Sql } from '../database/sql.ts'
import type { RecordShape } from '../record/definition.ts'
import type { OrganizationShapes } from '../record/shape-source.ts'
import { systemContext, type Services } from '../request.ts'
import { lockEntries, writeNextEntries } from './entries.ts'
import { currentShapes } from './current-shapes.ts'
import { searchedShapes, signatureOf, usualDigest } from './searched-types.ts'

/** Records of one transaction, and fewer if they are large. Meanwhile the consumer of the organization waits. */
const batchSize = 500

interface Build {
  readonly digest: string | null
  readonly version: number | null
  readonly built: Readonly<Record<string, string>>
  readonly object: string | null
  readonly afterId: string | null
}

/**
 * Builds the entries of all records of an organization whose record types are not searched yet, or by other fields. Each batch is a
 * transaction that stores how far it came, so any process continues after a crash. Returns whether there was something to build.
 */
export async function buildEntries(services: Services, organizationId: string): Promise<boolean> {
  let steps = 0
  while (await services.database.transaction((sql) => step(services, sql, organizationId), { mayBeLost: true })) steps++
  return steps > 0
}

/** False when all entries are built. */
async function step(services: Services, sql: Sql, organizationId: string): Promise<boolean> {
  await lockEntries(sql, organizationId)
  const { shapes, version } = await currentShapes(services, sql, organizationId)
  const searched = searchedShapes(shapes)
  const digest = usualDigest()
  const [build] = await readBuild(sql, organizationId)
  if (build?.digest === digest && build.version === version) return false
  const built = currentlyBuilt(searched, build?.built ?? {})
  const due = searched.find(({ object }) => built[object] === undefined)
  if (!due) await store(sql, organizationId, { digest, version, built, object: null, afterId: null })
  else await buildNext(services, sql, organizationId, { due, build: build ?? null, built })
  return due !== undefined
}

/** The record types whose entries are as they would be made now. */
function currentlyBuilt(searched: readonly RecordShape[], built: Build['built']): Build['built'] {
  const current = searched.filter((shape) => built[shape.object] === signatureOf(shape))
  return Object.fromEntries(current.map(({ object }) => [object, built[object]!]))
}

/**
 * Forgets what was built of record types that are not searched, or by other fields, in the transaction of a consumer that writes entries. Their
 * next entries are then made of all their records, even if the definitions become what they were before.
 */
export async function forgetOtherBuilds(
  sql: Sql,
  organizationId: string,
  { shapes, version }: { readonly shapes: OrganizationShapes | null; readonly version: number },
): Promise<void> {
  const [build] = await readBuild(sql, organizationId)
  if (!build || (build.digest === usualDigest() && build.version === version)) return
  const searched = searchedShapes(shapes)
  const built = currentlyBuilt(searched, build.built)
  const isNext = build.object === null || searched.some((shape) => build.object === nameOfBuild(shape))
  if (isNext && Object.keys(built).length === Object.keys(build.built).length) return
  const { object, afterId } = isNext ? build : { object: null, afterId: null }
  await store(sql, organizationId, { digest: null, version: null, built, object, afterId })
}

const readBuild = (sql: Sql, organizationId: string): Promise<(Build & Row)[]> =>
  sql.query<Build & Row>(
    'select digest, version::float8 as version, built, object, after_id as "afterId" from kernel.search_build where organization_id = $1',
    [organizationId],
  )

const nameOfBuild = (shape: RecordShape): string => `${shape.object} ${signatureOf(shape)}`

async function buildNext(
  services: Services,
  sql: Sql,
  organizationId: string,
  { due, build, built }: { readonly due: RecordShape; readonly build: Build | null; readonly built: Build['built'] },
): Promise<void> {
  const { caller } = systemContext(services, organizationId)
  const object = nameOfBuild(due)
  const after = build?.object === object ? build.afterId : null
  const afterId = await writeNextEntries(sql, caller, due, after, batchSize)
  const next =
    afterId === null
      ? { built: { ...built, [due.object]: signatureOf(due) }, object: null, afterId }
      : { built, object, afterId }
  await store(sql, organizationId, { digest: null, version: null, ...next })
}

async function store(
  sql: Sql,
  organizationId: string,
  { digest, version, built, object, afterId }: Build,
): Promise<void> {
  await sql.query(
    `insert into kernel.search_build (organization_id, digest, version, built, object, after_id) values ($1, $2, $3, $4, $5, $6)
     on conflict (organization_id) do update
     set digest = excluded.digest, version = excluded.version, built = excluded.built, object = excluded.object, after_id = excluded.after_id`,
    [organizationId, digest, version, JSON.stringify(built), object, afterId],
    'WRITE',
  )
}

/** SQL condition of an organization `o` whose entries are not all built: `$2` is `usualDigest()`. */
export const needsEntries = `not exists (
  select from kernel.search_build b left join kernel.definition_version v using (organization_id)
  where b.organization_id = o.id and b.digest = $2 and b.version = coalesce(v.version, 0))`

import type { RequestContext } from '../../kernel/request.ts'
import { storedTests, type StoredTest } from '../function-test/stored-tests.ts'
import type { FunctionLanguage } from './function.enumerations.ts'

export interface DeployedSource extends Record<string, unknown> {
  readonly functionId: string
  readonly language: FunctionLanguage
  readonly sha256: string
  readonly source: string | null
}

interface StoredSources {
  readonly deployed: DeployedSource[]
  readonly tests: StoredTest[]
}

/** Functions whose texts one statement reads: the largest source has 1 MiB, and a statement may read 8 MiB. */
const batchMax = 7

const deployedSources = (
  { db, caller }: RequestContext,
  hasTexts: boolean,
  functionIds: readonly string[] | null,
): Promise<DeployedSource[]> =>
  db.query<DeployedSource>(
    `select v.function_id as "functionId", v.language, encode(sha256(convert_to(v.source, 'UTF8')), 'hex') as sha256,
       ${hasTexts ? 'v.source' : 'null as source'}
     from extensions.function f
     join extensions.function_version v on v.organization_id = f.organization_id and v.id = f.deployed_version_id
     where f.organization_id = $1 and f.deleted_at is null and ($2::uuid[] is null or f.id = any($2))`,
    [caller.organizationId, functionIds],
  )

/** What functions have deployed, and their tests; without texts only their digests. */
export async function storedSources(
  ctx: RequestContext,
  functionIds: readonly string[],
  hasTexts: boolean,
): Promise<StoredSources> {
  if (!hasTexts)
    return { deployed: await deployedSources(ctx, false, null), tests: await storedTests(ctx, false, null) }
  const all: StoredSources = { deployed: [], tests: [] }
  for (let from = 0; from < functionIds.length; from += batchMax) {
    const ids = functionIds.slice(from, from + batchMax)
    all.deployed.push(...(await deployedSources(ctx, true, ids)))
    all.tests.push(...(await storedTests(ctx, true, ids)))
  }
  return all
}

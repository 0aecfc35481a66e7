import { createHash } from 'node:crypto'
import { auditRecord } from '../../identity/public.ts'
import { invalid, notFound } from '../../kernel/errors.ts'
import { isId, newId } from '../../kernel/ids.ts'
import { pureCall, transactionWithExternalCalls } from '../../kernel/outbound/external-call.ts'
import { actorIdOf } from '../../kernel/context.ts'
import type { TrackedObject } from '../../kernel/record/event-types.ts'
import { requireOwnPart } from '../../kernel/record/managed-by.ts'
import { change } from '../../kernel/record/records-of.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import { lockSerializedRules } from '../../kernel/record/serialized-rules.ts'
import { insertRow, writeChange } from '../../kernel/record/write-change.ts'
import { refusalInSituation } from '../../kernel/record/transitions.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import type { CompiledSource } from '../../kernel/sandbox/sandbox.ts'
import { versionsMax } from './bounds.ts'
import { lockFunction, requireFunction } from './find-function.ts'
import type { FunctionContext } from './function.context.ts'
import type { FunctionLanguage } from './function.enumerations.ts'
import { serverlessFunction } from './function.record.ts'
import { requireRightToProgram } from './function.rules.ts'
import { newestFirst, type NewestFirstArgs } from '../../kernel/record/newest-first.ts'
import type { ServerlessFunctionVersion } from './version.ts'

export interface NewVersion {
  readonly source: string
  readonly language: FunctionLanguage
  readonly note: string | null
}

interface StoredVersion extends NewVersion {
  readonly id: string
  readonly functionId: string
  readonly number: number
}

/** The audit log says who saved which version, and has no source. */
const versionChanges: TrackedObject<StoredVersion> = {
  object: 'function_version',
  audit: auditRecord('function_version', ({ functionId, number, language, note }) => ({
    functionId,
    number,
    language,
    note,
  })),
}

/** The call that compiles a source. One piece of work may compile several, so it is named by what it compiles. */
export const compileCall = (source: string, language: FunctionLanguage) => ({
  key: `compile ${createHash('sha256').update(`${language} ${source}`).digest('base64url')}`,
  call: ({ sandbox, caller }: FunctionContext): Promise<CompiledSource> =>
    sandbox.compile(caller.organizationId, source, language),
})

/** Compiles a source while no transaction is open. */
export const compiled = (ctx: FunctionContext, source: string, language: FunctionLanguage): Promise<CompiledSource> => {
  const { key, call } = compileCall(source, language)
  return pureCall(ctx, key, () => Promise.resolve(() => call(ctx)))
}

/** Writes the next version of a function; the function must be locked, or new. */
export async function writeVersion(
  ctx: RequestContext,
  functionId: string,
  { source, language, note }: NewVersion,
  { code, sourceMap }: CompiledSource,
  id = newId(),
): Promise<string> {
  const { organizationId } = ctx.caller
  const [last] = await ctx.db.query<{ number: number }>(
    `select coalesce(max(number), 0)::int as number from extensions.function_version
     where organization_id = $1 and function_id = $2`,
    [organizationId, functionId],
  )
  const number = last!.number + 1
  if (number > versionsMax) {
    const message = `A function must have at most ${versionsMax} versions; create another function.`
    throw invalid({ path: 'source', code: 'TOO_MANY', message })
  }
  const next = { id, functionId, number, source, language, note }
  const row = {
    organization_id: organizationId,
    id,
    function_id: functionId,
    number,
    language,
    note,
    source,
    code,
    source_map: sourceMap,
    created_at: ctx.clock.now().toISOString(),
    created_by_id: actorIdOf(ctx.caller),
  }
  await writeChange(ctx, versionChanges, { operation: 'CREATE', previous: null, next }, (values) =>
    insertRow(values, 'extensions.function_version', row),
  )
  return id
}

/** Saves the next version of a function, and deploys it if that is requested. */
export async function createVersion(
  ctx: FunctionContext,
  key: string,
  { deploy, ...version }: NewVersion & { readonly deploy: boolean },
): Promise<ServerlessFunctionVersion> {
  requireAdministrator(ctx)
  return transactionWithExternalCalls(ctx, async (inner) => {
    const found = await requireFunction(inner, key)
    await requireRightToProgram(inner, found)
    requireOwnPart(inner, serverlessFunction, found)
    const program = await compiled(inner, version.source, version.language)
    if (deploy) await lockSerializedRules(inner, serverlessFunction)
    await lockFunction(inner, found.id)
    // It may have been deleted before it was locked.
    await requireFunction(inner, found.id)
    const id = await writeVersion(inner, found.id, version, program)
    if (deploy) await setDeployed(inner, found.id, () => Promise.resolve(id))
    return versionOf(inner, found.id, id)
  })
}

/** Deploys a version of a function. */
export async function deployVersion(ctx: RequestContext, key: string, versionId: string): Promise<string> {
  requireAdministrator(ctx)
  const { id } = await requireFunction(ctx, key)
  return setDeployed(ctx, id, async (inner) => {
    const found = await findVersion(inner, id, versionId)
    if (found) return found.id
    const message = 'versionId must be the id of a version of the function.'
    throw invalid({ path: 'versionId', code: 'UNKNOWN_REFERENCE', message })
  })
}

/** Deploys the version before the one that is deployed. */
export async function rollBack(ctx: RequestContext, key: string): Promise<string> {
  requireAdministrator(ctx)
  const { id } = await requireFunction(ctx, key)
  return setDeployed(ctx, id, async ({ db, caller }, deployed) => {
    const [before] = await db.query<{ id: string }>(
      `select b.id from extensions.function_version d
       join extensions.function_version b
         on b.organization_id = d.organization_id and b.function_id = d.function_id and b.number < d.number
       where d.organization_id = $1 and d.id = $2 order by b.number desc limit 1`,
      [caller.organizationId, deployed],
    )
    if (!before) throw refusalInSituation('The function has no version before the one that is deployed.')
    return before.id
  })
}

async function setDeployed(
  ctx: RequestContext,
  id: string,
  versionFor: (ctx: RequestContext, deployed: string | null) => Promise<string>,
): Promise<string> {
  await change(ctx, serverlessFunction, id, async (previous, inner) => {
    await requireRightToProgram(inner, previous)
    const deployedVersionId = await versionFor(inner, previous.deployedVersionId)
    return { operation: 'UPDATE', values: {}, implied: { deployedVersionId }, action: 'serverless_function.deployed' }
  })
  return id
}

const summaryColumns = `v.id, v.function_id as "functionId", v.number, v.language, v.note, v.created_at as "createdAt",
  v.created_by_id as "createdById", f.deployed_version_id is not distinct from v.id as "isDeployed"`
const versions = `extensions.function_version v
  join extensions.function f on f.organization_id = v.organization_id and f.id = v.function_id
  where v.organization_id = $1 and v.function_id = $2`

/** The version of a function; null if it has none with this id. */
async function findVersion(
  { db, caller }: RequestContext,
  functionId: string,
  id: string,
): Promise<ServerlessFunctionVersion | null> {
  if (!isId(id)) return null
  const [row] = await db.query<ServerlessFunctionVersion & Record<string, unknown>>(
    `select ${summaryColumns}, v.source from ${versions} and v.id = $3`,
    [caller.organizationId, functionId, id],
  )
  return row ?? null
}

async function versionOf(ctx: RequestContext, functionId: string, id: string): Promise<ServerlessFunctionVersion> {
  const found = await findVersion(ctx, functionId, id)
  if (!found) throw notFound('The version')
  return found
}

export async function readVersion(ctx: RequestContext, key: string, id: string): Promise<ServerlessFunctionVersion> {
  requireAdministrator(ctx)
  return versionOf(ctx, (await requireFunction(ctx, key)).id, id)
}

export async function readVersions(ctx: RequestContext, key: string, args: NewestFirstArgs, info: SelectionInfo) {
  requireAdministrator(ctx)
  const { id } = await requireFunction(ctx, key)
  const list = {
    select: summaryColumns,
    from: versions,
    values: [ctx.caller.organizationId, id],
    key: { sql: 'v.number', type: 'integer', of: (row: { [name: string]: unknown }) => row['number'] },
  } as const
  return newestFirst(ctx, list, args, info)
}

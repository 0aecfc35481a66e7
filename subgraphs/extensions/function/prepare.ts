import { actingCaller } from '../../identity/public.ts'
import type { Caller } from '../../kernel/context.ts'
import type { Sql } from '../../kernel/database/sql.ts'
import { newId } from '../../kernel/ids.ts'
import type { CompiledSource } from '../../kernel/sandbox/sandbox.ts'
import type { InvocationTrigger } from './function.enumerations.ts'

/** Which function is to run, why and with what. */
export interface FunctionStart {
  readonly organizationId: string
  readonly functionId: string
  readonly trigger: InvocationTrigger
  readonly input: unknown
  /** How many automations have started one another up to this one; at most 5. */
  readonly depth: number
  /** The version to run; absent: the one that is deployed. */
  readonly versionId?: string
  /** A source that was not saved, to run instead of a version. */
  readonly program?: CompiledSource
  /** Counted from 1. */
  readonly attempt?: number
  readonly eventId?: string
  /** What identifies the writes of all attempts of this start, with their numbers; absent: the id of the invocation. */
  readonly effectKey?: string
  /** Whether a failure is announced, because no further attempt follows. */
  readonly isLastAttempt?: boolean
  /** The smaller of this and the timeout of the function applies. */
  readonly timeoutMs?: number
}

export interface RunnableFunction {
  readonly apiName: string
  /** The user who last changed the settings. */
  readonly updatedById: string | null
  readonly runAsUserId: string
  readonly runAsAdmin: boolean
  readonly scopes: readonly string[]
  readonly envVars: Readonly<Record<string, string>>
  readonly allowedHosts: readonly string[]
  readonly timeoutMs: number
  readonly memoryMb: number
  /** The slug of the app that brought the function; null for functions of the organization. */
  readonly managedBy: string | null
  /** What the organization set for the app that brought the function; null for functions of the organization. */
  readonly appSettings: Readonly<Record<string, unknown>> | null
}

/** All that an invocation needs from the database. */
export interface PreparedRun {
  readonly start: FunctionStart
  readonly invocationId: string
  readonly startedAt: string
  readonly settings: RunnableFunction
  /** Null for a source that was not saved. */
  readonly versionId: string | null
  readonly program: CompiledSource
  readonly sealedSecrets: readonly { readonly name: string; readonly sealed: string }[]
  /** The user as whom it acts, with the rights of this moment; null if the user may not act. */
  readonly caller: Caller | null
}

interface StoredRun extends RunnableFunction {
  readonly versionId: string | null
  readonly code: string | null
  readonly sourceMap: string | null
  readonly sealedSecrets: PreparedRun['sealedSecrets']
}

/** Null if the function was deleted, or has no version to run. */
export async function prepareRun(db: Sql, now: Date, start: FunctionStart): Promise<PreparedRun | null> {
  const { organizationId, functionId, versionId: wanted = null, program } = start
  const [row] = await db.query<StoredRun & Record<string, unknown>>(
    `select f.api_name as "apiName", f.updated_by_id as "updatedById", f.run_as_user_id as "runAsUserId", f.run_as_admin as "runAsAdmin", f.scopes,
       f.env_vars as "envVars", f.allowed_hosts as "allowedHosts", f.timeout_ms as "timeoutMs", f.memory_mb as "memoryMb", f.managed_by as "managedBy",
       (select a.settings from extensions.installed_app a
        where a.organization_id = f.organization_id and a.slug = f.managed_by) as "appSettings",
       v.id as "versionId", v.code, v.source_map as "sourceMap", (
         select coalesce(jsonb_agg(jsonb_build_object('name', s.name, 'sealed', s.sealed_value)), '[]') from extensions.function_secret s
         where s.organization_id = f.organization_id and s.function_id = f.id
       ) as "sealedSecrets"
     from extensions.function f
     left join extensions.function_version v on v.organization_id = f.organization_id and v.function_id = f.id
       and v.id = coalesce($3::uuid, f.deployed_version_id)
     where f.organization_id = $1 and f.id = $2 and f.deleted_at is null`,
    [organizationId, functionId, wanted],
  )
  if (!row) return null
  const { versionId, code, sourceMap, sealedSecrets, ...settings } = row
  const running = program ?? (code === null ? null : { code, sourceMap })
  if (!running) return null
  const invocationId = newId()
  const caller = await actingCaller(db, {
    organizationId,
    userId: settings.runAsUserId,
    scopes: settings.scopes,
    runAsAdmin: settings.runAsAdmin,
    origin: { kind: 'FUNCTION', id: functionId, runId: invocationId },
    depth: start.depth,
  })
  return {
    start,
    invocationId,
    startedAt: now.toISOString(),
    settings,
    versionId: program ? null : versionId,
    program: running,
    sealedSecrets,
    caller,
  }
}

import { storableText } from '../../kernel/json/storable-json.ts'
import type { Services } from '../../kernel/request.ts'
import { failuresMax, pauseMs } from './bounds.ts'

/** What is known of the hooks of an organization, and of the functions that decide for them, at this moment. */
export interface HookStates {
  readonly failing: ReadonlyMap<string, { readonly failures: number; readonly pausedUntil: string | null }>
  readonly functions: ReadonlyMap<string, { readonly id: string; readonly isActive: boolean }>
}

interface Row extends Record<string, unknown> {
  readonly failing: readonly {
    readonly hookId: string
    readonly failures: number
    readonly pausedUntil: string | null
  }[]
  readonly functions: readonly { readonly apiName: string; readonly id: string; readonly isActive: boolean }[]
}

export async function readHookStates(
  { tenants }: Pick<Services, 'tenants'>,
  organizationId: string,
  hookIds: readonly string[],
  functions: readonly string[],
): Promise<HookStates> {
  const [row] = await tenants.of(organizationId).query<Row>(
    `select
       (select coalesce(jsonb_agg(jsonb_build_object('hookId', hook_id, 'failures', failures, 'pausedUntil', paused_until)), '[]')
        from extensions.before_save_hook_failure where organization_id = $1 and hook_id = any($2::uuid[])) as failing,
       (select coalesce(jsonb_agg(jsonb_build_object('apiName', api_name, 'id', id, 'isActive', is_active)), '[]')
        from extensions.function where organization_id = $1 and api_name = any($3::text[]) and deleted_at is null) as functions`,
    [organizationId, hookIds, functions],
  )
  return {
    failing: new Map(row!.failing.map((one) => [one.hookId, one])),
    functions: new Map(row!.functions.map((one) => [one.apiName, one])),
  }
}

/** Counts a failure. From the fifth in a row on, the hook is not called for 30 s, by any process. */
export async function recordFailure(
  { tenants, clock }: Pick<Services, 'tenants' | 'clock'>,
  organizationId: string,
  hookId: string,
  error: string,
): Promise<void> {
  const now = clock.now()
  await tenants.of(organizationId).query(
    `insert into extensions.before_save_hook_failure as f (organization_id, hook_id, failures, failed_at, error)
     values ($1, $2, 1, $3, $4)
     on conflict (organization_id, hook_id) do update set failures = f.failures + 1, failed_at = excluded.failed_at,
       error = excluded.error, paused_until = case when f.failures + 1 >= ${failuresMax} then $5::timestamptz end`,
    [
      organizationId,
      hookId,
      now.toISOString(),
      storableText(error).slice(0, 500),
      new Date(now.getTime() + pauseMs).toISOString(),
    ],
    'WRITE',
  )
}

export async function forgetFailures(
  { tenants }: Pick<Services, 'tenants'>,
  organizationId: string,
  hookId: string,
): Promise<void> {
  await tenants
    .of(organizationId)
    .query(
      'delete from extensions.before_save_hook_failure where organization_id = $1 and hook_id = $2',
      [organizationId, hookId],
      'WRITE',
    )
}

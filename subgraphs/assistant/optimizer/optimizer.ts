import { mayDoMore } from '../../kernel/context.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { AssistantStats, OptimizerCount, OptimizerMode } from './optimizer.types.ts'

const daysMs = 30 * 86_400_000
const errorsMax = 50
const wordsMax = 20

/** Statistics of the own answers; of all answers for owners and admins. Words of questions are content, so they are the caller's own. */
export async function assistantStats({ caller, db, clock }: RequestContext): Promise<AssistantStats> {
  const seesAll = caller.kind === 'SYSTEM' || mayDoMore(caller.role, 'MANAGER')
  const since = new Date(clock.now().getTime() - daysMs).toISOString()
  const where = `organization_id = $1 and role = 'ASSISTANT' and created_at >= $2`
  const own = [caller.organizationId, since, caller.userId]
  const counted = [caller.organizationId, since, seesAll ? null : caller.userId]
  const whose = '($3::uuid is null or user_id = $3)'
  const share = (column: string, part: number): string =>
    `(percentile_disc(${part}) within group (order by ${column}) filter (where status = 'COMPLETED'))::int`
  const modes = await db.query<OptimizerMode>(
    `select mode, count(*)::int as answers, (count(*) filter (where status = 'FAILED'))::int as failed,
       (count(*) filter (where status = 'CANCELLED'))::int as cancelled, ${share('latency_ms', 0.5)} as "p50Ms",
       ${share('latency_ms', 0.95)} as "p95Ms", ${share('first_token_ms', 0.5)} as "firstTokenMs",
       coalesce(sum(input_tokens), 0)::float8 as "inputTokens", coalesce(sum(output_tokens), 0)::float8 as "outputTokens"
     from assistant.message where ${where} and ${whose} group by mode order by mode`,
    counted,
    'SCAN',
  )
  const [totals] = await db.query<{ up: number; down: number; toolCalls: number; toolFailures: number }>(
    `select (count(*) filter (where feedback = 'UP'))::int as up, (count(*) filter (where feedback = 'DOWN'))::int as down,
       coalesce(sum(jsonb_array_length(tool_calls)), 0)::int as "toolCalls",
       coalesce(sum(jsonb_array_length(jsonb_path_query_array(tool_calls, '$[*] ? (@.status == "ERROR")'))), 0)::int as "toolFailures"
     from assistant.message where ${where} and ${whose}`,
    counted,
    'SCAN',
  )
  const errors = await db.query<OptimizerCount>(
    `select error_code as name, count(*)::int as count from assistant.message where ${where} and ${whose} and error_code is not null
     group by error_code order by count(*) desc, error_code limit ${errorsMax}`,
    counted,
    'SCAN',
  )
  const notUnderstood = await db.query<OptimizerCount>(
    `select word as name, count(*)::int as count from assistant.message, unnest(not_understood) as word where ${where} and user_id = $3
     group by word order by count(*) desc, word limit ${wordsMax}`,
    own,
    'SCAN',
  )
  const { up, down, toolCalls, toolFailures } = totals!
  const answers = modes.reduce((sum, mode) => sum + mode.answers, 0)
  const scope = seesAll ? 'ORGANIZATION' : 'OWN'
  return { scope, answers, modes, toolCalls, toolFailures, errors, notUnderstood, feedback: { up, down } }
}

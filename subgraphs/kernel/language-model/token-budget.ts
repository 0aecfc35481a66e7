import type { Logger } from 'pino'
import type { TokenBudgets } from '../config/language-model.ts'
import { lockOf } from '../database/locks.ts'
import type { Sql } from '../database/sql.ts'
import type { Tenancy } from '../database/tenant-database.ts'
import { secondsOf } from '../counters/counters.ts'
import { Refusal } from '../errors.ts'
import { answerTokensMax, type LanguageModel, type ModelRequest, type ModelUsage } from './language-model.ts'
import type { Services } from '../request.ts'
import { estimatedPrompt, estimatedTokens } from './token-estimate.ts'

interface Use {
  readonly user: number
  readonly organization: number
}

const dayOf = (now: Date): string => now.toISOString().slice(0, 10)
const monthOf = (day: string): string => `${day.slice(0, 7)}-01`

function untilNext(now: Date, unit: 'day' | 'month'): number {
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()]
  const next = unit === 'day' ? Date.UTC(year, month, day + 1) : Date.UTC(year, month + 1, 1)
  return secondsOf(next - now.getTime())
}

const reached = (whose: string, max: number, unit: 'day' | 'month', now: Date): Refusal => {
  const retryAfter = untilNext(now, unit)
  const limit = `The limit of ${max} tokens of language models for ${whose} in a ${unit} is reached; retry in ${retryAfter} s.`
  return new Refusal('TOKEN_LIMIT_REACHED', limit, { retryAfter })
}

/** Tokens used in the month so far, and by the user on the day. */
async function usedTokens(sql: Sql, { organizationId, userId }: ModelRequest, day: string): Promise<Use> {
  const [row] = await sql.query<{ user: string; organization: string }>(
    `select coalesce(sum(tokens) filter (where user_id = $2 and day = $3), 0) as "user", coalesce(sum(tokens), 0) as organization
     from kernel.model_tokens where organization_id = $1 and day between $4 and $3`,
    [organizationId, userId, day, monthOf(day)],
    'WRITE',
  )
  return { user: Number(row!.user), organization: Number(row!.organization) }
}

const add = (sql: Sql, { organizationId, userId }: ModelRequest, day: string, tokens: number): Promise<unknown> =>
  sql.query(
    `insert into kernel.model_tokens as used (organization_id, user_id, day, tokens) values ($1, $2, $3, greatest($4, 0))
     on conflict (organization_id, user_id, day) do update set tokens = greatest(used.tokens + $4, 0)`,
    [organizationId, userId, day, tokens],
    'WRITE',
  )

interface Dependencies {
  readonly tenants: Tenancy
  readonly budgets: TokenBudgets
  readonly now: () => Date
  readonly log: Logger
}

/**
 * A model of which a user may use a number of tokens in a day, and an organization in a month (UTC). A call reserves what it may need at
 * most before the provider is called; afterwards the use that the provider reports is charged instead. A call that breaks off is charged by
 * the texts that were sent and received, and one of a killed process with the whole reservation.
 */
export function budgetedModel(model: LanguageModel, { tenants, budgets, now, log }: Dependencies): LanguageModel {
  async function reserve(request: ModelRequest, day: string, tokens: number): Promise<void> {
    await tenants.of(request.organizationId).transaction(async (sql) => {
      await sql.query(`select pg_advisory_xact_lock(${lockOf('modelTokens')})`, [request.organizationId], 'WRITE')
      const used = await usedTokens(sql, request, day)
      if (used.user + tokens > budgets.userDay) throw reached('a user', budgets.userDay, 'day', now())
      if (used.organization + tokens > budgets.organizationMonth)
        throw reached('an organization', budgets.organizationMonth, 'month', now())
      await add(sql, request, day, tokens)
    })
  }
  return {
    async *stream(request) {
      const day = dayOf(now())
      const inputTokens = estimatedPrompt(request)
      const reserved = inputTokens + answerTokensMax(request)
      await reserve(request, day, reserved)
      let isCalled = false
      let received = ''
      let usage: ModelUsage | null = null
      try {
        yield { kind: 'begin' }
        isCalled = true
        for await (const event of model.stream(request)) {
          if (event.kind === 'text') received += event.text
          else if (event.kind === 'toolCall') received += event.call.arguments
          else if (event.kind === 'end') usage = event.usage
          yield event
        }
      } finally {
        const estimate = isCalled ? inputTokens + estimatedTokens(received) : 0
        const used = usage ? usage.inputTokens + usage.outputTokens : estimate
        // The answer is complete without the settlement; without it the reservation stays charged.
        await add(tenants.of(request.organizationId), request, day, used - reserved).catch((error: unknown) =>
          log.warn({ err: error }, 'the use of a language model was not settled'),
        )
      }
    },
  }
}

const keptDays = 62

/** Deletes the use of days that no budget counts any more. */
export async function forgetTokens({ database, clock }: Pick<Services, 'database' | 'clock'>): Promise<void> {
  await database.query('delete from kernel.model_tokens where day < $1::date - $2::int', [dayOf(clock.now()), keptDays])
}

import { Ctx, FieldResolver, Float, ObjectType, Resolver, Root } from 'type-graphql'
import { visibleAccounts } from '../../crm/public.ts'
import { baseCurrencyOf } from '../../identity/public.ts'
import { batchOf } from '../../kernel/record/batch.ts'
import { enumeration } from '../../kernel/record/column.ts'
import { OutputField } from '../../kernel/record/declared-value.ts'
import { DateTime } from '../../kernel/record/scalars.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { dateIn, organizationZone } from '../../kernel/time/days.ts'
import { Account } from '../extended-records.ts'
import { accountFacts } from './account-facts.ts'
import { healthOf, type Health, type HealthPartKey } from './account-health.ts'
import { triageDefaults } from './triage-config.ts'
import { areFiguresHidden } from './visible-parts.ts'

const ComputedHealthPartKey = enumeration('ComputedHealthPartKey', 'What the health of an account consists of.', {
  ENGAGEMENT: 'The score of its engagement.',
  SUPPORT: '100 less 25 for each open case that is URGENT or ESCALATED, and 10 for each other open case.',
  PAYMENT: '100 less the overdue share of the open balance.',
  RELATIONSHIP: 'Contacts that were active in 90 days: three with a decision maker are 100.',
  USAGE_OR_RENEWAL:
    'The change of product usage; without usage, whether a deal is open for a renewal within 90 days, the anniversary of the last won deal.',
})

@ObjectType({ description: 'A part of the health of an account.' })
export class ComputedHealthPart {
  @OutputField(() => ComputedHealthPartKey, { description: 'The part.', example: 'SUPPORT' })
  key!: HealthPartKey

  @OutputField(() => Float, { description: 'Its score, 0 to 100.', example: 75 })
  score!: number

  @OutputField(() => Float, {
    description: 'Its share of the health, after parts without data have dropped out.',
    example: 0.2,
  })
  weight!: number

  @OutputField(() => Float, { description: 'What it adds to the health.', example: 15 })
  contribution!: number
}

@ObjectType({
  description:
    'The health of an account, computed from all its data, also those that the caller does not see. It is not the field `healthScore`, which belongs to clients.',
})
export class ComputedHealth {
  @OutputField(() => Float, {
    nullable: true,
    description: 'The health, 0 to 100, the sum of the contributions; null without data.',
    example: 71.4,
  })
  score!: number | null

  @OutputField(() => ComputedHealthPart, { list: true, description: 'The parts with data.' })
  parts!: Health['parts']

  @OutputField(() => DateTime, {
    description: 'When it was computed: the time of the request.',
    example: '2026-11-02T08:15:00.000Z',
  })
  computedAt!: string
}

const noFields: ReadonlySet<string> = new Set()

/** The health of an account that the caller sees; all accounts of an operation are computed together. */
function healthFor(ctx: RequestContext, id: string): Promise<ComputedHealth | null> {
  return batchOf(ctx, noFields, 'account.health', async (ids) => {
    const seen = await visibleAccounts(ctx, ids)
    const now = ctx.clock.now()
    const facts = await accountFacts(ctx.db, {
      organizationId: ctx.caller.organizationId,
      accountIds: [...seen],
      now,
      lookbackDays: triageDefaults.lookbackDays,
      base: await baseCurrencyOf(ctx),
      day: dateIn(await organizationZone(ctx), now),
    })
    const computed = new Map(facts.map((one) => [one.id, { ...healthOf(one), computedAt: now.toISOString() }]))
    return ids.map((one) => computed.get(one) ?? null)
  }).load(id)
}

@Resolver(() => Account)
export class AccountHealthResolver {
  @FieldResolver(() => ComputedHealth, {
    nullable: true,
    description:
      'The computed health of the account; null if the profile hides a field from which it follows, or while it cannot be read.',
  })
  health(@Root() { id }: { readonly id: string }, @Ctx() ctx: RequestContext) {
    return areFiguresHidden(ctx) ? null : healthFor(ctx, id)
  }
}

export const accountHealthResource: Resource = { resolver: AccountHealthResolver, types: [Account] }

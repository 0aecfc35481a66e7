import { Ctx, FieldResolver, Query, Resolver, Root } from 'type-graphql'
import { invalid } from '../../kernel/errors.ts'
import { IdArg } from '../../kernel/record/args.ts'
import { operation } from '../../kernel/record/operation.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { CustomFieldUsage } from './custom-field-usage.types.ts'
import { customField } from './custom-field.record.ts'
import { CustomField } from './custom-field.ts'
import { usesOf } from './field-uses.ts'
import { recentUsers } from './recent-users.ts'

/** Each takes some twenty statements. */
const perRequestMax = 10
const answered = new WeakMap<RequestContext, number>()

function requireFew(ctx: RequestContext): void {
  const count = (answered.get(ctx) ?? 0) + 1
  answered.set(ctx, count)
  if (count <= perRequestMax) return
  const message = `The usage of at most ${perRequestMax} custom fields is answered in one request; read fewer fields, or without usage.`
  throw invalid({ path: 'usage', code: 'NOT_ALLOWED', message })
}

async function usageOf(ctx: RequestContext, { entity, name }: CustomField): Promise<CustomFieldUsage> {
  requireAdministrator(ctx)
  requireFew(ctx)
  return { usedBy: await usesOf(ctx, entity, name), recentUsers: await recentUsers(ctx, entity, name) }
}

const description = `What names the custom field, and who has named it in requests of the last 90 days: what a deletion or a destructive deployment would be refused for. It is read when it is selected only, of at most ${perRequestMax} fields in one request. For owners and admins.`

@Resolver(() => CustomField)
class CustomFieldUsageResolver {
  @FieldResolver(() => CustomFieldUsage, { nullable: true, description: `${description} Null if it is refused.` })
  usage(@Root() root: CustomField, @Ctx() ctx: RequestContext) {
    return usageOf(ctx, root)
  }

  @Query(() => CustomFieldUsage, { nullable: true, description })
  async customFieldUsage(@IdArg() id: string, @Ctx() ctx: RequestContext) {
    requireAdministrator(ctx)
    return usageOf(ctx, await recordsOf(customField).require(ctx, id))
  }
}

export const customFieldUsageResource: Resource = {
  resolver: CustomFieldUsageResolver,
  operations: [
    operation('GET /v1/custom-fields/{id}/usage', 'customFieldUsage', {
      summary: 'Show what uses a custom field',
      answers: 'What names the field, and who.',
      roles: ['OWNER', 'ADMIN'],
    }),
  ],
}

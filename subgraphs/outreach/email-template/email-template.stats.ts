import { Field, Int, ObjectType } from 'type-graphql'
import type { FilterInput } from '../../kernel/record/filter-input.ts'
import { count, countBy } from '../../kernel/record/aggregates.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { figures, type Counts } from '../../kernel/record/stats.ts'
import { valueCounts } from '../../kernel/record/value-counts.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { EmailTemplateCategory, EmailTemplateStatus } from './email-template.enumerations.ts'
import { emailTemplate } from './email-template.record.ts'

const many = 'email templates'
const StatusCounts = valueCounts(EmailTemplateStatus, 'EMAIL_TEMPLATES', many)
const CategoryCounts = valueCounts(EmailTemplateCategory, 'EMAIL_TEMPLATES', many)

@ObjectType({ description: 'Statistics of the live email templates that the caller sees.' })
@RequiresScope('EMAIL_TEMPLATES')
export class EmailTemplateStats {
  @Field(() => Int, { description: 'Number of email templates.' })
  total!: number

  @Field(() => Int, { description: 'Number of email templates that are shared with the organization.' })
  shared!: number

  @Field(() => StatusCounts, { description: 'Number of email templates by `status`.' })
  byStatus!: Counts

  @Field(() => CategoryCounts, { description: 'Number of email templates by `category`.' })
  byCategory!: Counts
}

export async function emailTemplateStats(ctx: RequestContext, filter: FilterInput | null): Promise<EmailTemplateStats> {
  const counts = await figures(
    ctx,
    emailTemplate,
    {
      total: count(),
      shared: count({ isShared: true }),
      byStatus: countBy('status'),
      byCategory: countBy('category'),
    },
    filter,
  )
  return counts as EmailTemplateStats
}

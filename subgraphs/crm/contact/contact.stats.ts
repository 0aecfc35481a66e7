import { Field, Int, ObjectType } from 'type-graphql'
import type { FilterInput } from '../../kernel/record/filter-input.ts'
import { count, countBy } from '../../kernel/record/aggregates.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { figures, type Counts } from '../../kernel/record/stats.ts'
import { valueCounts } from '../../kernel/record/value-counts.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { LeadSource } from '../lead-source.ts'
import { ContactStatus, EmailStatus, LifecycleStage } from './contact.enumerations.ts'
import { contact } from './contact.record.ts'

const ContactStatusCounts = valueCounts(ContactStatus, 'CONTACTS', 'contacts')
const EmailStatusCounts = valueCounts(EmailStatus, 'CONTACTS', 'contacts')
const LifecycleStageCounts = valueCounts(LifecycleStage, 'CONTACTS', 'contacts')
const LeadSourceCounts = valueCounts(LeadSource, 'CONTACTS', 'contacts', 'Contact')

@ObjectType({
  description:
    'Statistics of the live contacts that the caller sees. A value is null if the profile hides a field that it needs.',
})
@RequiresScope('CONTACTS')
export class ContactStats {
  @Field(() => Int, { description: 'Number of contacts.' })
  total!: number

  @Field(() => ContactStatusCounts, { description: 'Number of contacts by `status`.' })
  byStatus!: Counts

  @Field(() => EmailStatusCounts, { description: 'Number of contacts by `emailStatus`.' })
  byEmailStatus!: Counts

  @Field(() => LifecycleStageCounts, {
    nullable: true,
    description: 'Number of contacts by `lifecycleStage`. Null if the profile hides `lifecycleStage`.',
  })
  byLifecycleStage!: Counts | null

  @Field(() => LeadSourceCounts, {
    nullable: true,
    description: 'Number of contacts by `leadSource`. Null if the profile hides `leadSource`.',
  })
  byLeadSource!: Counts | null

  @Field(() => Int, { description: 'Number of contacts with `emailOptOut` true.' })
  emailOptOut!: number

  @Field(() => Int, { description: 'Number of contacts with `doNotCall` true.' })
  doNotCall!: number

  @Field(() => Int, {
    nullable: true,
    description: 'Number of contacts without an account. Null if the profile hides `accountId`.',
  })
  withoutAccount!: number | null
}

export async function contactStats(ctx: RequestContext, filter: FilterInput | null): Promise<ContactStats> {
  return (await figures(
    ctx,
    contact,
    {
      total: count(),
      emailOptOut: count({ emailOptOut: true }),
      doNotCall: count({ doNotCall: true }),
      withoutAccount: count({ accountId: { isNull: true } }),
      byStatus: countBy('status'),
      byEmailStatus: countBy('emailStatus'),
      byLifecycleStage: countBy('lifecycleStage'),
      byLeadSource: countBy('leadSource'),
    },
    filter,
  )) as ContactStats
}

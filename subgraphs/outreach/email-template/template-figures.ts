import { Field, Float, Int, ObjectType } from 'type-graphql'
import { batchOf } from '../../kernel/record/batch.ts'
import { totalsTable } from '../../kernel/record/maintained-totals.ts'
import { computedOver } from '../../kernel/record/predicate.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { shareOf } from '../../kernel/values/share.ts'
import { emailMessage } from '../email/email.record.ts'

const rate = (of: string) => ({
  nullable: true,
  description: `\`${of}\` divided by \`sent\`, 0 to 1 with four decimals; null before the first mail was sent.`,
})

@ObjectType({
  description:
    'Figures of the mails of users and sequences that were made of a template, of all times. Reminders of invoices are in `usageCount` only, because they are not tracked.',
})
@RequiresScope('EMAIL_TEMPLATES')
export class EmailTemplateFigures {
  @Field(() => Int, { description: 'Mails that were sent.' })
  sent!: number

  @Field(() => Int, { description: 'Those of which a delivery was reported.' })
  delivered!: number

  @Field(() => Int, { description: 'Those that a person opened.' })
  opened!: number

  @Field(() => Int, { description: 'Those of which a person followed a link.' })
  clicked!: number

  @Field(() => Int, { description: 'Those with the status REPLIED.' })
  replied!: number

  @Field(() => Int, { description: 'Those with a HARD bounce.' })
  bounced!: number

  @Field(() => Float, rate('opened'))
  openRate!: number | null

  @Field(() => Float, rate('clicked'))
  clickRate!: number | null

  @Field(() => Float, rate('replied'))
  replyRate!: number | null

  @Field(() => Float, rate('bounced'))
  bounceRate!: number | null
}

const measures = ['sent', 'delivered', 'opened', 'clicked', 'replied', 'bounced'] as const
const columns = ['n', ...measures] as const
type Sums = Readonly<Record<(typeof columns)[number], number>>

const noMails = Object.fromEntries(columns.map((name) => [name, 0])) as Sums
const ofTotals: ReadonlySet<string> = new Set()

/** The sums of a template; those of all templates of one operation are read together, from the totals. */
function sumsOf(ctx: RequestContext, templateId: string): Promise<Sums> {
  return batchOf(ctx, ofTotals, 'emailTemplateSums', async (ids) => {
    const predicate = computedOver(ctx)
    const inOrganization = predicate.totals(emailMessage, 't', ['CHANGE', 'GROUP'])
    const rows = await ctx.db.query<Sums & { templateId: string }>(
      `select t.template_id as "templateId", ${columns.map((name) => `sum(t.${name})::int as ${name}`).join(', ')}
       from ${totalsTable(emailMessage)} t
       where ${inOrganization} and t.template_id = any(${predicate.values.add([...new Set(ids)])}::uuid[]) group by t.template_id`,
      predicate.values.list,
    )
    const byId = new Map(rows.map((row) => [row.templateId, row]))
    return ids.map((id) => byId.get(id) ?? noMails)
  }).load(templateId)
}

/** How many mails were made of a template. */
export const usesOfTemplate = async (ctx: RequestContext, templateId: string): Promise<number> =>
  (await sumsOf(ctx, templateId)).n

export async function figuresOfTemplate(ctx: RequestContext, templateId: string): Promise<EmailTemplateFigures> {
  const { sent, delivered, opened, clicked, replied, bounced } = await sumsOf(ctx, templateId)
  return {
    sent,
    delivered,
    opened,
    clicked,
    replied,
    bounced,
    openRate: shareOf(opened, sent),
    clickRate: shareOf(clicked, sent),
    replyRate: shareOf(replied, sent),
    bounceRate: shareOf(bounced, sent),
  }
}

/** Counts a mail of the template that is not a message of a thread, such as a reminder, in the transaction that queues it. */
export async function countTemplateUse({ db, caller }: RequestContext, templateId: string): Promise<void> {
  await db.query(`insert into ${totalsTable(emailMessage)} (organization_id, template_id, n) values ($1, $2, 1)`, [
    caller.organizationId,
    templateId,
  ])
}

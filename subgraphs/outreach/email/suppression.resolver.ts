import { Arg, Ctx, Field, ID, Int, Mutation, ObjectType, Query, Resolver } from 'type-graphql'
import { invalid, notFound } from '../../kernel/errors.ts'
import { enumeration } from '../../kernel/record/column.ts'
import { NamesRecord } from '../../kernel/record/named-records.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { DateTime } from '../../kernel/record/scalars.ts'
import { requireWritableRole } from '../../kernel/record/save.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { parseEmail } from '../../kernel/values/email-address.ts'
import { suppress } from './suppression.ts'
import { suppressionPage, unsuppress } from './suppression-list.ts'

export const SuppressionReasonEnum = enumeration('EmailSuppressionReason', 'Why an address gets no mails.', {
  UNSUBSCRIBED: 'The person unsubscribed.',
  BOUNCED: 'The address does not exist or refuses mails.',
  COMPLAINED: 'The person reported a mail as spam.',
  MANUAL: 'A user added it.',
})

@ObjectType({ description: 'An address to which the organization sends no mails.' })
@RequiresScope('EMAILS')
export class SuppressedAddress {
  @Field(() => String, { description: 'The address.' })
  email!: string

  @Field(() => SuppressionReasonEnum, { description: 'Why it gets no mails.' })
  reason!: string

  @NamesRecord('email')
  @Field(() => ID, { nullable: true, description: 'Id of the mail that led to it; null if none did.' })
  messageId!: string | null

  @Field(() => DateTime, { description: 'When it was added.' })
  createdAt!: string
}

@ObjectType({ description: 'A page of the suppression list.' })
@RequiresScope('EMAILS')
export class SuppressedAddressPage {
  @Field(() => [SuppressedAddress], { description: 'The addresses in alphabetical order.' })
  data!: SuppressedAddress[]

  @Field(() => Int, { description: 'Maximum number of addresses on a page, as requested: 1 to 100.' })
  limit!: number

  @Field(() => Boolean, { description: 'True if more addresses follow after this page.' })
  hasMore!: boolean

  @Field(() => String, {
    nullable: true,
    description: 'The last address of the page, to send as `cursor`; null on the last page.',
  })
  nextCursor!: string | null
}

function addressOf(path: string, text: string): string {
  const email = parseEmail(text)
  if (!email) throw invalid({ path, code: 'NOT_AN_EMAIL', message: `${path} must be an email address.` })
  return email
}

const EmailArg = () => Arg('email', () => String, { description: 'The address.' })

@Resolver()
export class SuppressionResolver {
  @Query(() => SuppressedAddressPage, {
    description:
      'Addresses to which the organization sends no mails, in alphabetical order: all for owners and admins; for others those that they added, and those of contacts and leads whose email they see. A page may have fewer addresses than `limit` although more follow.',
  })
  async emailSuppressionList(
    @Arg('email', () => String, { nullable: true, description: 'Only this address; null: all.' }) email: string | null,
    @Arg('cursor', () => String, {
      nullable: true,
      description: 'The address after which the page begins; null: the first page.',
    })
    cursor: string | null,
    @Arg('limit', () => Int, { defaultValue: 20, description: 'Addresses on a page, 1 to 100.' }) limit: number,
    @Ctx() ctx: RequestContext,
  ): Promise<SuppressedAddressPage> {
    if (limit < 1 || limit > 100)
      throw invalid({ path: 'limit', code: 'OUT_OF_RANGE', message: 'limit must be between 1 and 100.' })
    const only = email == null ? null : addressOf('email', email)
    const after = cursor == null ? '' : addressOf('cursor', cursor)
    const { data, nextCursor } = await suppressionPage(ctx, { only, after, limit })
    return { data, limit, hasMore: nextCursor !== null, nextCursor }
  }

  @Mutation(() => SuppressedAddress, {
    description: 'Adds an address to the suppression list. An address that is on it keeps its reason.',
  })
  @RequiresScope('EMAILS')
  async emailSuppress(@EmailArg() email: string, @Ctx() ctx: RequestContext): Promise<SuppressedAddress> {
    requireWritableRole(ctx)
    const address = addressOf('email', email)
    await suppress(ctx, address, 'MANUAL', null)
    const [row] = await ctx.db.query<SuppressedAddress>(
      `select email, reason, message_id as "messageId", created_at as "createdAt" from outreach.suppressed_address
       where organization_id = $1 and email = $2`,
      [ctx.caller.organizationId, address],
    )
    return row!
  }

  @Mutation(() => String, {
    description:
      'Removes an address from the suppression list, for example because the person asked for mails again. Contacts and leads keep what they say. Owners and admins may remove every address, others those that they added. NOT_FOUND if the list that the caller sees does not have the address.',
  })
  @RequiresScope('EMAILS')
  async emailUnsuppress(@EmailArg() email: string, @Ctx() ctx: RequestContext): Promise<string> {
    requireWritableRole(ctx)
    const address = parseEmail(email)
    if (!address) throw notFound('The address')
    await unsuppress(ctx, address)
    return address
  }
}

export const suppressionResource: Resource = { resolver: SuppressionResolver }

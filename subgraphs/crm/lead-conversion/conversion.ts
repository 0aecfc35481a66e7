import { Field, ID, InputType, ObjectType } from 'type-graphql'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { enumeration } from '../../kernel/record/column.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { DateTime, Decimal } from '../../kernel/record/scalars.ts'
import { Day } from '../../kernel/record/declared-class.ts'
import { dayMeaning } from '../../kernel/record/describe.ts'
import { Account } from '../account/account.ts'
import { Contact } from '../contact/contact.ts'
import { Lead } from '../lead/lead.ts'
import { Opportunity } from '../opportunity/opportunity.ts'

export const DuplicateStrategy = enumeration(
  'DuplicateStrategy',
  'What a conversion does when the contact or the account of the lead may exist already.',
  {
    MATCH_EXISTING: 'Uses the existing record and fills its empty fields. The default.',
    CREATE_NEW: 'Creates new records without looking for existing ones.',
    FAIL: 'Refuses the conversion with DUPLICATE_DETECTED if there is an existing record.',
  },
)
export type DuplicateStrategy = keyof typeof DuplicateStrategy

export const AccountMatch = enumeration('AccountMatch', 'How a conversion found its account.', {
  ID: 'The input named it.',
  OPPORTUNITY: 'It is the account of the opportunity that the input named.',
  DOMAIN: 'It has the domain of the email address or the website of the lead.',
  NAME: 'It has the company of the lead as its name, apart from case, punctuation and legal form.',
  CONTACT: 'It is the account of the contact.',
})
export type AccountMatch = keyof typeof AccountMatch

export const ContactMatch = enumeration('ContactMatch', 'How a conversion found its contact.', {
  ID: 'The input named it.',
  EMAIL: 'It has the email address of the lead.',
})
export type ContactMatch = keyof typeof ContactMatch

@InputType({ description: 'How to convert a lead.' })
export class LeadConvertInput {
  @Field(() => ID, {
    nullable: true,
    description: 'Id of the account to use, a live account that the caller sees; null: it is found or created.',
  })
  accountId?: string | null

  @Field(() => ID, {
    nullable: true,
    description: 'Id of the contact to use, a live contact that the caller sees; null: it is found or created.',
  })
  contactId?: string | null

  @Field(() => ID, {
    nullable: true,
    description:
      'Id of the opportunity to use, a live opportunity that the caller sees with its account, of the account if `accountId` is set. No other opportunity is then created.',
  })
  opportunityId?: string | null

  @Field(() => Boolean, {
    defaultValue: true,
    description: 'Whether to create an opportunity if `opportunityId` is not set. Default: true.',
  })
  createOpportunity!: boolean

  @Field(() => String, {
    nullable: true,
    description:
      'Name of the new opportunity, 1 to 255 characters; null: the company of the lead, or the person without one, and ` - `.',
  })
  opportunityName?: string | null

  @Field(() => Decimal, { nullable: true, description: 'Amount of the new opportunity; null for 0.' })
  amount?: ExactNumber | null

  @Field(() => DateTime, {
    nullable: true,
    description: `Expected close date of the new opportunity; null: 90 days after the conversion. ${dayMeaning('BEGIN')}`,
  })
  @Day('BEGIN')
  closeDate?: string | null

  @Field(() => String, {
    nullable: true,
    description: 'Stage of the new opportunity in the default pipeline; null: the first stage.',
  })
  stage?: string | null

  @Field(() => ID, {
    nullable: true,
    description:
      'Id of the owner of the new records, an active user; null: the owner of the lead, or the caller if that user is not active.',
  })
  ownerId?: string | null

  @Field(() => Boolean, {
    defaultValue: false,
    description: 'Whether the lead source of an existing contact is replaced by that of the lead. Default: false.',
  })
  overwriteLeadSource!: boolean

  @Field(() => Boolean, {
    defaultValue: false,
    description: 'Whether to send a mail to the owner of the new records, unless that is the caller. Default: false.',
  })
  notifyOwner!: boolean

  @Field(() => DuplicateStrategy, {
    defaultValue: 'MATCH_EXISTING',
    description: 'What to do when the contact or the account may exist already. Default: MATCH_EXISTING.',
  })
  duplicateStrategy!: DuplicateStrategy

  @Field(() => Boolean, {
    defaultValue: false,
    description:
      'Whether to answer only what would happen, and to change nothing. Fields of the lead that the profile of the caller hides are then left out, also where existing records are looked for. Default: false.',
  })
  dryRun!: boolean
}

@ObjectType({ description: 'Which records a conversion created.' })
export class ConversionCreated {
  @Field(() => Boolean, { description: 'Whether the account was created.' })
  account!: boolean

  @Field(() => Boolean, { description: 'Whether the contact was created.' })
  contact!: boolean

  @Field(() => Boolean, { description: 'Whether an opportunity was created.' })
  opportunity!: boolean
}

@ObjectType({ description: 'How a conversion found existing records.' })
export class ConversionMatches {
  @Field(() => AccountMatch, { nullable: true, description: 'How the account was found; null if it was created.' })
  account!: AccountMatch | null

  @Field(() => ContactMatch, { nullable: true, description: 'How the contact was found; null if it was created.' })
  contact!: ContactMatch | null
}

@ObjectType({
  description:
    'The result of a conversion. Of a dry run, it is what would happen; the ids of records that would be created are not used later.',
})
@RequiresScope('LEADS')
export class LeadConversion {
  @Field(() => Lead, { description: 'The converted lead.' })
  lead!: Lead

  @Field(() => Account, { description: 'The account that the conversion created or found.' })
  account!: Account

  @Field(() => Contact, { description: 'The contact that the conversion created or found.' })
  contact!: Contact

  @Field(() => Opportunity, { nullable: true, description: 'The opportunity of the conversion; null if it has none.' })
  opportunity!: Opportunity | null

  @Field(() => ConversionCreated, { description: 'Which of the records were created.' })
  created!: ConversionCreated

  @Field(() => ConversionMatches, { description: 'How the other records were found.' })
  matchedBy!: ConversionMatches
}

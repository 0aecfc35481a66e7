import { Float, ID, Int, ObjectType } from 'type-graphql'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { OutputField } from '../../kernel/record/declared-value.ts'
import { NamesRecord } from '../../kernel/record/named-records.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { DateTime, Decimal } from '../../kernel/record/scalars.ts'
import { Customer360Block, Customer360Object, Customer360Polarity, Customer360SignalKey } from './enumerations.ts'

const id = '019a0c5e-7f00-7b52-9d0e-5a4c7e1f3b26'
const time = '2026-11-20T10:40:00.000Z'

@ObjectType({ description: 'A part that could not be read; its content is null.' })
@RequiresScope('CUSTOMER_VIEW')
export class Customer360Warning {
  @OutputField(() => Customer360Block, { description: 'The part.', example: 'INVOICES' })
  block!: string

  @OutputField(() => String, {
    description: 'Why: TIMEOUT if it took longer than 1.5 s, otherwise the code of the refusal.',
    example: 'TIMEOUT',
  })
  code!: string
}

@ObjectType({ description: 'A record that a signal is made of.' })
@RequiresScope('CUSTOMER_VIEW')
export class Customer360Evidence {
  @OutputField(() => Customer360Object, { description: 'Type of the record.', example: 'CASE' })
  object!: string

  @OutputField(() => ID, { description: 'Id of the record, which the caller sees.', example: id })
  id!: string
}

@ObjectType({ description: 'What the figures and records of a customer say about it.' })
@RequiresScope('CUSTOMER_VIEW')
export class Customer360Signal {
  @OutputField(() => Customer360SignalKey, { description: 'What it says.', example: 'CASES_ESCALATED' })
  key!: string

  @OutputField(() => Customer360Polarity, { description: 'Whether it is good.', example: 'NEGATIVE' })
  polarity!: string

  @OutputField(() => Float, {
    description:
      'How strong it is, 0 to 1: a quarter for each record, or by the change of the engagement or the length of the silence.',
    example: 0.5,
  })
  strength!: number

  @OutputField(() => DateTime, { description: 'Since when: the time of its newest record.', example: time })
  detectedAt!: string

  @OutputField(() => Customer360Evidence, {
    list: true,
    maxItems: 5,
    description: 'Records that it is made of, at most five.',
  })
  evidence!: readonly Customer360Evidence[]
}

@ObjectType({ description: 'A contact of the customer, in short.' })
@RequiresScope('CUSTOMER_VIEW')
export class Customer360Contact {
  @OutputField(() => ID, { description: 'Id of the contact.', example: id })
  id!: string

  @OutputField(() => String, { nullable: true, description: 'First and last name.', example: 'Ida Halvorsen' })
  name!: string | null

  @OutputField(() => String, { nullable: true, description: 'Job title; null if none.', example: 'Yard manager' })
  title!: string | null

  @OutputField(() => String, {
    nullable: true,
    description: 'Email address; null if none.',
    example: 'ida@halvorsen-marine.example',
  })
  email!: string | null

  @OutputField(() => String, { nullable: true, description: 'Telephone; null if none.', example: '+47 55 01 02 03' })
  phone!: string | null

  @OutputField(() => String, { nullable: true, description: 'Role in purchases; null if none.', example: 'CHAMPION' })
  buyingRole!: string | null

  @OutputField(() => Boolean, { description: 'Whether it is the primary contact of the account.', example: true })
  isPrimary!: boolean

  @OutputField(() => String, { description: '`status` of the contact.', example: 'ACTIVE' })
  status!: string

  @OutputField(() => Float, {
    nullable: true,
    description: 'Score of the engagement, 0 to 100; null while it cannot be read.',
    example: 62.5,
  })
  engagementScore!: number | null
}

@ObjectType({ description: 'An open deal with the customer, in short.' })
@RequiresScope('CUSTOMER_VIEW')
export class Customer360Deal {
  @OutputField(() => ID, { description: 'Id of the opportunity.', example: id })
  id!: string

  @OutputField(() => String, { description: 'Name of the opportunity.', example: 'Dock scheduling' })
  name!: string

  @OutputField(() => String, { description: 'Its stage.', example: 'PROPOSAL' })
  stage!: string

  @OutputField(() => Decimal, { description: 'Its amount, in its currency.', example: 48000 })
  amount!: ExactNumber

  @OutputField(() => String, { description: 'Currency as ISO 4217 code.', example: 'EUR' })
  currency!: string

  @OutputField(() => Decimal, { description: 'Probability of winning it in percent.', example: 60 })
  probability!: ExactNumber

  @OutputField(() => DateTime, { description: 'When it should close.', example: '2026-12-31T22:59:59.999Z' })
  closeDate!: string

  @OutputField(() => String, { nullable: true, description: 'Its type; null if none.', example: 'RENEWAL' })
  type!: string | null

  @OutputField(() => Float, {
    nullable: true,
    description: 'Its score, 0 to 100; null if the profile hides what it is made of.',
    example: 64.2,
  })
  score!: number | null
}

@ObjectType({ description: 'What the customer owes, in the base currency of the organization.' })
@RequiresScope('CUSTOMER_VIEW')
export class Customer360Invoices {
  @OutputField(() => Decimal, { description: 'Sum of the open amounts.', example: 12400 })
  outstanding!: ExactNumber

  @OutputField(() => Decimal, { description: 'The part of it that is overdue.', example: 2400 })
  overdue!: ExactNumber

  @OutputField(() => String, { description: 'The base currency as ISO 4217 code.', example: 'EUR' })
  currency!: string
}

@ObjectType({ description: 'One entry of the timeline of the customer.' })
@RequiresScope('CUSTOMER_VIEW')
export class Customer360TimelineEntry {
  @OutputField(() => String, { description: 'What it is: `kind` of a timeline entry.', example: 'ACTIVITY' })
  kind!: string

  @OutputField(() => ID, { description: 'Id of the record of the entry; of a payment the invoice.', example: id })
  recordId!: string

  @OutputField(() => DateTime, { description: 'When it happened.', example: time })
  occurredAt!: string

  @OutputField(() => String, { nullable: true, description: 'Subject, name or number; null if none.', example: 'Call' })
  title!: string | null

  @OutputField(() => String, {
    nullable: true,
    description: 'Type of the record, method of a payment or direction of a mail; null if none.',
    example: 'CALL',
  })
  type!: string | null

  @OutputField(() => String, {
    nullable: true,
    description: 'Status of the record, or outcome of an activity; null if none.',
    example: 'CONNECTED',
  })
  status!: string | null

  @NamesRecord('user')
  @OutputField(() => ID, { nullable: true, description: 'Id of the user who did it; null if none.', example: null })
  actorId!: string | null
}

@ObjectType({ description: 'A contract with the customer: a file.' })
@RequiresScope('CUSTOMER_VIEW')
export class Customer360Contract {
  @OutputField(() => ID, { description: 'Id of the document.', example: id })
  id!: string

  @OutputField(() => String, { description: 'Name of the file.', example: 'Master agreement.pdf' })
  name!: string

  @OutputField(() => String, { description: '`format` of the document.', example: 'PDF' })
  format!: string

  @OutputField(() => String, { description: 'Type of the record that it is about.', example: 'ACCOUNT' })
  recordType!: string

  @OutputField(() => ID, { description: 'Id of the account or opportunity that it is about.', example: id })
  recordId!: string

  @OutputField(() => Int, {
    nullable: true,
    description: 'Bytes of the file; null before it has arrived.',
    example: 48_213,
  })
  bytes!: number | null

  @OutputField(() => String, {
    description: 'Path on this server at which the file is downloaded, with the same credentials.',
    example: '/v1/documents/019a0c5e-7f00-7c31-9b52-6d8e0f1a2b43/content',
  })
  contentUrl!: string

  @OutputField(() => DateTime, { description: 'When it was added.', example: time })
  createdAt!: string
}

@ObjectType({ description: 'A quote or order of the customer, in short.' })
@RequiresScope('CUSTOMER_VIEW')
export class Customer360Document {
  @OutputField(() => ID, { description: 'Id of the quote or order.', example: id })
  id!: string

  @OutputField(() => String, { description: 'Its number.', example: 'Q-000123' })
  number!: string

  @OutputField(() => String, {
    nullable: true,
    description: 'Name of the quote; null for an order.',
    example: 'Two yards',
  })
  name!: string | null

  @OutputField(() => String, { description: 'Its status.', example: 'ACCEPTED' })
  status!: string

  @OutputField(() => Decimal, { description: 'Its total, in its currency.', example: 48000 })
  total!: ExactNumber

  @OutputField(() => String, { description: 'Currency as ISO 4217 code.', example: 'EUR' })
  currency!: string

  @OutputField(() => DateTime, { description: 'When it was created.', example: time })
  createdAt!: string
}

const texts = { list: true, maxItems: 6 } as const

@ObjectType({ description: 'What matters about the customer, in words; see `AccountBrief`.' })
@RequiresScope('CUSTOMER_VIEW')
export class Customer360Brief {
  @OutputField(() => String, {
    description: 'The account in a few sentences.',
    example: 'Halvorsen Marine is a customer in Shipping. 1 deal is open.',
  })
  summary!: string

  @OutputField(() => String, { ...texts, description: 'What goes well.', example: ['No case is open.'] })
  highlights!: readonly string[]

  @OutputField(() => String, { ...texts, description: 'What needs attention.', example: ['1 case is escalated.'] })
  risks!: readonly string[]

  @OutputField(() => DateTime, { description: 'When it was written.', example: time })
  generatedAt!: string

  @OutputField(() => String, {
    description: 'Name of the language model that wrote it; `brief-rules-1` for fixed rules.',
    example: 'brief-rules-1',
  })
  model!: string
}

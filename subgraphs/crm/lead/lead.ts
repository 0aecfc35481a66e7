import { Entity } from '@mikro-orm/decorators/legacy'
import { Directive, ID, Int, ObjectType } from 'type-graphql'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { Column } from '../../kernel/record/column.ts'
import { OrgRecord } from '../../kernel/record/org-record.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { DateTime, Decimal } from '../../kernel/record/scalars.ts'
import { emailLengthMax } from '../../kernel/values/email-address.ts'
import { addressLine } from '../address-line.ts'
import { LeadSource } from '../lead-source.ts'
import { lastActivityDate, nextActivityDate } from '../activity-date-columns.ts'
import { LeadRating, LeadStatus } from './lead.enumerations.ts'

@ObjectType({
  description:
    'A person who may become a customer. A conversion turns it into an account, a contact and usually an opportunity. New values of status, leadSource and rating may be added.',
})
@Directive('@key(fields: "id")')
@RequiresScope('LEADS')
@Entity({ schema: 'crm', tableName: 'lead' })
export class Lead extends OrgRecord {
  @Column(() => String, {
    indexed: true,
    writable: 'NEVER',
    description: 'First and last name of the person; empty if neither is known.',
    example: 'Jonas Lindqvist',
  })
  name!: string

  @Column(() => String, {
    default: '',
    max: 100,
    description: 'First name of the person; empty if unknown.',
    example: 'Jonas',
  })
  firstName!: string

  @Column(() => String, {
    indexed: true,
    default: '',
    max: 100,
    description:
      'Last name of the person; empty if unknown. A lead has at least one of `lastName`, `company` and `email`.',
    example: 'Lindqvist',
  })
  lastName!: string

  @Column(() => String, {
    indexed: true,
    nullable: true,
    max: emailLengthMax,
    isEmail: true,
    description:
      'Email address as it was entered; null if unknown. A conversion looks for the contact with this address; upper and lower case make no difference.',
    example: 'jonas@nordkaj.example',
  })
  email!: string | null

  @Column(() => String, {
    nullable: true,
    max: 50,
    description: 'Telephone number as it was entered; null if unknown.',
    example: '+46 31 712 20 09',
  })
  phone!: string | null

  @Column(() => String, {
    nullable: true,
    max: 50,
    description: 'Mobile telephone number as it was entered; null if unknown.',
    example: null,
  })
  mobilePhone!: string | null

  @Column(() => String, {
    indexed: true,
    nullable: true,
    max: 255,
    description: 'Name of the company where the person works; null if unknown.',
    example: 'Nordkaj Terminal AB',
  })
  company!: string | null

  @Column(() => String, {
    nullable: true,
    max: 255,
    description: 'Job title of the person; null if unknown.',
    example: 'Terminal Manager',
  })
  title!: string | null

  @Column(() => LeadStatus, {
    indexed: true,
    readAsString: true,
    default: 'NEW',
    description:
      'How far the work on the lead has come. NEW, CONTACTED, QUALIFIED and NURTURING can follow each other freely and lead to UNQUALIFIED, from which only NEW is possible. CONVERTED is set only by a conversion.',
    example: 'CONTACTED',
  })
  status!: LeadStatus

  @Column(() => LeadSource, {
    indexed: true,
    readAsString: true,
    default: 'OTHER',
    description: 'How the organization first met the person.',
    example: 'WEBINAR',
  })
  leadSource!: LeadSource

  @Column(() => LeadRating, {
    indexed: true,
    nullable: true,
    readAsString: true,
    description:
      'Sales rating. Unless a client sets it, it follows from `leadScore`: HOT from 70, WARM from 40, otherwise COLD, and null without a score. Null as an input makes it automatic again.',
    example: 'HOT',
  })
  rating!: LeadRating | null

  @Column(() => Boolean, {
    writable: 'NEVER',
    description: 'True if a client has set `rating`, so that it does not follow from `leadScore`.',
    example: false,
  })
  ratingOverridden!: boolean

  @Column(() => Int, {
    indexed: true,
    nullable: true,
    minimum: 0,
    maximum: 100,
    description: 'How likely the person will buy, from 0 to 100; null if unknown. Only a client changes it.',
    example: 78,
  })
  leadScore!: number | null

  @Column(() => String, {
    nullable: true,
    max: 2048,
    description: 'Web address of the company; null if unknown.',
    example: 'https://nordkaj.example',
  })
  website!: string | null

  @Column(() => String, {
    indexed: true,
    nullable: true,
    max: 100,
    description: 'Industry of the company in the words of the organization; null if unknown.',
    example: 'Logistics',
  })
  industry!: string | null

  @Column(() => Int, {
    nullable: true,
    minimum: 0,
    maximum: 2_000_000_000,
    description: 'Number of employees of the company; null if unknown.',
    example: 85,
  })
  numberOfEmployees!: number | null

  @Column(() => Decimal, {
    nullable: true,
    description: 'Annual revenue of the company, as an amount without a currency; null if unknown.',
    example: 9200000,
  })
  annualRevenue!: ExactNumber | null

  @Column(() => String, addressLine(255, 'Street and number of the', 'Hamngatan 3'))
  street!: string | null

  @Column(() => String, addressLine(100, 'City of the', 'Gothenburg'))
  city!: string | null

  @Column(() => String, addressLine(100, 'State or province of the', null))
  state!: string | null

  @Column(() => String, addressLine(20, 'Postal code of the', '411 14'))
  postalCode!: string | null

  @Column(() => String, { indexed: true, ...addressLine(100, 'Country of the', 'Sweden') })
  country!: string | null

  @Column(() => String, {
    nullable: true,
    max: 20_000,
    description: 'What the person is interested in, as free text; null if none.',
    example: 'Asked for digital checklists for two cranes.',
  })
  description!: string | null

  @Column(() => String, {
    nullable: true,
    max: 255,
    description: 'Why the lead is UNQUALIFIED; null if no reason is given. A move back to NEW clears it.',
    example: null,
  })
  unqualifiedReason!: string | null

  @Column(() => DateTime, {
    nullable: true,
    writable: 'NEVER',
    description: 'When the status first became CONTACTED or QUALIFIED; null before.',
    example: '2026-11-02T10:40:00.000Z',
  })
  firstResponseAt!: string | null

  @Column(() => DateTime, lastActivityDate('lead'))
  lastActivityDate!: string | null

  @Column(() => DateTime, nextActivityDate('lead'))
  nextActivityDate!: string | null

  @Column(() => DateTime, {
    indexed: true,
    nullable: true,
    writable: 'NEVER',
    description: 'When the lead was converted; null before.',
    example: null,
  })
  convertedAt!: string | null

  @Column(() => ID, {
    nullable: true,
    writable: 'NEVER',
    description: 'Id of the user who converted the lead; null before.',
    example: null,
    user: { field: 'convertedBy', description: 'The user who converted the lead; null if `convertedById` is null.' },
  })
  convertedById!: string | null

  @Column(() => ID, {
    indexed: true,
    nullable: true,
    writable: 'NEVER',
    description: 'Id of the account that the conversion created or found; null before.',
    example: null,
  })
  convertedAccountId!: string | null

  @Column(() => ID, {
    indexed: true,
    nullable: true,
    writable: 'NEVER',
    description: 'Id of the contact that the conversion created or found; null before.',
    example: null,
  })
  convertedContactId!: string | null

  @Column(() => ID, {
    indexed: true,
    nullable: true,
    writable: 'NEVER',
    description: 'Id of the opportunity of the conversion; null before, and if the conversion had none.',
    example: null,
  })
  convertedOpportunityId!: string | null

  @Column(() => Boolean, { description: 'True if the person does not want marketing emails.', example: false })
  emailOptOut!: boolean

  @Column(() => Boolean, { description: 'True if the person must not be called.', example: false })
  doNotCall!: boolean
}

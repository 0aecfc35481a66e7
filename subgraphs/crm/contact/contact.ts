import { Entity } from '@mikro-orm/decorators/legacy'
import { Directive, Float, ID, ObjectType } from 'type-graphql'
import { Column } from '../../kernel/record/column.ts'
import { NamesRecord } from '../../kernel/record/named-records.ts'
import { OrgRecord } from '../../kernel/record/org-record.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { DateTime } from '../../kernel/record/scalars.ts'
import { StructureColumn } from '../../kernel/record/structure.ts'
import { emailLengthMax } from '../../kernel/values/email-address.ts'
import { addressLine } from '../address-line.ts'
import { LeadSource } from '../lead-source.ts'
import { Consent } from './consent.ts'
import { lastActivityDate, nextActivityDate } from '../activity-date-columns.ts'
import { BuyingRole, ContactStatus, EmailStatus, LifecycleStage, Seniority } from './contact.enumerations.ts'

@ObjectType({ description: 'A person with whom the organization does business, usually at an account.' })
@Directive('@key(fields: "id")')
@RequiresScope('CONTACTS')
@Entity({ schema: 'crm', tableName: 'contact' })
export class Contact extends OrgRecord {
  @Column(() => String, {
    indexed: true,
    nullable: true,
    writable: 'NEVER',
    derivedFrom: ['firstName'],
    description: 'First and last name of the person.',
    example: 'Ingrid Halvorsen',
  })
  name!: string | null

  @Column(() => String, {
    nullable: true,
    max: 50,
    description: 'How the person is addressed before the name; null if unknown.',
    example: 'Ms.',
  })
  salutation!: string | null

  @Column(() => String, {
    nullable: true,
    max: 100,
    description: 'First name of the person; null if unknown.',
    example: 'Ingrid',
  })
  firstName!: string | null

  @Column(() => String, {
    indexed: true,
    max: 100,
    filled: true,
    description: 'Last name of the person.',
    example: 'Halvorsen',
  })
  lastName!: string

  @Column(() => String, {
    indexed: true,
    nullable: true,
    max: emailLengthMax,
    isEmail: true,
    description:
      'Email address as it was entered; null if unknown. Upper and lower case and surrounding spaces make no difference where contacts are matched. It is unique among the live contacts if the organization setting `uniqueContactEmail` is true.',
    example: 'ingrid@halvorsen-marine.example',
  })
  email!: string | null

  @Column(() => String, { nullable: true, internal: true })
  normalizedEmail!: string | null

  @Column(() => [String], {
    max: emailLengthMax,
    isEmail: true,
    maxItems: 20,
    filled: true,
    description: 'Further email addresses of the person; empty if none are known.',
    example: ['ingrid.halvorsen@mail.example'],
  })
  secondaryEmails!: string[]

  @Column(() => EmailStatus, {
    indexed: true,
    default: 'UNKNOWN',
    description: 'Whether emails reach the person. Only a client changes it.',
    example: 'VALID',
  })
  emailStatus!: EmailStatus

  @Column(() => String, {
    nullable: true,
    max: 50,
    description: 'Telephone number as it was entered; null if unknown.',
    example: '+46 8 465 004 18',
  })
  phone!: string | null

  @Column(() => String, {
    nullable: true,
    max: 50,
    description: 'Mobile telephone number as it was entered; null if unknown.',
    example: '+46 70 174 06 52',
  })
  mobilePhone!: string | null

  @Column(() => String, {
    nullable: true,
    max: 255,
    description: 'Job title of the person; null if unknown.',
    example: 'Head of Fleet Operations',
  })
  title!: string | null

  @Column(() => String, {
    nullable: true,
    max: 100,
    description: 'Department of the company in which the person works; null if unknown.',
    example: 'Operations',
  })
  department!: string | null

  @Column(() => Seniority, {
    indexed: true,
    nullable: true,
    description: 'Rank of the person in the company; null if unknown.',
    example: 'DIRECTOR',
  })
  seniority!: Seniority | null

  @Column(() => ID, {
    indexed: true,
    nullable: true,
    description: 'Id of the account where the person works, a live account that the caller sees; null if none.',
    example: '019a0c5e-7f00-7b52-9d0e-5a4c7e1f3b26',
  })
  accountId!: string | null

  @Column(() => ID, {
    indexed: true,
    nullable: true,
    description:
      'Id of the contact to whom the person reports, a live contact that the caller sees; null if unknown. Nobody can report to themselves, directly or through others.',
    example: null,
  })
  reportsToId!: string | null

  @Column(() => BuyingRole, {
    indexed: true,
    nullable: true,
    description: 'Part that the person plays in decisions to buy; null if unknown.',
    example: 'DECISION_MAKER',
  })
  buyingRole!: BuyingRole | null

  @Column(() => Boolean, {
    indexed: true,
    isSeldomTrue: true,
    description:
      'True for the primary contact of the account. An account has at most one: when a contact becomes primary, the former one ceases to be. Needs `accountId`. A contact that is deleted or moves to another account ceases to be primary.',
    example: false,
  })
  isPrimary!: boolean

  @Column(() => LeadSource, {
    indexed: true,
    nullable: true,
    description: 'How the organization first met the person; null if unknown.',
    example: 'EVENT',
  })
  leadSource!: LeadSource | null

  @Column(() => LifecycleStage, {
    indexed: true,
    nullable: true,
    description:
      'How far the person has come on the way to a customer; null if not classified. Only a client changes it.',
    example: 'CUSTOMER',
  })
  lifecycleStage!: LifecycleStage | null

  @Column(() => String, addressLine(255, 'Street and number of the mailing', 'Skeppsbron 14'))
  mailingStreet!: string | null

  @Column(() => String, { indexed: true, ...addressLine(100, 'City of the mailing', 'Gothenburg') })
  mailingCity!: string | null

  @Column(() => String, addressLine(100, 'State or province of the mailing', null))
  mailingState!: string | null

  @Column(() => String, addressLine(20, 'Postal code of the mailing', '411 21'))
  mailingPostalCode!: string | null

  @Column(() => String, { indexed: true, ...addressLine(100, 'Country of the mailing', 'Sweden') })
  mailingCountry!: string | null

  @Column(() => String, {
    nullable: true,
    max: 2048,
    description: 'Web address of the profile at LinkedIn; null if unknown.',
    example: 'https://www.linkedin.com/in/ingrid-halvorsen-example',
  })
  linkedinUrl!: string | null

  @Column(() => String, {
    nullable: true,
    max: 100,
    description: 'Time zone of the person as IANA name; null if unknown.',
    example: 'Europe/Stockholm',
  })
  timezone!: string | null

  @Column(() => String, {
    nullable: true,
    max: 35,
    description: 'Preferred language of the person, for example as BCP 47 tag; null if unknown.',
    example: 'sv',
  })
  language!: string | null

  @Column(() => Boolean, { description: 'True if the person must not be called.', example: false })
  doNotCall!: boolean

  @Column(() => Boolean, {
    description:
      'True if the person does not want marketing emails. Also true as long as `emailStatus` is UNSUBSCRIBED; false sets that status to UNKNOWN.',
    example: false,
  })
  emailOptOut!: boolean

  @StructureColumn(() => Consent, {
    nullable: true,
    description: 'Whether the person has agreed to be contacted; null if nothing is recorded.',
    example: {
      status: 'GRANTED',
      lawfulBasis: 'GDPR Art. 6(1)(a)',
      source: 'Form at the Nor-Shipping fair',
      recordedAt: '2026-11-02T08:15:00.000Z',
    },
  })
  consent!: Consent | null

  @Column(() => Float, {
    indexed: true,
    nullable: true,
    minimum: 0,
    maximum: 100,
    description:
      'How actively the person engages, from 0 (not at all) to 100; null if unknown. Only a client changes it.',
    example: 64,
  })
  engagementScore!: number | null

  @Column(() => DateTime, lastActivityDate('contact'))
  lastActivityDate!: string | null

  @Column(() => DateTime, nextActivityDate('contact'))
  nextActivityDate!: string | null

  @Column(() => DateTime, {
    indexed: true,
    nullable: true,
    description:
      'When somebody of the organization last contacted the person; null if unknown. Only a client changes it.',
    example: '2026-10-28T13:00:00.000Z',
  })
  lastContactedAt!: string | null

  @NamesRecord('lead')
  @Column(() => ID, {
    indexed: true,
    nullable: true,
    writable: 'NEVER',
    description: 'Id of the lead whose conversion created the contact; null if none did.',
    example: null,
  })
  convertedFromLeadId!: string | null

  @Column(() => ContactStatus, {
    indexed: true,
    default: 'ACTIVE',
    description: 'Whether the contact is in use. Only a client changes it.',
    example: 'ACTIVE',
  })
  status!: ContactStatus
}

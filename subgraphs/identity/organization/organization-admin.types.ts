import { Field, InputType, Int, ObjectType } from 'type-graphql'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { Json } from '../../kernel/record/scalars.ts'
import type { BusinessHours } from '../../kernel/time/working-week.ts'
import { logoBytesMax, logoPixelsMax } from '../seller/logo-image.ts'
import {
  holidaysMax,
  instructionsMax,
  optionalAssistantModes,
  postalAddressMax,
  spansMax,
  taxIdMax,
} from './settings.rules.ts'

@ObjectType('OrganizationSettings', { description: 'Settings of the organization for all its users.' })
@RequiresScopes('SESSION')
export class OrganizationSettingsType {
  @Field(() => Boolean, {
    description: 'Whether status changes of a case that its state machine does not allow are refused.',
  })
  enforceCaseTransitions!: boolean

  @Field(() => Boolean, {
    description:
      'Whether an email of a contact that another live contact of the organization has is refused. Contacts that already share an email are kept.',
  })
  uniqueContactEmail!: boolean

  @Field(() => Boolean, { description: 'Whether an opportunity can be lost only with a `lossReason`.' })
  requireLossReason!: boolean

  @Field(() => Boolean, { description: 'Whether a quote can be sent only after its approval.' })
  requireQuoteApproval!: boolean

  @Field(() => Boolean, { description: 'Whether users cannot allow apps that registered themselves to act for them.' })
  refuseSelfRegisteredApps!: boolean

  @Field(() => String, {
    nullable: true,
    description:
      'How customers pay, such as bank details: printed on invoices and their public pages; null if not set.',
  })
  paymentInstructions!: string | null

  @Field(() => String, {
    nullable: true,
    description:
      'Postal address of the organization in lines: printed on invoices and their public pages; null if not set.',
  })
  postalAddress!: string | null

  @Field(() => String, {
    nullable: true,
    description:
      'Tax id of the organization, such as its VAT number: printed on invoices and their public pages; null if not set.',
  })
  taxId!: string | null

  @Field(() => String, {
    nullable: true,
    description:
      'Colour of the organization on its public pages, documents and mails to customers, such as `#1f4e79`; null if not set.',
  })
  brandColor!: string | null

  @Field(() => String, {
    nullable: true,
    description:
      'Logo of the organization on its public pages, documents and mails to customers, as a data URL; null if not set.',
  })
  logo!: string | null

  @Field(() => Json, { nullable: true, description: 'Working hours for due dates; null: every hour counts.' })
  businessHours!: BusinessHours | null

  @Field(() => String, { description: 'IANA time zone name.' })
  timezone!: string

  @Field(() => Int, {
    description: 'Month in which the fiscal year begins, 1 to 12. The fiscal year 2026 is the one that begins in 2026.',
  })
  fiscalYearStartMonth!: number

  @Field(() => [String], {
    description:
      'Modes in which the assistant does not answer messages of conversations in this organization. Without `model`, nothing else of the organization is sent to its provider either.',
  })
  disabledAssistantModes!: readonly string[]

  @Field(() => String, {
    description:
      'ISO 4217 code of the currency into which sums over several currencies are converted; `baseCurrencySet` changes it.',
  })
  baseCurrency!: string
}

@InputType({ description: 'Changes of the organization; absent fields are not changed.' })
export class OrganizationUpdateInput {
  @Field(() => String, {
    nullable: true,
    description: 'Name of the organization, 1 to 255 characters, not only white space.',
  })
  name?: string | null

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether to refuse status changes that the state machine of cases does not allow.',
  })
  enforceCaseTransitions?: boolean | null

  @Field(() => Boolean, {
    nullable: true,
    description:
      'Whether to refuse an email of a contact that another live contact of the organization has, with 409 `UNIQUE_VIOLATION`. Contacts that already share an email are kept. Default: false.',
  })
  uniqueContactEmail?: boolean | null

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether to refuse to lose an opportunity without `lossReason`.',
  })
  requireLossReason?: boolean | null

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether to refuse to send a quote that is not approved. Default: false.',
  })
  requireQuoteApproval?: boolean | null

  @Field(() => Boolean, {
    nullable: true,
    description:
      'Whether to refuse that users allow apps that registered themselves (`OAUTH_REGISTRATION=open`) to act for them. Apps that were allowed before can be revoked under connected apps. Default: false.',
  })
  refuseSelfRegisteredApps?: boolean | null

  @Field(() => String, {
    nullable: true,
    description: `How customers pay, such as bank details, at most ${instructionsMax} characters: printed on invoices and their public pages; null for nothing.`,
  })
  paymentInstructions?: string | null

  @Field(() => String, {
    nullable: true,
    description: `Postal address of the organization, at most ${postalAddressMax} characters with its line breaks, of which six lines are printed: on invoices and their public pages; null for nothing.`,
  })
  postalAddress?: string | null

  @Field(() => String, {
    nullable: true,
    description: `Tax id of the organization, such as its VAT number, at most ${taxIdMax} characters: printed on invoices and their public pages; null for nothing.`,
  })
  taxId?: string | null

  @Field(() => String, {
    nullable: true,
    description:
      'Colour of the organization on its public pages, documents and mails to customers: `#` and six hexadecimal digits; null for the usual one.',
  })
  brandColor?: string | null

  @Field(() => String, {
    nullable: true,
    description: `Logo of the organization on its public pages, documents and mails to customers: a PNG (8 bits, not interlaced) or JPEG as a data URL, at most ${logoBytesMax} bytes and ${logoPixelsMax} pixels; null for none. What the picture does not need, such as comments and the place of a photo, is not stored.`,
  })
  logo?: string | null

  @Field(() => Json, {
    nullable: true,
    description: `Working hours as \`{timezone, days, holidays}\`: spans of local time by weekday, at most ${spansMax} a day, and at most ${holidaysMax} holidays; null: every hour counts. At a daylight-saving change, a skipped hour counts zero and a repeated hour counts twice. Due dates are at most ten years ahead. If no weekday has a span, every hour counts.`,
  })
  businessHours?: BusinessHours | null

  @Field(() => String, { nullable: true, description: 'Time zone as IANA name, at most 100 characters; null for UTC.' })
  timezone?: string | null

  @Field(() => Int, {
    nullable: true,
    description: 'Month in which the fiscal year begins, 1 to 12; null for 1.',
  })
  fiscalYearStartMonth?: number | null

  @Field(() => [String], {
    nullable: true,
    description: `Modes in which the assistant must not answer messages of conversations, of ${optionalAssistantModes.join(', ')}; null for none. A message that wants one gets 400 \`MODE_DISABLED\`; without \`model\`, messages that want no mode are answered by \`local\`, and summaries, briefs, mails and AI workflows are written by fixed rules too: nothing is sent to the provider.`,
  })
  disabledAssistantModes?: string[] | null
}

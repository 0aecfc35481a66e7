import { Field, Float, ID, Int, ObjectType } from 'type-graphql'
import { organizationSettings } from '../../identity/public.ts'
import { enumeration } from '../../kernel/record/column.ts'
import { NamesRecord } from '../../kernel/record/named-records.ts'
import { readReference } from '../../kernel/record/read.ts'
import { recordType } from '../../kernel/record/record-registry.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { DateTime } from '../../kernel/record/scalars.ts'
import { notAnswered, type RequestContext } from '../../kernel/request.ts'
import { alpha, bestHour, flatRate, nextMoment, smoothed, weekOf } from './best-hour.ts'
import { requireContact } from './history.ts'
import { sentToAccount, sentToAll, sentToContact } from './sent-mails.ts'

export const SendTimeSource = enumeration('SmartEmailSendTimeSource', 'Whose mails a time to send was learned from.', {
  CONTACT: 'Mails to the contact: there are at least 5.',
  SEGMENT: 'Mails to contacts of the same account: there are at least 20.',
  ORG: 'All mails of the organization; also without any.',
})
export type SendTimeSource = keyof typeof SendTimeSource

export const SendTimeDay = enumeration('SmartEmailSendTimeDay', 'A day of the week.', {
  MONDAY: 'The first day of the week.',
  TUESDAY: 'The second day of the week.',
  WEDNESDAY: 'The third day of the week.',
  THURSDAY: 'The fourth day of the week.',
  FRIDAY: 'The fifth day of the week.',
  SATURDAY: 'The sixth day of the week.',
  SUNDAY: 'The last day of the week.',
})
export type SendTimeDay = keyof typeof SendTimeDay
const days = Object.keys(SendTimeDay) as SendTimeDay[]

@ObjectType({ description: 'When a mail to a contact is most likely to be opened and answered.' })
@RequiresScope('EMAILS')
export class SmartEmailSendTime {
  @NamesRecord('contact')
  @Field(() => ID, { description: 'Id of the contact.' })
  contactId!: string

  @Field(() => Int, { description: 'The hour of the day in the time zone, 0 to 23.' })
  bestHour!: number

  @Field(() => SendTimeDay, { description: 'The day of the week in the time zone.' })
  bestDayOfWeek!: SendTimeDay

  @Field(() => String, {
    description:
      'Time zone as IANA name: that of the contact, or that of the organization if it is unknown or hidden from the caller; otherwise UTC.',
  })
  timezone!: string

  @Field(() => DateTime, { description: 'When this hour begins next.' })
  nextSuggestedAt!: string

  @Field(() => Float, {
    description: `How far mails of the source decided it, 0 to 1: n ÷ (n + ${alpha}) with n mails of the source at this hour of the week.`,
  })
  confidence!: number

  @Field(() => Int, { description: 'Number of mails of the source.' })
  sampleSize!: number

  @Field(() => SendTimeSource, { description: 'Whose mails it was learned from.' })
  source!: SendTimeSource
}

const contactMin = 5
const segmentMin = 20
const contactFields = new Set(['timezone', 'accountId'])

/**
 * The hour of the week with the highest (opens by people + 3 · replies + α · prior) ÷ (sends + α) in the time zone of the recipients. The prior of
 * a contact or an account is the value of the organization at this hour, and that of the organization its rate of all hours.
 */
export async function sendTimeOf(ctx: RequestContext, given: string): Promise<SmartEmailSendTime> {
  const contactId = await requireContact(ctx, given)
  const contact = await readReference(notAnswered(ctx), recordType('contact')(), contactId, contactFields)
  const { timezone: ownZone = 'UTC' } = await organizationSettings(ctx)
  const timezone = (contact?.['timezone'] as string | null) ?? ownZone
  const accountId = (contact?.['accountId'] as string | null) ?? null
  const [all, ofContact] = [
    weekOf(await sentToAll(ctx, ownZone)),
    weekOf(await sentToContact(ctx, contactId, timezone)),
  ]
  const prior = smoothed(all, flatRate(all))
  const ofAccount =
    ofContact.total < contactMin && accountId !== null ? weekOf(await sentToAccount(ctx, accountId, ownZone)) : null
  const [source, week] =
    ofContact.total >= contactMin
      ? (['CONTACT', ofContact] as const)
      : ofAccount && ofAccount.total >= segmentMin
        ? (['SEGMENT', ofAccount] as const)
        : (['ORG', all] as const)
  const hour = bestHour(source === 'ORG' ? prior : smoothed(week, prior), week)
  const mails = week.sends[hour]!
  return {
    contactId,
    bestHour: hour % 24,
    bestDayOfWeek: days[Math.floor(hour / 24)]!,
    timezone,
    nextSuggestedAt: nextMoment(ctx.clock.now(), hour, timezone).toISOString(),
    confidence: Math.round((mails / (mails + alpha)) * 100) / 100,
    sampleSize: week.total,
    source,
  }
}

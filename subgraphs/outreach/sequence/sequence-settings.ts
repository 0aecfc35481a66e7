import { Int } from 'type-graphql'
import { Part, Structure } from '../../kernel/record/structure.ts'
import { Weekday } from './sequence.enumerations.ts'

@Structure(
  'SequenceSettings',
  'When mails of a sequence are sent, and what ends an enrollment. Tasks, webhooks and conditions are executed at any time.',
)
export class SequenceSettings {
  @Part(() => String, {
    default: 'RECIPIENT',
    max: 100,
    filled: true,
    description:
      'Time zone of the send window: RECIPIENT, SENDER, or the IANA name of a zone. RECIPIENT is the zone of the contact, or that of the sender if it is unknown, as for leads; without either it is that of the organization.',
    example: 'RECIPIENT',
  })
  timezone!: string

  @Part(() => [Weekday], {
    default: ['MON', 'TUE', 'WED', 'THU', 'FRI'],
    maxItems: 7,
    description: 'Days on which mails are sent; at least one, each once.',
    example: ['MON', 'TUE', 'WED', 'THU', 'FRI'],
  })
  sendDays!: Weekday[]

  @Part(() => String, {
    default: '09:00',
    max: 5,
    description: 'Local time from which mails are sent, HH:MM.',
    example: '09:00',
  })
  sendStart!: string

  @Part(() => String, {
    default: '17:00',
    max: 5,
    description:
      'Local time before which mails are sent, HH:MM, later than sendStart and at most 24:00. A mail that is due outside of the window is sent when the next one begins.',
    example: '17:00',
  })
  sendEnd!: string

  @Part(() => Boolean, {
    default: true,
    description: 'Whether no mail is sent on the holidays of the business hours of the organization.',
    example: true,
  })
  skipHolidays!: boolean

  @Part(() => Int, {
    default: 200,
    minimum: 1,
    maximum: 1000,
    description:
      'Most mails of sequences that one sender sends on one day of its time zone; the mails of all its sequences count. A mail beyond it is sent in the next window.',
    example: 200,
  })
  dailyLimitPerSender!: number

  @Part(() => Boolean, {
    default: true,
    description:
      'Whether the mails of an enrollment are one thread. If false, only steps with replyInThread continue the thread.',
    example: true,
  })
  threadReplies!: boolean

  @Part(() => Boolean, {
    default: true,
    description: 'Whether a reply of the person ends the enrollment.',
    example: true,
  })
  stopOnReply!: boolean

  @Part(() => Boolean, {
    default: true,
    description: 'Whether a meeting that is logged with the person ends the enrollment.',
    example: true,
  })
  stopOnMeeting!: boolean

  @Part(() => Boolean, { default: true, description: 'Whether a hard bounce ends the enrollment.', example: true })
  stopOnBounce!: boolean

  @Part(() => Boolean, {
    default: true,
    description:
      'Whether an unsubscription or a complaint ends the enrollment. If false, its other steps go on; the person gets no mail in any case.',
    example: true,
  })
  stopOnUnsubscribe!: boolean

  @Part(() => [String], {
    default: [],
    max: 63,
    maxItems: 50,
    filled: true,
    description:
      'Stages: an enrollment of a contact ends when an opportunity with the contact as its primary contact enters one of them. Empty: none.',
    example: ['CLOSED_WON'],
  })
  stopOnOpportunityStage!: string[]

  @Part(() => Boolean, {
    default: false,
    description: 'Whether a reply also ends the enrollments of other people of the same account in this sequence.',
    example: false,
  })
  stopCompanyOnReply!: boolean
}

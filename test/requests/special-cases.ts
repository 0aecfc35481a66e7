import { newId } from '../../subgraphs/kernel/ids.ts'
import { createUser } from '../../subgraphs/identity/public.ts'
import { invite } from '../../subgraphs/identity/invitation/invitation.ts'
import { issueToken } from '../../subgraphs/identity/one-time-token/one-time-token.ts'
import { issueCode } from '../../subgraphs/identity/one-time-token/reset-code.ts'
import { customEventType } from '../../subgraphs/events/custom-event-type/custom-event-type.record.ts'
import { recordsOf } from '../../subgraphs/kernel/record/records-of.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { enrollmentBodies, enrollmentPreparations, enrollmentQueries, enrollmentsOnce } from './enrollments.ts'
import { newSession } from './session.ts'
import type { Member, Platform } from '../platform.ts'

/** The platform and the member that send the requests. */
interface Requests {
  readonly platform: Platform
  readonly member: Member
}

let days = 0

/** A day that no other request names. */
const freshDay = (): string => new Date(++days * 86_400_000).toISOString().slice(0, 10)

/** Values of fields whose rules a schema cannot express, by field name. */
export const valuesOfField: Readonly<Record<string, () => unknown>> = {
  smtpHost: () => 'smtp.example.com',
  imapHost: () => 'imap.example.com',
  smtpPort: () => 465,
  imapPort: () => 993,
  smtpSecurity: () => 'TLS',
  imapSecurity: () => 'TLS',
  smtpPassword: () => 'Correct horse 7!',
  imapPassword: () => 'Correct horse 7!',
  mailboxId: () => null,
  email: () => `u${newId()}@example.com`,
  secondaryEmails: () => `u${newId()}@example.com`,
  ipAllowList: () => '203.0.113.0/24',
  password: () => 'Correct horse 7!',
  timezone: () => 'Europe/Oslo',
  profileId: () => null,
  businessHours: () => ({ timezone: 'Europe/Oslo', days: { MON: [['09:00', '17:00']] }, holidays: ['2027-12-24'] }),
  fields: () => ({ account: { annualRevenue: 'HIDDEN' } }),
  currency: () => 'EUR',
  baseCurrency: () => 'USD',
  date: () => freshDay(),
  currentPassword: () => 'Correct horse 7!',
  newPassword: () => 'Better horse 8!',
  locale: () => 'en-GB',
  avatar: () => 'https://pictures.example.com/ann.png',
  language: () => 'en-GB',
  bodyHtml: () => '<p>Hello {{contact.firstName | there}}</p>',
  bodyText: () => 'Hello {{contact.firstName | there}}',
  variables: () => ({ name: 'offer.deadline' }),
  relatedToType: () => null,
  relatedToId: () => null,
  recurrenceRule: () => 'FREQ=WEEKLY;BYDAY=MO',
  occurredAt: () => '2026-03-04T05:06:07.000Z',
  participants: () => ({ type: 'EMAIL', email: 'ida@example.com' }),
  redirectUris: () => 'https://app.example.com/callback',
  stage: () => 'PROPOSAL',
  discountAmount: () => 0,
  discountType: () => null,
  discountValue: () => null,
  shippingTotal: () => 0,
  issueDate: () => '2001-02-03T00:00:00.000Z',
  to: () => 'ines.duarte@example.com',
  toEmails: () => 'ines.duarte@example.com',
  ccEmails: () => 'ida.berg@example.com',
  threadId: () => null,
  inReplyToMessageId: () => null,
  dealId: () => null,
  cc: () => 'ida.berg@example.com',
  from: () => 'ines.duarte@example.com',
  templateId: () => null,
  endpoint: () => `https://push.example.com/send/${newId()}`,
  p256dh: () => 'BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8',
  auth: () => 'BTBZMqHH6r4Tts7J_aSIgg',
  url: () => 'https://erp.example.com/hooks/crm',
  headers: () => ({ 'X-Api-Token': '6f1c2d' }),
  namedCredentialId: () => null,
  selection: () => 'fragment Webhook on Order { orderNumber }',
  apiName: () => `t_${newId().replaceAll('-', '')}`,
  schema: () => ({ type: 'object', properties: { minutes: { type: 'integer' } } }),
  entityTypes: () => 'LEAD',
  sendDays: () => 'MON',
  sendStart: () => '09:00',
  sendEnd: () => '17:00',
}

/** Lists whose items depend on each other, by field name. */
export const valuesOfList: Readonly<Record<string, () => unknown[]>> = {
  stages: () => [
    { name: 'PROPOSAL', label: 'Proposal', kind: 'OPEN', probability: 50, forecastCategory: 'BEST_CASE' },
    { name: 'SIGNED', label: 'Signed', kind: 'WON', probability: 100, forecastCategory: 'CLOSED' },
    { name: 'DECLINED', label: 'Declined', kind: 'LOST', probability: 0, forecastCategory: 'OMITTED' },
  ],
  events: () => ['order.created', 'order.updated'],
  conditions: () => [{ field: 'status', operator: 'CHANGED_TO', value: 'CONFIRMED' }],
  fields: () => ['status'],
}

/** The record type of reference fields whose name does not end with it. */
export const typeOfReference: Readonly<Record<string, string>> = { reportsToId: 'contact', customerId: 'account' }

/** Fields with rules beyond their schema, so not every value that the schema allows is accepted: of all operations, or of one. */
export const fieldsWithRules: ReadonlySet<string> = new Set([
  'smtpHost',
  'imapHost',
  'smtpPort',
  'imapPort',
  'smtpSecurity',
  'imapSecurity',
  'smtpUser',
  'imapUser',
  'smtpPassword',
  'imapPassword',
  'webhookTest.type',
  'webhookListenTrigger.type',
  'apiName',
  'auth',
  'avatar',
  'baseCurrency',
  'code',
  'conditions',
  'currency',
  'currentPassword',
  'ccEmails',
  'data',
  'dealId',
  'inReplyToMessageId',
  'scheduledAt',
  'sendAt',
  'threadId',
  'toEmails',
  'date',
  'deviceToken',
  'daysOverdue',
  'discountAmount',
  'discountType',
  'discountValue',
  'businessHours',
  'dueDate',
  'email',
  'excludeAccountIds',
  'fee',
  'emailSend.subject',
  'replyDraftUpdate.status',
  'replyDraftUpdate.subject',
  'emailTemplateCreate.subject',
  'emailTemplateReplace.subject',
  'emailTemplateUpdate.subject',
  'emailCategories',
  // One line, without spaces at its ends.
  'smartEmailCompose.subject',
  'smartEmailDraftCreate.subject',
  'smartEmailDraftUpdate.subject',
  'end',
  'endedAt',
  'endpoint',
  'entityTypes',
  'events',
  'expiresAt',
  'fields',
  'amount',
  'forecastCategory',
  'headers',
  'ipAllowList',
  'isPrimary',
  'issueDate',
  'level',
  'listPrice',
  'bodyHtml',
  'bodyText',
  'language',
  'locale',
  'variables',
  'namedCredentialId',
  'origin',
  'p256dh',
  'password',
  'probability',
  'organizationCode',
  'organizationId',
  'occurredAt',
  'minimumAmount',
  'paidAt',
  'participants',
  'recurrenceRule',
  'redirectUris',
  'refundedAt',
  'relatedToType',
  'refreshToken',
  'isDefault',
  'kind',
  'schema',
  'secondaryEmails',
  'selection',
  'sendDays',
  'sendEnd',
  'sendStart',
  'sequenceStepAdd.position',
  'sequenceStepAdd.subject',
  'sequenceStepAdd.type',
  'sequenceStepChange.bodyHtml',
  'sequenceStepChange.subject',
  'stage',
  'stages',
  'stepIds',
  'steps',
  'shippingTotal',
  'start',
  'time',
  'timezone',
  'to',
  'token',
  'url',
  'webhookUrl',
])

/** Values of enumerated fields that only an operation of their own sets, such as the conversion of a lead. */
export const setByOperations: Readonly<Record<string, readonly unknown[]>> = { status: ['CONVERTED'] }

/** A person who can sign in to the organization of the requests. */
async function aPerson({ platform, member: { organizationId } }: Requests) {
  const [email, password] = [`u${newId()}@example.com`, 'Correct horse 7!']
  const wanted = { email, password, name: 'Ann Lee', role: 'MEMBER', visibility: 'OWN' } as const
  const { id: userId } = await createUser(platform.services, organizationId, wanted)
  const [row] = await platform.query<{ id: string }>('select id from identity.person where email = $1', [email])
  return { email, password, organizationId, userId, personId: row!.id }
}

/** The token or code that a mail would contain. */
async function mailedToken(requests: Requests, purpose: 'VERIFY_EMAIL' | 'MAGIC_LINK'): Promise<{ token: string }> {
  const { email, personId } = await aPerson(requests)
  const { token } = await issueToken(systemContext(requests.platform.services, ''), purpose, { email, personId })
  return { token }
}

async function mailedCode(requests: Requests): Promise<{ email: string; code: string }> {
  const { email, personId } = await aPerson(requests)
  const { code } = await issueCode(systemContext(requests.platform.services, ''), { email, personId })
  return { email, code }
}

/** Valid queries of operations that consume a mailed one-time token. */
export const queries: Readonly<Record<string, (requests: Requests) => Promise<Record<string, string>>>> = {
  authVerifyEmail: (requests) => mailedToken(requests, 'VERIFY_EMAIL'),
  authMagicLink: (requests) => mailedToken(requests, 'MAGIC_LINK'),
  emailStatusReceive: async ({ member }) => ({ api_key: member.secret }),
  emailInboundReceive: async ({ member }) => ({ api_key: member.secret }),
  ...enrollmentQueries,
}

/** Values of placeholders that name no record. */
export const placeholders: Readonly<Record<string, string>> = {
  meeting_provider: 'zoom',
  apiName: 'machine_stopped',
  type: 'lead.created',
  paymentId: '019a0c5e-7f00-7d41-8b2e-6f1a9c3e5d70',
}

const lineId = '019a0c5e-7f00-7e11-9c3d-4a6b8f2d1e07'
const aLine = `[{"id": "${lineId}", "productId": null, "sku": null, "name": "Onboarding", "description": null,
  "quantity": 1, "unitPrice": 100, "listPrice": null, "discountPercent": 0, "discountAmount": 0, "taxRate": 0, "lineTotal": 100,
  "discountShare": 0, "taxAmount": 0, "billingFrequency": "ONE_TIME", "startDate": null, "endDate": null, "sortOrder": 0,
  "quantityFulfilled": 0, "quantityInvoiced": 0}]`

/** Gives a quote or an order a line and a status, as if operations had led to it. */
const documentIn =
  (table: string) =>
  (status: string) =>
  async ({ platform }: Requests, id: string): Promise<void> => {
    await platform.query(
      `update commerce.${table} set status = $2, line_items = $3, subtotal = 100, total = 100 where id = $1`,
      [id, status, aLine],
    )
  }

const quoteIn = documentIn('quote')
const orderIn = documentIn('"order"')

/** A delivery of the webhook that has failed. */
async function aDelivery(
  { platform, member: { organizationId } }: Requests,
  id: string,
  { deliveryId }: Readonly<Record<string, string>>,
): Promise<void> {
  await platform.query(
    `insert into events.delivery (organization_id, id, webhook_id, first_id, event_id, event_type, event_version, attempt, status,
       request_headers, request_body, latency_ms, error, is_replay, is_test)
     values ($1, $2, $3, $2, $2, 'account.created', 1, 1, 'FAILED', '{}', '{}', 5, 'The connection was refused.', false, false)`,
    [organizationId, deliveryId, id],
  )
}

const paymentId = '019a0c5e-7f00-7d41-8b2e-6f1a9c3e5d70'
const aPayment = `[{"id": "${paymentId}", "invoiceId": "${lineId}", "amount": 10, "currency": "USD", "method": "CARD", "reference": null,
  "paidAt": "2026-03-04T05:06:07.000Z", "note": null, "recordedById": null, "status": "SUCCEEDED", "refundedAmount": 0}]`

/** Gives an invoice a customer, a line and a status, as if operations had led to it; one that is paid in part has a payment. */
const invoiceIn =
  (status: string) =>
  async ({ platform }: Requests, id: string): Promise<void> => {
    const paid = status === 'PARTIALLY_PAID' ? 10 : 0
    await platform.query(
      `update commerce.invoice set status = $2, line_items = $3, subtotal = 100, total = 100, amount_paid = $4::numeric, amount_due = 100 - $4::numeric,
         customer_id = id, account_id = id, payments = $5::jsonb, issue_date = '2026-01-05', due_date = '2026-02-04',
         invoice_number = case when $2 = 'DRAFT' then null else left(id::text, 20) end where id = $1`,
      [id, status, aLine, paid, paid > 0 ? aPayment : '[]'],
    )
  }

/** Gives the member a notification with this id, because no operation creates one. */
async function aNotification({ platform, member }: Requests, id: string): Promise<void> {
  await platform.query(
    `insert into events.notification (organization_id, id, user_id, event_key, category, title, body, priority, group_key, event_id,
       in_app, email, push, created_at)
     values ($1, $2, $3, 'task.assigned', 'ASSIGNMENTS', 'A task was assigned to you', '', 'NORMAL', 'task.assigned', $2,
       'SENT', 'SUPPRESSED', 'SUPPRESSED', now())`,
    [member.organizationId, id, member.userId],
  )
}

/** A thread of mails with this id, because no operation creates one without sending a mail. */
async function aThread({ platform, member }: Requests, id: string): Promise<void> {
  await platform.query(
    `insert into outreach.email_thread (organization_id, id, owner_id, subject, status, custom_fields, version, created_at, updated_at)
     values ($1, $2, $3, 'Dock slots', 'OPEN', '{}', 1, now(), now())`,
    [member.organizationId, id, member.userId],
  )
}

/** A mail that was sent, in a thread of its own. */
async function aMessage(requests: Requests): Promise<string> {
  const [threadId, id] = [newId(), newId()]
  await aThread(requests, threadId)
  await requests.platform.query(
    `insert into outreach.email_message (organization_id, id, owner_id, thread_id, direction, kind, from_email, to_emails, subject, body_text, status,
       custom_fields, version, created_at, updated_at)
     values ($1, $2, $3, $4, 'OUTBOUND', 'MAIL', 'crm@platform.example', '{ines.duarte@example.com}', 'Dock slots', 'Hello', 'SENT', '{}', 1, now(), now())`,
    [requests.member.organizationId, id, requests.member.userId, threadId],
  )
  return id
}

/** A suggested reply with this id, in a thread of its own. */
async function aReplyDraft(
  { platform, member }: Requests,
  newRecord: string,
  path: Record<string, string> = {},
): Promise<void> {
  const id = path['draftId'] ?? newRecord
  const [threadId, messageId] = [newId(), newId()]
  await aThread({ platform, member }, threadId)
  await platform.query(
    `insert into outreach.email_message (organization_id, id, owner_id, thread_id, direction, kind, from_email, to_emails, subject, body_text, status,
       custom_fields, version, created_at, updated_at)
     values ($1, $2, $3, $4, 'INBOUND', 'MAIL', 'ines.duarte@example.com', '{crm@platform.example}', 'Dock slots', 'When?', 'DELIVERED', '{}', 1, now(), now())`,
    [member.organizationId, messageId, member.userId, threadId],
  )
  await platform.query(
    `insert into outreach.reply_draft (organization_id, id, owner_id, status, thread_id, reply_to_message_id, subject, body_html, confidence, reason,
       expires_at, custom_fields, version, created_at, updated_at)
     values ($1, $2, $3, 'PENDING', $4, $5, 'Re: Dock slots', '<p>Soon</p>', 45, 'The mail asks a question.', '2099-01-01', '{}', 1, now(), now())`,
    [member.organizationId, id, member.userId, threadId, messageId],
  )
}

/** Gives a draft what it needs to be sent, and the status. */
const draftIn =
  (status: string) =>
  async ({ platform }: Requests, id: string): Promise<void> => {
    await platform.query(
      `update outreach.smart_email_draft set status = $2, to_emails = '{ines.duarte@example.com}', subject = 'Dock slots',
         body_html = '<p>Hello</p>', body_text = 'Hello', scheduled_at = '2027-03-04', next_attempt_at = '2027-03-04', timezone = 'UTC'
       where id = $1`,
      [id, status],
    )
  }

/** Gives a draft a variant, because the first call writes them and stores them. */
async function withVariants({ platform, member }: Requests, id: string): Promise<void> {
  const variant = { tone: 'CONCISE', subject: 'Slots', bodyHtml: '<p>When?</p>', bodyText: 'When?', model: 'local' }
  await platform.query(
    `insert into outreach.smart_email_variant (organization_id, draft_id, variants) values ($1, $2, $3) on conflict do nothing`,
    [member.organizationId, id, JSON.stringify([{ ...variant, generatedAt: '2027-01-01T00:00:00.000Z' }])],
  )
}

async function aSuppressedAddress({ platform, member }: Requests): Promise<string> {
  const email = `u${newId()}@example.com`
  await platform.query(
    `insert into outreach.suppressed_address (organization_id, email, reason, created_at) values ($1, $2, 'MANUAL', now())`,
    [member.organizationId, email],
  )
  return email
}

const stepId = '019a0c5e-7f00-7d11-9c55-02c4d6e8f013'

/** Gives a sequence a step; the one with this id belongs to the sequence that was prepared last. */
const stepOfSequence =
  (idOf: () => string) =>
  async ({ platform, member }: Requests, sequenceId: string): Promise<void> => {
    await platform.query(
      `insert into outreach.sequence_step (organization_id, id, owner_id, sequence_id, position, type, delay_days, delay_hours, delay_from,
         custom_fields, version, created_at, updated_at)
       values ($1, $2, $3, $4, 1, 'WAIT', 1, 0, 'PREVIOUS_STEP', '{}', 1, now(), now())
       on conflict (organization_id, id) do update set sequence_id = excluded.sequence_id`,
      [member.organizationId, idOf(), member.userId, sequenceId],
    )
  }

/** What the new record of a path needs before the operation accepts it. It may set the values of placeholders. */
export const preparations: Readonly<
  Record<string, (requests: Requests, id: string, path: Record<string, string>) => Promise<void>>
> = {
  emailThread: aThread,
  emailThreadClose: aThread,
  emailThreadMarkRead: aThread,
  emailThreadList: async (requests) => {
    for (let row = 0; row < 2; row++) await aThread(requests, newId())
  },
  replyDraft: aReplyDraft,
  replyDraftUpdate: aReplyDraft,
  replyDraftDelete: aReplyDraft,
  replyDraftSend: aReplyDraft,
  replyDraftList: async (requests) => {
    for (let row = 0; row < 2; row++) await aReplyDraft(requests, newId())
  },
  emailSuppressionList: async (requests) => {
    for (let row = 0; row < 2; row++) await aSuppressedAddress(requests)
  },
  emailUnsuppress: async (requests, _id, path) => {
    path['email'] = await aSuppressedAddress(requests)
  },
  smartEmailDraftSend: draftIn('DRAFT'),
  smartEmailDraftUnschedule: draftIn('SCHEDULED'),
  smartEmailDraftVariants: withVariants,
  webhookDelivery: aDelivery,
  webhookDeliveryList: async (requests, id) => {
    for (let row = 0; row < 2; row++) await aDelivery(requests, id, { deliveryId: newId() })
  },
  webhookDeliveryReplay: aDelivery,
  notificationList: async (requests) => {
    for (let row = 0; row < 2; row++) await aNotification(requests, newId())
  },
  ...enrollmentPreparations,
  notificationRead: aNotification,
  notificationDelete: aNotification,
  sequenceToggle: stepOfSequence(newId),
  sequenceStepReorder: stepOfSequence(() => stepId),
  quoteSubmit: quoteIn('DRAFT'),
  quoteRecall: quoteIn('IN_REVIEW'),
  quoteApprove: quoteIn('IN_REVIEW'),
  quoteReject: quoteIn('IN_REVIEW'),
  quoteSend: quoteIn('DRAFT'),
  quoteRevise: quoteIn('SENT'),
  quoteConvert: quoteIn('ACCEPTED'),
  orderConfirm: orderIn('DRAFT'),
  orderProcess: orderIn('CONFIRMED'),
  orderFulfill: orderIn('PROCESSING'),
  orderCancel: orderIn('CONFIRMED'),
  orderReturn: orderIn('FULFILLED'),
  invoiceSend: invoiceIn('DRAFT'),
  invoicePayment: invoiceIn('SENT'),
  invoiceRecordPayment: invoiceIn('SENT'),
  invoiceRefundPayment: invoiceIn('PARTIALLY_PAID'),
  invoiceVoid: invoiceIn('SENT'),
  invoiceMarkUncollectible: invoiceIn('OVERDUE'),
  invoiceDispute: invoiceIn('SENT'),
  invoiceRemind: invoiceIn('OVERDUE'),
  invoiceFromOrderById: orderIn('CONFIRMED'),
}

/** Paths below which records of another path are named. */
export const recordsOfPath: Readonly<Record<string, string>> = {
  '/v1/quota-forecast/deals': '/v1/deals',
  '/v1/sequences/{id}/enroll/bulk': '/v1/sequences',
  '/v1/sequences/{id}/enroll': '/v1/sequences',
  '/v1/invoices/from-order': '/v1/orders',
  '/v1/smart-email/history': '/v1/contacts',
  '/v1/smart-email/send-time': '/v1/contacts',
}

/** Operations that need another party to succeed; separate tests provide it. */
export const needsOtherParty: ReadonlySet<string> = new Set([
  'appInstallation',
  'authMeetingCallback',
  'connectedApp',
  'connectedAppDelete',
  'connectedAppUpdate',
  // Its body names a mail that was sent.
  'emailStatusReceive',
  'meetingDisconnect',
])

/** Operations whose valid request is accepted only once. */
export const acceptedOnlyOnce: ReadonlySet<string> = new Set([
  'authAcceptPartnerInvite',
  'authChangePassword',
  'authResetPassword',
  ...enrollmentsOnce,
  'quoteApprove',
  'quoteReject',
  'sequenceArchive',
  'leadConvert',
  'invoiceFromOrder',
  'invoiceFromOrderById',
  'invoiceMarkUncollectible',
  'invoiceRefundPayment',
  'invoiceRemind',
  'invoiceVoid',
  'orderCancel',
  'orderFulfill',
  'orderReturn',
  'smartEmailDraftSend',
  'smartEmailDraftUnschedule',
])

/** The custom event type with this name, whose payload has the property `minutes`. */
async function customEventTypeNamed(
  { services }: Platform,
  { organizationId }: Member,
  apiName: string,
): Promise<void> {
  const ctx = systemContext(services, organizationId)
  const [known] = await ctx.db.query(
    'select from events.custom_event_type where organization_id = $1 and api_name = $2 and deleted_at is null',
    [organizationId, apiName],
  )
  if (known) return
  await recordsOf(customEventType).create(ctx, {
    apiName,
    label: 'Machine stopped',
    publishAccess: 'MEMBERS',
    schema: { type: 'object', properties: { minutes: { type: 'integer' } } },
  })
}

const wholePayment = {
  amount: 1,
  currency: null,
  method: 'CARD',
  reference: 'SEPA 1',
  paidAt: null,
  note: 'Thanks.',
  allowOverpayment: false,
}

/** Valid bodies of operations that need more than records, for example a person who can sign in, or a token. */
export const bodies: Readonly<Record<string, (requests: Requests, whole: boolean) => Promise<object>>> = {
  async customEventPublish({ platform, member }) {
    await customEventTypeNamed(platform, member, placeholders['apiName']!)
    return { data: { minutes: 12 } }
  },
  notificationPreferencesUpdate: async (_requests, whole) =>
    whole
      ? {
          events: { 'task.assigned': { inApp: true, email: false, push: false } },
          quietHours: { enabled: true, start: '22:00', end: '07:00', timezone: 'Europe/Oslo', followProfile: false },
          digest: { enabled: true, time: '08:00', timezone: 'Europe/Oslo', followProfile: false },
          emailCategories: { TASKS: false },
        }
      : {},
  emailSend: async (_requests, whole) => ({
    to: ['ines.duarte@example.com'],
    subject: 'Dock slots',
    bodyHtml: '<p>Hello</p>',
    ...(whole && { cc: ['ida.berg@example.com'], bodyText: 'Hello', trackOpens: true, trackClicks: true }),
  }),
  smartEmailDraftSchedule: async (_requests, whole) => ({
    scheduledAt: '2027-03-04T05:06',
    ...(whole && { sendAt: '2027-03-04T05:06', timezone: 'Europe/Oslo' }),
  }),
  emailStatusReceive: async (requests) => ({
    messageId: await aMessage(requests),
    event: 'DELIVERED',
    timestamp: '2027-01-01T00:00:00.000Z',
  }),
  ...enrollmentBodies,
  sequenceStepAdd: async (_requests, whole) => ({
    type: 'EMAIL',
    subject: 'Dock slots',
    bodyHtml: '<p>Hello {{contact.firstName | there}}</p>',
    ...(whole && {
      name: 'First mail',
      position: 1,
      delayDays: 1,
      delayHours: 2,
      delayFrom: 'ENROLLMENT',
      replyInThread: true,
      isActive: true,
    }),
  }),
  sequenceStepChange: async (_requests, whole) =>
    whole
      ? {
          name: 'First mail',
          subject: 'Dock slots',
          bodyHtml: '<p>Hello</p>',
          delayDays: 1,
          delayHours: 2,
          isActive: false,
        }
      : {},
  sequenceStepReorder: async () => ({ stepIds: [stepId] }),
  quoteSend: async () => ({ to: 'ines.duarte@example.com' }),
  webhookTest: async () => ({ type: 'account.created' }),
  webhookListenTrigger: async () => ({ type: 'account.created' }),
  webhookRecover: async () => ({ since: '2027-01-01T00:00:00.000Z' }),
  invoicePayment: async (_requests, whole) => (whole ? wholePayment : { amount: 1 }),
  invoiceRecordPayment: async (_requests, whole) => (whole ? wholePayment : { amount: 1 }),
  invoiceRefundPayment: async (_requests, whole) => (whole ? { amount: 1, reason: 'Twice.', refundedAt: null } : {}),
  async invoiceFromOrder(requests, whole) {
    const { body } = await requests.member.rest.orderCreate!({ body: {} })
    await orderIn('CONFIRMED')(requests, body.id as string)
    return { orderId: body.id, ...(whole && { lineItems: [{ lineItemId: lineId, quantity: 1 }] }) }
  },
  async dunningUpdate({ member }, whole) {
    if (!whole) return {}
    const { body } = await member.rest.accountCreate!({ body: { name: 'Excluded' } })
    return {
      enabled: false,
      gracePeriodDays: 4,
      minimumAmount: 5,
      sendTime: '08:15',
      timezone: 'Europe/Oslo',
      skipWeekends: true,
      stopOnPartialPayment: true,
      pauseWhileDisputed: true,
      excludeAccountIds: [body.id],
      steps: [{ level: 1, daysOverdue: 3, tone: 'FIRM', fee: { type: 'FIXED', value: 5 } }],
      interestRatePercent: 2,
      markUncollectibleAfterDays: 90,
    }
  },
  async authRegister(_requests, whole) {
    const needed = { email: valuesOfField['email']!(), password: 'Correct horse 7!' }
    return whole
      ? {
          ...needed,
          name: 'Ann',
          firstName: 'Ann',
          lastName: 'Lee',
          company: 'Acme',
          origin: 'https://app.example.com',
        }
      : needed
  },
  async authLogin(requests, whole) {
    const { email, password, organizationId } = await aPerson(requests)
    return whole ? { email, password, organizationId } : { email, password }
  },
  async authRefresh({ platform, member }) {
    const { refreshToken } = await newSession(platform, member)
    return { refreshToken }
  },
  async oauthAppCreate(_requests, whole) {
    const needed = {
      name: `App ${newId()}`,
      scopes: ['READ_ACCOUNTS'],
      redirectUris: ['https://app.example.com/callback'],
    }
    return whole
      ? { ...needed, type: 'PUBLIC', description: 'Syncs.', rateLimit: { limit: 10, window: 'HOUR' } }
      : needed
  },
  orderFulfill: async (_requests, whole) => (whole ? { lines: [{ lineItemId: lineId, quantity: 1 }] } : {}),
  authVerifyResetCode: mailedCode,
  async authResetPassword(requests) {
    return { ...(await mailedCode(requests)), newPassword: 'Better horse 8!' }
  },
  async authAcceptPartnerInvite({ platform, member: { organizationId, userId: invitedById } }) {
    const ctx = systemContext(platform.services, organizationId)
    const email = `u${newId()}@example.com`
    const knownAs = { name: 'Ann', firstName: null, lastName: null }
    const { id: userId } = await invite(ctx, { email, role: 'MEMBER', visibility: 'OWN', knownAs })
    const [person] = await platform.query<{ id: string }>('select id from identity.person where email = $1', [email])
    const data = { userId, role: 'MEMBER', invitedById }
    const { token } = await issueToken(ctx, 'INVITATION', { email, personId: person!.id, organizationId, data })
    return { token, password: 'Correct horse 7!', firstName: 'Ann', lastName: 'Lee' }
  },
}

const partsOfStep = {
  tags: ['stand'],
  variants: [{ id: stepId, weight: 1, subject: 'Dock slots', bodyHtml: '<p>Hello</p>' }],
  task: { subject: 'Call', priority: 'HIGH', description: 'Ask about berths.', dueInDays: 1 },
  condition: { conditions: [], logic: 'AND', onTrueStepId: stepId, onFalseStepId: stepId },
}

/** Parts that no valid body of an operation has together, for the tests of the values in them. */
export const exclusiveParts: Readonly<Record<string, object>> = {
  sequenceStepAdd: partsOfStep,
  sequenceStepChange: partsOfStep,
}

/** Makes room for the next request of an operation that a limit would refuse. */
export const makeRoom: Readonly<
  Record<string, (requests: Requests, path: Readonly<Record<string, string>>) => Promise<void>>
> = {
  sequenceStepAdd: async ({ platform }, { id }) => {
    await platform.query('delete from outreach.sequence_step where sequence_id = $1', [id])
  },
}

/** The caller of operations that require a password. */
export const credentials: Readonly<Record<string, (requests: Requests) => Promise<Record<string, string>>>> = {
  async authChangePassword(requests) {
    const { accessToken } = await newSession(requests.platform, await aPerson(requests))
    return { Authorization: `Bearer ${accessToken}` }
  },
}

import { newId } from '../../subgraphs/kernel/ids.ts'
import { createUser } from '../../subgraphs/identity/public.ts'
import { invite } from '../../subgraphs/identity/invitation/invitation.ts'
import { issueToken } from '../../subgraphs/identity/one-time-token/one-time-token.ts'
import { issueCode } from '../../subgraphs/identity/one-time-token/reset-code.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
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
  to: () => 'ines.duarte@example.com',
  cc: () => 'ida.berg@example.com',
  from: () => 'ines.duarte@example.com',
  templateId: () => null,
  url: () => 'https://erp.example.com/hooks/crm',
  headers: () => ({ 'X-Api-Token': '6f1c2d' }),
  namedCredentialId: () => null,
  selection: () => 'fragment Webhook on Order { orderNumber }',
}

/** Lists whose items depend on each other, by field name. */
export const valuesOfList: Readonly<Record<string, () => unknown[]>> = {
  stages: () => [
    { name: 'PROPOSAL', label: 'Proposal', kind: 'OPEN', probability: 50, forecastCategory: 'BEST_CASE' },
    { name: 'SIGNED', label: 'Signed', kind: 'WON', probability: 100, forecastCategory: 'CLOSED' },
    { name: 'DECLINED', label: 'Declined', kind: 'LOST', probability: 0, forecastCategory: 'OMITTED' },
  ],
  events: () => ['order.created', 'order.updated'],
  fields: () => ['status'],
}

/** The record type of reference fields whose name does not end with it. */
export const typeOfReference: Readonly<Record<string, string>> = { reportsToId: 'contact' }

/** Fields with rules beyond their schema, so not every value that the schema allows is accepted: of all operations, or of one. */
export const fieldsWithRules: ReadonlySet<string> = new Set([
  'avatar',
  'baseCurrency',
  'code',
  'currency',
  'currentPassword',
  'date',
  'deviceToken',
  'discountAmount',
  'discountType',
  'discountValue',
  'businessHours',
  'email',
  'emailTemplateCreate.subject',
  'emailTemplateReplace.subject',
  'emailTemplateUpdate.subject',
  'endedAt',
  'events',
  'expiresAt',
  'fields',
  'amount',
  'forecastCategory',
  'headers',
  'ipAllowList',
  'isPrimary',
  'listPrice',
  'bodyHtml',
  'bodyText',
  'language',
  'locale',
  'variables',
  'namedCredentialId',
  'origin',
  'password',
  'probability',
  'organizationCode',
  'organizationId',
  'occurredAt',
  'participants',
  'recurrenceRule',
  'redirectUris',
  'relatedToType',
  'refreshToken',
  'isDefault',
  'kind',
  'secondaryEmails',
  'selection',
  'stage',
  'stages',
  'shippingTotal',
  'timezone',
  'to',
  'token',
  'url',
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
}

/** Values of placeholders that name no record. */
export const placeholders: Readonly<Record<string, string>> = { meeting_provider: 'zoom' }

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

/** What the new record of a path needs before the operation accepts it. */
export const preparations: Readonly<Record<string, (requests: Requests, id: string) => Promise<void>>> = {
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
}

/** Paths below which records of another path are named. */
export const recordsOfPath: Readonly<Record<string, string>> = { '/v1/quota-forecast/deals': '/v1/deals' }

/** Operations that need another party to succeed; separate tests provide it. */
export const needsOtherParty: ReadonlySet<string> = new Set([
  'appInstallation',
  'authMeetingCallback',
  'connectedApp',
  'connectedAppDelete',
  'connectedAppUpdate',
  'meetingDisconnect',
])

/** Operations whose valid request is accepted only once. */
export const acceptedOnlyOnce: ReadonlySet<string> = new Set([
  'authAcceptPartnerInvite',
  'authChangePassword',
  'authResetPassword',
  'quoteApprove',
  'quoteReject',
  'leadConvert',
  'orderCancel',
  'orderFulfill',
  'orderReturn',
])

/** Valid bodies of operations that need more than records, for example a person who can sign in, or a token. */
export const bodies: Readonly<Record<string, (requests: Requests, whole: boolean) => Promise<object>>> = {
  quoteSend: async () => ({ to: 'ines.duarte@example.com' }),
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

/** The caller of operations that require a password. */
export const credentials: Readonly<Record<string, (requests: Requests) => Promise<Record<string, string>>>> = {
  async authChangePassword(requests) {
    const { accessToken } = await newSession(requests.platform, await aPerson(requests))
    return { Authorization: `Bearer ${accessToken}` }
  },
}

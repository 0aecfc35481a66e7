import { newId } from '../../subgraphs/kernel/ids.ts'
import { createUser } from '../../subgraphs/identity/public.ts'
import { invite } from '../../subgraphs/identity/invitation/invitation.ts'
import { issueToken } from '../../subgraphs/identity/one-time-token/one-time-token.ts'
import { issueCode } from '../../subgraphs/identity/one-time-token/reset-code.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { appBodies, appPreparations } from './apps.ts'
import { enrollmentBodies, enrollmentPreparations, enrollmentQueries, enrollmentsOnce } from './enrollments.ts'
import { aiBodies, aiOnce, aiPreparations } from './ai-workflows.ts'
import { commerceBodies, commercePreparations } from './commerce.ts'
import { actionBodies, actionsWithForms } from './custom-actions.ts'
import { documentBodies, documentCredentials, documentPreparations } from './documents.ts'
import { engagementBodies } from './engagement.ts'
import { customEventName, eventBodies, eventPreparations } from './events.ts'
import { credentialBodies, credentialsWithForms } from './named-credentials.ts'
import { bulkBodies, bulkCredentials, bulkParts, bulkPreparations } from './bulk-jobs.ts'
import { fileBodies, filePreparations } from './files.ts'
import { functionBodies, functionPreparations, functionsOnce, functionsWithForms } from './functions.ts'
import { valuesOfField } from './field-values.ts'
import { insightBodies, insightParts, insightPreparations } from './insights.ts'
import { outreachBodies, outreachParts, outreachPreparations } from './outreach.ts'
import { forecastBodies, quotaBodies, quotaPreparations } from './quotas.ts'
import type { Sender } from './sender.ts'
import { proposalPreparations, proposalsOnce } from './proposals.ts'
import { triageBodies, triageOnce, triageParts, triagePreparations } from './triage.ts'
import { hookBodies } from './hooks.ts'
import { triggerBodies } from './triggers.ts'
import { customFieldBodies, customFieldParts, customFieldPreparations } from './custom-fields.ts'
import { customObjectBodies, customObjectParts } from './custom-objects.ts'
import { mergeBodies, merges } from './merges.ts'
import { flowBodies, flowPreparations, flowsOnce } from './flows.ts'
import { layoutBodies } from './layouts.ts'
import { pageBodies } from './pages.ts'
import { duplicateRuleBodies } from './duplicate-rules.ts'
import { validationRuleBodies } from './validation-rules.ts'
import { metadataBodies, metadataOnce, metadataPreparations } from './metadata.ts'
import { workflowBodies, workflowPreparations, workflowsOnce } from './workflows.ts'
import { newSession } from './session.ts'
import { undoBodies, undoPreparations } from './undo.ts'

/** A person who can sign in to the organization of the requests. */
async function aPerson({ platform, member: { organizationId } }: Sender) {
  const [email, password] = [`u${newId()}@example.com`, 'Correct horse 7!']
  const wanted = { email, password, name: 'Ann Lee', role: 'MEMBER', visibility: 'OWN' } as const
  const { id: userId } = await createUser(platform.services, organizationId, wanted)
  const [row] = await platform.query<{ id: string }>('select id from identity.person where email = $1', [email])
  return { email, password, organizationId, userId, personId: row!.id }
}

/** The token or code that a mail would contain. */
async function mailedToken(requests: Sender, purpose: 'VERIFY_EMAIL' | 'MAGIC_LINK'): Promise<{ token: string }> {
  const { email, personId } = await aPerson(requests)
  const { token } = await issueToken(systemContext(requests.platform.services, ''), purpose, { email, personId })
  return { token }
}

async function mailedCode(requests: Sender): Promise<{ email: string; code: string }> {
  const { email, personId } = await aPerson(requests)
  const { code } = await issueCode(systemContext(requests.platform.services, ''), { email, personId })
  return { email, code }
}

/** Valid queries of operations that consume a mailed one-time token, or continue with a cursor. */
export const queries: Readonly<Record<string, (requests: Sender) => Promise<Record<string, string>>>> = {
  authVerifyEmail: (requests) => mailedToken(requests, 'VERIFY_EMAIL'),
  authMagicLink: (requests) => mailedToken(requests, 'MAGIC_LINK'),
  emailStatusReceive: async ({ member }) => ({ api_key: member.secret }),
  emailInboundReceive: async ({ member }) => ({ api_key: member.secret }),
  syncChanges: async ({ member }) => {
    const { body } = await member.rest['syncSnapshot']!({ query: { objects: 'product', limit: 1000 } })
    return { cursor: (body as { nextCursor: string }).nextCursor }
  },
  ...enrollmentQueries,
}

/** Values of placeholders that name no record. */
export const placeholders: Readonly<Record<string, string>> = {
  meeting_provider: 'zoom',
  apiName: customEventName,
  type: 'lead.created',
  schemaType: 'CUSTOM_FIELD',
  object: 'opportunity',
  part: '1',
  field: 'externalId',
  kind: 'failed',
  paymentId: '019a0c5e-7f00-7d41-8b2e-6f1a9c3e5d70',
  applicationId: '019a0c5e-7f00-7f52-8c1d-3b9a6e2d7f40',
}

/** What the new record of a path needs before the operation accepts it. It may set the values of placeholders. */
export const preparations: Readonly<
  Record<string, (requests: Sender, id: string, path: Record<string, string>) => Promise<void>>
> = {
  ...eventPreparations,
  ...outreachPreparations,
  ...enrollmentPreparations,
  ...commercePreparations,
  ...quotaPreparations,
  ...insightPreparations,
  ...triagePreparations,
  ...aiPreparations,
  ...proposalPreparations,
  ...documentPreparations,
  ...filePreparations,
  ...bulkPreparations,
  ...undoPreparations,
  /** An activity with two revisions. */
  async activityRevisionList({ member }, id) {
    for (const body of ['First', 'Second']) await member.rest.activityCorrect!({ id, body: { body } })
  },
  ...functionPreparations,
  ...workflowPreparations,
  ...flowPreparations,
  ...metadataPreparations,
  ...appPreparations,
  ...customFieldPreparations,
}

/** Properties of a body of which an operation needs at least one. Requests have two of them, so that a test can empty one. */
export const neededProperties: Readonly<Record<string, readonly string[]>> = { leadCreate: ['lastName', 'email'] }

/** Paths below which records of another path are named. */
export const recordsOfPath: Readonly<Record<string, string>> = {
  '/v1/quota-forecast/deals': '/v1/deals',
  '/v1/deal-scoring': '/v1/deals',
  '/v1/sequences/{id}/enroll/bulk': '/v1/sequences',
  '/v1/sequences/{id}/enroll': '/v1/sequences',
  '/v1/customer-360': '/v1/accounts',
  '/customer-360': '/v1/accounts',
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
  // An organization has five.
  'developerOrgCreate',
  ...enrollmentsOnce,
  ...triageOnce,
  ...aiOnce,
  ...proposalsOnce,
  ...functionsOnce,
  ...workflowsOnce,
  ...flowsOnce,
  ...merges,
  ...metadataOnce,
  'quoteAccept',
  'quoteApprove',
  'quoteDecline',
  'quoteReject',
  // An address gets ten mails in an hour.
  'quoteSend',
  'sequenceArchive',
  'leadConvert',
  'creditNoteIssue',
  'creditNoteReverseApplication',
  'creditNoteVoid',
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

/** Operations whose fields limit each other, or have a form of their own, so that no other body accepts every value of one field. */
export const dependentFields: ReadonlySet<string> = new Set([
  ...functionsWithForms,
  ...actionsWithForms,
  ...credentialsWithForms,
  ...merges,
  'bulkJobCreate',
  // What they answer is the answer to the content, and a mode may have no model.
  'conversationMessageStream',
  'conversationSend',
  // The first element must be one of the elements.
  'flowCreate',
  'flowUpdate',
  'forecastCreate',
  'forecastSubmit',
  // Its name says the format, and its content is Base64.
  'knowledgeDocumentCreate',
  'quotaCopyPrevious',
  'quotaSet',
  'triageConfigUpdate',
  // It names one operation, key or user, and times and objects only with a user.
  'undo',
  // Either since or from, and to only with from.
  'webhookRecover',
])

/** References that exclude each other in a body. */
export const excludedBy: Readonly<Record<string, string>> = { teamId: 'userId' }

/** Valid bodies of operations that need more than records, for example a person who can sign in, or a token. */
export const bodies: Readonly<Record<string, (requests: Sender, whole: boolean) => Promise<object>>> = {
  ...quotaBodies,
  ...forecastBodies,
  ...eventBodies,
  ...outreachBodies,
  ...engagementBodies,
  ...enrollmentBodies,
  ...commerceBodies,
  ...insightBodies,
  ...triageBodies,
  ...aiBodies,
  ...documentBodies,
  ...fileBodies,
  ...bulkBodies,
  ...functionBodies,
  ...actionBodies,
  ...credentialBodies,
  ...customFieldBodies,
  ...customObjectBodies,
  ...mergeBodies,
  ...validationRuleBodies,
  ...duplicateRuleBodies,
  ...layoutBodies,
  ...pageBodies,
  ...workflowBodies,
  ...flowBodies,
  ...metadataBodies,
  ...appBodies,
  ...hookBodies,
  ...triggerBodies,
  ...undoBodies,
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

/** Parts that no valid body of an operation has together, for the tests of the values in them. */
export const exclusiveParts: Readonly<Record<string, object>> = {
  ...outreachParts,
  ...insightParts,
  ...triageParts,
  ...customObjectParts,
}

/** Parts of other valid bodies than the sample, for the tests of the values in them. */
export const partsOfOthers: Readonly<Record<string, object>> = { ...bulkParts, ...customFieldParts }

/** The caller of operations that require a password. */
export const credentials: Readonly<Record<string, (requests: Sender) => Promise<Record<string, string>>>> = {
  ...documentCredentials,
  ...bulkCredentials,
  async authChangePassword(requests) {
    const { accessToken } = await newSession(requests.platform, await aPerson(requests))
    return { Authorization: `Bearer ${accessToken}` }
  },
  // Other requests need the conversations of the member.
  async conversationDeleteAll(requests) {
    const { accessToken } = await newSession(requests.platform, await aPerson(requests))
    return { Authorization: `Bearer ${accessToken}` }
  },
}

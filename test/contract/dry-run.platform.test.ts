import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { LoadedSupergraph } from '../../gateway/graph/supergraph.ts'
import { subgraphs } from '../../subgraphs/all.ts'
import { restContract } from '../contract-of-rest.ts'
import { usePlatform } from '../platform.ts'
import { Requests } from '../requests/requests.ts'

const { operations } = restContract()
const platform = usePlatform({ TRUST_PROXY: '127.0.0.1' })
let requests: Requests

beforeAll(async () => {
  const owner = await platform.member({ role: 'OWNER' })
  // The data key of an organization is created when it is first needed, in whatever request.
  await platform.services.vault.load(owner.organizationId)
  requests = await Requests.of(platform, owner)
})

const isChanging = (document: string | null): boolean => document === null || /^mutation\b/m.test(document)
const changing = operations.filter(
  ({ id, documentId, method, document, success }) =>
    id === documentId && method !== 'get' && isChanging(document) && !(success.isStream && document === null),
)

/** Operations that are refused in a dry run, by the reason. */
const refusedBecause: Readonly<Record<string, readonly string[]>> = {
  'they sign somebody in or out, or take a password or a code': [
    'authAcceptPartnerInvite',
    'authChangePassword',
    'authForgotPassword',
    'authLogin',
    'authLogout',
    'authLogoutAll',
    'authMagicLinkSend',
    'authRefresh',
    'authRegister',
    'authResetPassword',
    'authVerifyResetCode',
  ],
  'their answer is what a language model says': [
    'accountBriefGenerate',
    'aiTriggerTest',
    'caseSummarize',
    'conversationMessageStream',
    'conversationMetadataExtract',
    'conversationSend',
    'smartEmailCompose',
    'smartEmailDraftRegenerate',
  ],
  'their answer is what another system, or a function of the organization, says': [
    'customActionExecute',
    'mailboxTest',
    'metadataTest',
    'serverlessFunctionInvoke',
    'serverlessFunctionTest',
  ],
}
const refused: ReadonlySet<string> = new Set(Object.values(refusedBecause).flat())
/** Operations that queue a mail, which a dry run does not. */
const mailing: ReadonlySet<string> = new Set([
  'emailSend',
  'quoteSend',
  'replyDraftSend',
  'smartEmailDraftSend',
  'userInvite',
  'userInviteAgain',
])
/** Operations on what only somebody else can create. Their own tests try them. */
const ofOthers: ReadonlySet<string> = new Set(['connectedAppDelete', 'connectedAppUpdate', 'meetingDisconnect'])

const settled = async (): Promise<string> => {
  await platform.settled()
  return platform.fingerprint()
}

describe('a dry run', () => {
  it.each(changing.map((operation) => [operation.id, operation] as const))(
    '%s: changes no table, and answers as the operation would or is refused',
    async (id, operation) => {
      const request = await requests.valid(operation, { fresh: true })
      const before = await settled()
      const { status, body, headers } = await requests.send({
        ...request,
        headers: { ...request.headers, Prefer: 'dry-run' },
      })
      const outcome = status >= 400 ? `${status} ${(body as { code?: string }).code}` : `${status}`
      expect(await settled()).toBe(before)
      if (refused.has(id)) return expect(outcome).toBe('400 DRY_RUN_NOT_SUPPORTED')
      if (ofOthers.has(id)) return expect(outcome).toBe('404 NOT_FOUND')
      expect([outcome, headers['preference-applied']]).toEqual([operation.success.hasBody ? '200' : '204', 'dry-run'])
      if (mailing.has(id)) expect(headers['dry-run-not-executed']).toBe('"MAIL"')
    },
  )
})

/** Mutations that no operation of REST has: public pages, directories, and what sends mails to somebody else. */
const withoutRest: ReadonlySet<string> = new Set([
  'meetingConnect',
  'partnerInvite',
  'publicAiTriggerReceive',
  'publicInvoiceDocument',
  'publicInvoicePay',
  'publicInvoiceSettle',
  'publicInvoiceView',
  'publicPaymentSettle',
  'publicQuoteAccept',
  'publicQuoteDocument',
  'publicQuoteReject',
  'publicQuoteView',
  'publicWorkflowHookReceive',
  'scimGroupCreate',
  'scimGroupDelete',
  'scimGroupUpdate',
  'scimUserCreate',
  'scimUserDelete',
  'scimUserUpdate',
])

/** Of these, those that change rows of one organization in the transaction, as the operations above do. */
const inTransaction: ReadonlySet<string> = new Set([
  'partnerInvite',
  'scimGroupCreate',
  'scimGroupDelete',
  'scimGroupUpdate',
  'scimUserCreate',
  'scimUserDelete',
  'scimUserUpdate',
])

it('every mutation has an operation above, or is refused in a dry run before it runs', () => {
  const served = new Set(
    operations.flatMap(({ document }) => [...(document ?? '').matchAll(/\bresult: (\w+)/g)].map(([, field]) => field!)),
  )
  const supergraph = new LoadedSupergraph(readFileSync('schema/supergraph.graphql', 'utf8'))
  const mutations = Object.keys(supergraph.apiSchema.getMutationType()!.getFields())
  const others = mutations.filter((field) => !served.has(field))
  expect(others.toSorted()).toEqual([...withoutRest].toSorted())
  const crossTenant = new Set(
    subgraphs.flatMap(({ resources }) => resources.flatMap(({ crossTenantFields = [] }) => crossTenantFields)),
  )
  const tried = new Set(
    subgraphs.flatMap(({ resources }) => resources.flatMap(({ crossTenantDryRuns = [] }) => crossTenantDryRuns)),
  )
  expect([...tried].filter((field) => !crossTenant.has(field))).toEqual([])
  const isRefused = (field: string) =>
    (crossTenant.has(field) && !tried.has(field)) || supergraph.notInDryRun.has(`Mutation.${field}`)
  expect(others.filter((field) => !isRefused(field)).toSorted()).toEqual([...inTransaction].toSorted())
})

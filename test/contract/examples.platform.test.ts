import { beforeAll, describe, expect, it } from 'vitest'
import { restContract } from '../contract-of-rest.ts'
import { resolve, type ResponseObject } from '../../rest-adapter/openapi.ts'
import type { RestOperation } from '../../rest-adapter/rest-operation.ts'
import { usePlatform } from '../platform.ts'
import { Requests } from '../requests/requests.ts'
import { needsOtherParty } from '../requests/special-cases.ts'
import { faultFinder } from './json-schemas.ts'

const { document, operations } = restContract()
const faultsOf = faultFinder(document)
const platform = usePlatform({ TRUST_PROXY: '127.0.0.1' })
let requests: Requests

beforeAll(async () => {
  requests = await Requests.of(platform, await platform.member({ role: 'OWNER' }))
})

/** Properties that name something that exists, such as a mailed token. The test fills in its own; everything else is sent as it is. */
const situational: Readonly<Record<string, readonly string[]>> = {
  creditNoteApply: ['applications'],
  accountMerge: ['ids', 'fields', 'expectedVersions'],
  afterSaveTriggerCreate: ['function'],
  authAcceptPartnerInvite: ['token'],
  authChangePassword: ['currentPassword'],
  authLogin: ['email', 'password'],
  authRefresh: ['refreshToken'],
  authResetPassword: ['email', 'code'],
  authVerifyResetCode: ['email', 'code'],
  appInstall: ['slug', 'appVersion', 'scopes', 'settings'],
  caseAssign: ['assignedToId'],
  contactMerge: ['ids', 'fields', 'expectedVersions'],
  customFieldReorder: ['entity', 'fieldIds'],
  customRecordMerge: ['ids', 'fields', 'expectedVersions'],
  installedAppUpdate: ['appVersion', 'scopes'],
  invoiceFromOrder: ['orderId', 'lineItems'],
  leadMerge: ['ids', 'fields', 'expectedVersions'],
  opportunityCreate: ['accountId'],
  mailboxBulkUpsert: ['items'],
  mailboxUpsert: ['email'],
  opportunityUpsert: ['accountId'],
  opportunityBulkUpsert: ['items'],
  productBulkUpsert: ['items'],
  productUpsert: ['sku'],
  quotaBulkSet: ['quotas'],
  quotaSet: ['userId'],
  sequenceEnroll: ['entityId'],
  sequenceEnrollBulk: ['entityIds'],
  serverlessFunctionDeploy: ['versionId'],
  teamMembersAdd: ['userIds'],
  teamMembersRemove: ['userIds'],
  teamMembersReplace: ['userIds'],
  undo: ['operationId'],
  triageSavePlan: ['actionIds'],
  workflowRunStart: ['recordId'],
}

const sent = operations.filter(({ id, documentId }) => id === documentId && !needsOtherParty.has(documentId))

function exampleOf({ path, method, documentId }: RestOperation, body: unknown): unknown {
  const example = document.paths[path]![method]!.requestBody?.content['application/json']?.example
  const replaced = situational[documentId] ?? (/Bulk(?:Update|Delete)$/.test(documentId) ? ['items', 'ids'] : [])
  const own = Object.entries((body ?? {}) as object).filter(([name]) => replaced.includes(name))
  if (example === undefined) return Buffer.isBuffer(body) ? body : undefined
  const kept = Object.entries(example as object).filter(([name]) => !replaced.includes(name))
  return Object.fromEntries([...kept, ...own])
}

/** The status of their record does not follow from the example: it keeps the one that it had, or amounts or a service of somebody else decide. */
const keepsStatus = new Set([
  'caseAssign',
  'caseRestore',
  'caseUpdate',
  'customActionExecute',
  'emailTemplateRestore',
  'emailThreadMarkRead',
  'invoicePayment',
  'invoiceRecordPayment',
  'invoiceRefundPayment',
  'knowledgeDocumentUpdate',
  'leadRestore',
  'userReactivate',
  'userUpdate',
])

interface Answer {
  readonly status?: unknown
  readonly results?: readonly { readonly status: unknown }[]
}

/** The status of the record of an answer, or of the first result of several. */
const outcomeOf = (answer: Answer | null | undefined): unknown =>
  answer?.results ? answer.results[0]?.status : answer?.status

function answerMedia({ path, method, success }: RestOperation) {
  const response = document.paths[path]![method]!.responses[success.status]!
  return resolve<ResponseObject>(document, response).content?.['application/json']
}

describe('an example of the reference', () => {
  it.each(sent.map((operation) => [operation.id, operation] as const))(
    '%s: is accepted, and the answer is as described',
    async (_, operation) => {
      const request = await requests.valid(operation, { fresh: operation.method !== 'get' })
      const { status, body, text } = await requests.send({ ...request, body: exampleOf(operation, request.body) })
      expect([status, status === operation.success.status ? '' : text]).toEqual([operation.success.status, ''])
      const { schema, example } = answerMedia(operation) ?? {}
      if (schema) expect(faultsOf(schema, body)).toEqual([])
      if (operation.method === 'get' || keepsStatus.has(operation.id)) return
      expect(outcomeOf(example as Answer)).toEqual(outcomeOf(body as Answer))
    },
  )

  it.each(['accountCreate', 'caseCreate', 'productCreate'])('%s: makes the record that it shows', async (id) => {
    const operation = operations.find((one) => one.id === id)!
    const body = exampleOf(operation, undefined)
    const member = await platform.member({ organizationId: await platform.organization('Other'), role: 'OWNER' })
    const request = { operation, path: {}, query: {}, headers: member.headers, body }
    expect(await requests.send(request)).toMatchObject({ status: 201, body })
  })

  it('of a refusal has a type that leads to what it means', async () => {
    const { headers } = await platform.member({ scopes: ['READ_ACCOUNTS'] })
    const refused = await fetch(`${platform.url}/v1/cases`, { headers })
    const { type, code, title } = (await refused.json()) as { type: string; code: string; title: string }
    const explained = await fetch(new URL(type, refused.url))
    expect([refused.status, code, explained.status]).toEqual([403, 'API_KEY_SCOPE_INSUFFICIENT', 200])
    expect(await explained.json()).toMatchObject({ type, code, title, status: 403 })
  })

  it('is in the served document with the address of the platform', async () => {
    const served = (await (await fetch(`${platform.url}/openapi.json`)).json()) as typeof document
    expect(served.servers).toEqual([{ url: platform.url }])
    expect(served.paths['/v1/accounts']!.post!.requestBody).toEqual(document.paths['/v1/accounts']!.post!.requestBody)
  })
})

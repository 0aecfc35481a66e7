import { readFileSync } from 'node:fs'
import {
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
} from 'graphql'
import { describe, expect, it } from 'vitest'
import { LoadedSupergraph } from '../../gateway/graph/supergraph.ts'
import { subgraphs } from '../../subgraphs/all.ts'
import { schemaPath } from '../../subgraphs/kernel/config/paths.ts'

const { apiSchema } = new LoadedSupergraph(readFileSync(schemaPath('supergraph.graphql'), 'utf8'))
const roots = new Set(['Query', 'Mutation', 'Subscription'])

/** Ids that name no record of the graph: of other systems, of requests, of the own organization, and of parts of the same object. */
const namesNoRecord = new Set(
  'organizationId externalId legacyCrmId internetMessageId referenceIds clientId taxId requestId operationId undoneOperationId credentialId eventId sessionId stepId variantId onTrueStepId onFalseStepId'.split(
    ' ',
  ),
)
/** Ids of records of several types: the type is in a field beside them. */
const namesSeveralTypes = new Set(['recordId', 'entityId', 'entityIds', 'targetId', 'resultId'])

const payload = 'the answer of an operation, whose reader has or gets the record by its own operation'
const noRecord = 'it names no record of the graph, but a part that operations of its parent read'
const merged = 'they are deleted, so nobody reads them'
const administered = 'it is read by administrators only, by their own operations'

/** Ids without the record beside them, each with the reason. */
const withoutRecord: Readonly<Record<string, string>> = {
  'AccountMerge.mergedIds': merged,
  'AdminUser.profileId': administered,
  'AiInboundReceipt.executionId': payload,
  'AppInstallation.appId': 'the app belongs to another organization',
  'AppVersion.packageId': noRecord,
  'AppVersionSummary.packageId': noRecord,
  'ConnectedApp.appId': 'the app belongs to another organization',
  'ContactMerge.mergedIds': merged,
  'ConversationMessage.conversationId': noRecord,
  'ConversationMessage.replyToId': noRecord,
  'CreditNote.accountId': 'the same as customerId, whose record is `customer`',
  'CustomFieldFailure.conflictingId': 'it names a record of the type that has the field, which is one of several types',
  'CustomRecordMerge.mergedIds': merged,
  'EmailWebhookResult.emailId': payload,
  'EmailWebhookResult.threadId': payload,
  'ForecastRollup.userId': 'it is always null',
  'Invoice.accountId': 'the same as customerId, whose record is `customer`',
  'KnowledgeDocumentPassage.documentId': noRecord,
  'LeadMerge.mergedIds': merged,
  'Proposal.conversationId': noRecord,
  'InstalledApp.deploymentId': administered,
  'Quota.teamId': administered,
  'QuotaAttainment.teamId': administered,
  'ResolvedLayout.layoutId': administered,
  'ResolvedPage.pageId': administered,
  'ScenarioFilters.accountIds': 'it is a condition, which also names what the reader does not see',
  'ScenarioFilters.ownerIds': 'it is a condition, which also names what the reader does not see',
  'ScenarioFilters.teamIds': 'it is a condition, which also names what the reader does not see',
  'ServerlessFunctionInvocation.versionId': noRecord,
  'ServerlessFunctionInvocationSummary.versionId': noRecord,
  'ServerlessFunctionInvokeResult.invocationId': payload,
  'ServerlessFunctionTestResult.invocationId': payload,
  'SignedInUser.profileId': administered,
  'SyncChange.mergedIntoId': 'it names a record of the type in `object`, which is one of several types',
  'Webhook.namedCredentialId': administered,
  'WorkflowHookReceipt.runId': payload,
}

const many = 'it has too many for a list: lists of the type have a filter'
const oneToOne = 'there is at most one, and it is found from the thread or the series'

/** References without a list at their parent, each with the reason. */
const withoutList: Readonly<Record<string, string>> = {
  'Email.template': many,
  'Email.mailbox': many,
  'Payment.creditNote': 'they are `refunds` of the credit note, with the same values',
  'Payment.invoice': 'they are `payments` and `refunds` of the invoice, with the same values',
  'Payment.refundedPayment': 'they are `refunds` of the invoice',
  'ReplyDraft.replyToMessage': oneToOne,
  'ReplyDraft.sentMessage': oneToOne,
  'SequenceEnrollment.thread': oneToOne,
  'SequenceEnrollment.currentStep': 'it changes with every step; the enrollments are those of the sequence',
  'SequenceStep.template': many,
  'SmartEmailDraft.message': oneToOne,
  'SmartEmailDraft.inReplyToMessage': oneToOne,
  'Task.nextTask': oneToOne,
  'Task.sequenceEnrollment': 'they are `attempts` of the enrollment, with their tasks',
}

/** The names under which the record of an id can be a field: `parentAccountId` is `parentAccount` or `parent`. */
const fieldsFor = (id: string): string[] =>
  id.endsWith('Ids')
    ? [id.replace(/Ids$/, 's')]
    : [id.replace(/Id$/, ''), id.replace(/(?:Account|User)Id$/, '')].filter((name) => name !== '' && name !== id)

const objectTypes = Object.values(apiSchema.getTypeMap()).filter(
  (type): type is GraphQLObjectType => isObjectType(type) && !roots.has(type.name) && !type.name.startsWith('__'),
)

describe('an id in an answer of the graph', () => {
  it('has the record that it names beside it, or a reason', () => {
    const missing = objectTypes.flatMap((type) => {
      const fields = type.getFields()
      const ids = Object.keys(fields).filter(
        (name) => /[a-z]Ids?$/.test(name) && !namesNoRecord.has(name) && !namesSeveralTypes.has(name),
      )
      return ids.filter((name) => !fieldsFor(name).some((field) => fields[field])).map((name) => `${type.name}.${name}`)
    })
    expect(missing.sort()).toEqual(Object.keys(withoutRecord).sort())
  })
})

/** The record types that other types refer to. */
const records = new Set(
  subgraphs.flatMap(({ resources }) => resources.flatMap(({ entities = {} }) => Object.keys(entities))),
)
const isRecordType = (type: GraphQLNamedType): type is GraphQLObjectType => isObjectType(type) && records.has(type.name)

/** The record type of a field, of its connection or of its list. */
function recordsIn({ type }: GraphQLField<unknown, unknown>): string {
  const named = getNamedType(type)
  const nodes = isObjectType(named) ? named.getFields()['nodes'] : undefined
  return getNamedType(nodes?.type ?? type).name
}

describe('a record that others refer to', () => {
  it('has a list of them, or a reason', () => {
    const missing = objectTypes.filter(isRecordType).flatMap((type) =>
      Object.values(type.getFields()).flatMap((field) => {
        const parent = getNamedType(field.type)
        // Everything has an owner and an author: the lists of the types have filters by user.
        if (!isRecordType(parent) || parent.name === 'User' || isListType(getNullableType(field.type))) return []
        const back = Object.values(parent.getFields()).some((one) => one !== field && recordsIn(one) === type.name)
        return back ? [] : [`${type.name}.${field.name}`]
      }),
    )
    expect(missing.sort()).toEqual(Object.keys(withoutList).sort())
  })
})

import { readFileSync } from 'node:fs'
import { isObjectType } from 'graphql'
import { describe, expect, it } from 'vitest'
import { LoadedSupergraph } from '../../gateway/graph/supergraph.ts'
import { schemaPath } from '../../subgraphs/kernel/config/paths.ts'

const { apiSchema } = new LoadedSupergraph(readFileSync(schemaPath('supergraph.graphql'), 'utf8'))
const roots = new Set(['Query', 'Mutation', 'Subscription'])

/** Ids that name no record of the graph: of other systems, of requests, of the own organization, and of parts of the same object. */
const namesNoRecord = new Set([
  ...['organizationId', 'externalId', 'legacyCrmId', 'internetMessageId', 'referenceIds', 'clientId', 'taxId'],
  ...['requestId', 'operationId', 'credentialId', 'eventId', 'sessionId', 'stepId', 'variantId'],
  ...['onTrueStepId', 'onFalseStepId'],
])
/** Ids of records of several types: the type is in a field beside them. */
const namesSeveralTypes = new Set(['recordId', 'entityId', 'entityIds', 'targetId', 'resultId'])

/** Ids whose record is no field beside them yet. Remove an id when its record is a field; never add one. */
const withoutRecord: Readonly<Record<string, string>> = {
  AccountStatement: 'accountId',
  AdminUser: 'profileId',
  AgingCustomer: 'customerId oldestInvoiceId',
  AiExecution: 'triggerId decidedById',
  AiInboundReceipt: 'executionId',
  AppInstallation: 'appId',
  CaseComment: 'caseId',
  CaseSummary: 'caseId',
  ComparedScenario: 'scenarioId',
  ConnectedApp: 'appId',
  Contact: 'convertedFromLeadId',
  ConversationMessage: 'conversationId replyToId',
  Customer360Signals: 'accountId',
  Customer360TimelineEntry: 'actorId',
  CustomEvent: 'actorId',
  DealInsights: 'dealId',
  DealOwnerFigures: 'ownerId',
  DealScore: 'dealId',
  DealStageFigures: 'pipelineId',
  DunningConfiguration: 'excludeAccountIds',
  DunningStep: 'templateId escalateToUserId',
  Email: 'threadId templateId mailboxId',
  EmailWebhookResult: 'emailId threadId',
  ForecastAccuracy: 'userId',
  ForecastRollup: 'userId',
  ForecastRollupUser: 'userId parentUserId',
  ForecastSnapshot: 'userId',
  ImapMailboxStatus: 'mailboxId',
  Invoice: 'accountId',
  InvoicePayment: 'invoiceId recordedById',
  InvoiceRefund: 'paymentId recordedById',
  KnowledgeDocument: 'ownerId',
  KnowledgeDocumentPassage: 'documentId',
  LineItem: 'productId',
  Opportunity: 'contactIds',
  OpportunityBoard: 'pipelineId',
  OpportunityContactRole: 'contactId',
  OrderLineItem: 'productId',
  Proposal: 'conversationId',
  Quota: 'teamId createdById updatedById',
  QuotaAttainment: 'quotaId userId teamId',
  Quote: 'revisionOfId',
  RecordChange: 'actorId',
  ReplyDraft: 'replyToMessageId sentMessageId',
  ScenarioDifference: 'fromScenarioId toScenarioId',
  ScenarioFilters: 'ownerIds teamIds accountIds',
  SequenceAttempt: 'messageId taskId',
  SequenceBulkEnrollItem: 'enrollmentId',
  SequenceDeliveredMail: 'messageId',
  SequenceEnrollment: 'currentStepId threadId',
  SequenceStep: 'sequenceId templateId',
  ServerlessFunctionInvocation: 'functionId versionId',
  ServerlessFunctionInvocationSummary: 'functionId versionId',
  ServerlessFunctionInvokeResult: 'invocationId',
  ServerlessFunctionTestResult: 'invocationId',
  ServerlessFunctionVersion: 'functionId createdById',
  ServerlessFunctionVersionSummary: 'functionId createdById',
  SignedInUser: 'profileId managerId',
  SimulationContribution: 'opportunityId',
  SimulationStage: 'pipelineId',
  SmartEmailDraft: 'inReplyToMessageId',
  SmartEmailHistoryEntry: 'messageId threadId draftId',
  SmartEmailSendTime: 'contactId',
  StatementEntry: 'invoiceId',
  SubmittedForecast: 'submittedById',
  SuppressedAddress: 'messageId',
  Task: 'nextTaskId sequenceEnrollmentId',
  Team: 'userIds',
  TextCompany: 'accountId',
  TriageCase: 'accountId',
  Viewer: 'userId',
  Webhook: 'namedCredentialId',
  WebhookDelivery: 'webhookId',
  WorkflowHookReceipt: 'runId',
  WorkflowRun: 'workflowId',
  WorkflowRunStep: 'decidedById',
  WorkflowRunTrigger: 'startedById',
}

/** The names under which the record of an id can be a field: `parentAccountId` is `parentAccount` or `parent`. */
const fieldsFor = (id: string): string[] =>
  id.endsWith('Ids')
    ? [id.replace(/Ids$/, 's')]
    : [id.replace(/Id$/, ''), id.replace(/(?:Account|User)Id$/, '')].filter((name) => name !== '' && name !== id)

describe('an id in an answer of the graph', () => {
  it('has the record that it names beside it', () => {
    const missing = Object.values(apiSchema.getTypeMap()).flatMap((type) => {
      if (!isObjectType(type) || roots.has(type.name) || type.name.startsWith('__')) return []
      const fields = type.getFields()
      const ids = Object.keys(fields).filter(
        (name) => /[a-z]Ids?$/.test(name) && !namesNoRecord.has(name) && !namesSeveralTypes.has(name),
      )
      const without = ids.filter((name) => !fieldsFor(name).some((field) => fields[field]))
      return without.length > 0 ? [[type.name, without.join(' ')] as const] : []
    })
    expect(Object.fromEntries(missing)).toEqual(withoutRecord)
  })
})

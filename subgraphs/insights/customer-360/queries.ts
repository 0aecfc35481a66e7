// What the blocks read, each as one query of the caller.

export const contactsQuery = `query ($id: ID!) {
  contacts: contactList(filter: { accountId: { eq: $id } }, limit: 10) {
    data { id name title email phone buyingRole isPrimary status engagement { score } }
  }
}`

/** A profile may hide the roles and show the contacts. */
export const rolesQuery = `query ($id: ID!, $since: DateTime!) {
  left: contactList(filter: {
    accountId: { eq: $id }, buyingRole: { eq: CHAMPION }, status: { eq: INACTIVE }, updatedAt: { gte: $since }
  }, limit: 5) { total data { id updatedAt } }
  joined: contactList(filter: {
    accountId: { eq: $id }, buyingRole: { eq: DECISION_MAKER }, status: { eq: ACTIVE }, createdAt: { gte: $since }
  }, limit: 5) { total data { id createdAt } }
}`

export const dealsQuery = `query ($id: ID!) {
  deals: opportunityList(
    filter: { accountId: { eq: $id }, isClosed: { eq: false } }, limit: 100, orderBy: [{ field: closeDate, direction: ASC }]
  ) {
    data {
      id name stage amount currency probability closeDate type stageEnteredAt ownerId score { score }
      pipeline { stages { name rottenAfterDays } }
    }
  }
}`

export const casesQuery = `query ($id: ID!) {
  open: caseList(filter: { accountId: { eq: $id }, status: { in: [NEW, OPEN, PENDING_CUSTOMER, ESCALATED] } }, limit: 1) { total }
  escalated: caseList(filter: { accountId: { eq: $id }, status: { eq: ESCALATED } }, limit: 5) {
    total
    data { id escalatedAt updatedAt }
  }
}`

export const invoicesQuery = `query ($id: ID!) {
  aging: invoiceAging(customerId: $id) { currency total buckets { key amount } }
  overdue: invoiceList(filter: { accountId: { eq: $id }, status: { eq: OVERDUE } }, limit: 5) {
    total
    data { id overdueAt dueDate updatedAt }
  }
}`

export const engagementQuery = `query ($id: ID!, $now: DateTime!) {
  account(id: $id) {
    engagement {
      score momentumScore channels { channel activities contribution }
      momentum { velocity acceleration trend significant silenceDays usualGapDays }
      k computedAt
    }
  }
  latest: activityList(
    filter: { accountId: { eq: $id }, occurredAt: { lte: $now } }, limit: 5, orderBy: [{ field: occurredAt, direction: DESC }]
  ) { data { id occurredAt } }
}`

export const healthQuery = `query ($id: ID!) {
  account(id: $id) { health { score parts { key score weight contribution } computedAt } }
}`

export const briefQuery = `query ($id: ID!) {
  account(id: $id) { aiBrief { summary highlights risks generatedAt model } }
}`

export const buyingQuery = `query ($id: ID!, $since: DateTime!, $now: DateTime!) {
  forms: activityList(filter: {
    accountId: { eq: $id }, type: { eq: FORM_SUBMISSION }, occurredAt: { gte: $since, lte: $now }
  }, limit: 5, orderBy: [{ field: occurredAt, direction: DESC }]) { total data { id occurredAt } }
  documents: activityList(filter: {
    accountId: { eq: $id }, type: { eq: DOCUMENT_VIEW }, occurredAt: { gte: $since, lte: $now }
  }, limit: 5, orderBy: [{ field: occurredAt, direction: DESC }]) { total data { id occurredAt } }
}`

export const timelineQuery = `query ($id: ID!) {
  accountTimeline(id: $id, limit: 10) { data { kind recordId occurredAt title type status actorId } }
}`

const document = (field: string, number: string, name: string): string => `query ($id: ID!) {
  list: ${field}(filter: { accountId: { eq: $id } }, limit: 50) {
    data { id number: ${number} ${name} status total currency createdAt }
  }
}`

export const quotesQuery = document('quoteList', 'quoteNumber', 'name')
export const contractsQuery = `query ($id: ID!) {
  list: knowledgeDocumentList(accountId: $id, category: CONTRACT, limit: 50) {
    data { id name format recordType recordId bytes contentUrl createdAt }
  }
}`
export const ordersQuery = document('orderList', 'orderNumber', '')

export const contactIdsQuery = `query ($id: ID!, $page: Int!, $limit: Int!) {
  list: contactList(filter: { accountId: { eq: $id } }, page: $page, limit: $limit) { data { id } total page limit totalPages hasMore }
}`

export const dealIdsQuery = `query ($id: ID!, $page: Int!, $limit: Int!) {
  list: opportunityList(
    filter: { accountId: { eq: $id } }, page: $page, limit: $limit, orderBy: [{ field: closeDate, direction: DESC }]
  ) { data { id } total page limit totalPages hasMore }
}`

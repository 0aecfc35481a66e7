import { invalid } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import type { RecordShape } from '../../kernel/record/definition.ts'
import { fieldsInScope } from '../../kernel/record/fields-in-scope.ts'
import { isHidden } from '../../kernel/record/field-security.ts'
import { TenantPredicate } from '../../kernel/record/predicate.ts'
import { readReference } from '../../kernel/record/read.ts'
import { recordType } from '../../kernel/record/record-registry.ts'
import { notAnswered, type RequestContext } from '../../kernel/request.ts'
import { emailMessage, emailThread } from '../email/email.record.ts'
import { plainValue } from '../email-template/known-variables.ts'
import type { SmartEmailEntityType } from './smart-email.enumerations.ts'

/** The ids that a request names. */
export interface NamedRecords {
  readonly contactId: string | null
  readonly opportunityId: string | null
  readonly threadId: string | null
  readonly inReplyToMessageId: string | null
}

export interface Source {
  readonly entityType: SmartEmailEntityType
  readonly entityId: string
}

type Values = Readonly<Record<string, unknown>>

interface ThreadMessage {
  readonly isFromRecipient: boolean
  readonly text: string
}

/** What the caller sees of the records that a mail is about. Fields that the profile or the scopes of the caller hide have no value. */
export interface ComposeContext extends NamedRecords {
  readonly contact: Values | null
  readonly account: Values | null
  readonly opportunity: Values | null
  readonly conversation: readonly ThreadMessage[]
  readonly conversationSubject: string | null
  readonly sources: readonly Source[]
}

const fields = {
  contact: new Set(['name', 'firstName', 'title', 'department', 'language', 'accountId']),
  account: new Set(['name', 'industry']),
  opportunity: new Set(['name', 'stage', 'closeDate', 'nextStep', 'accountId']),
} as const

const messagesMax = 10
const messageMax = 2_000
const messageFields = new Set(['threadId'])
const threadFields = new Set(['subject', 'contactId', 'opportunityId'])

const unknown = (path: string) => {
  const message = `${path} must be the id of an existing record that you can see.`
  return invalid({ path, code: 'UNKNOWN_REFERENCE', message })
}

export const textIn = (values: Values | null, name: string): string | null => {
  const value = values?.[name]
  return typeof value === 'string' && value !== '' ? value : null
}

async function readRecord(ctx: RequestContext, record: keyof typeof fields, id: string | null): Promise<Values | null> {
  if (id === null) return null
  const shape = recordType(record)()
  return readReference(ctx, shape, id, fieldsInScope(ctx.caller, shape, fields[record]))
}

/** What happens with a named record that the caller does not see: the request is refused, or the record is not used. */
export type Missing = 'REFUSE' | 'IGNORE'

/** The values of a named record. */
async function readNamed(
  ctx: RequestContext,
  path: keyof NamedRecords,
  shape: RecordShape,
  id: string | null,
  selected: ReadonlySet<string>,
  missing: Missing,
): Promise<Values | null> {
  if (id === null) return null
  const found = isId(id)
    ? await readReference(ctx, shape, id.toLowerCase(), fieldsInScope(ctx.caller, shape, selected))
    : null
  if (!found && missing === 'REFUSE') throw unknown(path)
  return found
}

/**
 * The last mails of people in the thread that the caller sees, oldest first, up to the one that is answered; none if the profile of the caller
 * hides what they say. Null for `answeredId`: up to the newest.
 */
async function conversationOf(
  ctx: RequestContext,
  threadId: string,
  answeredId: string | null,
): Promise<ThreadMessage[]> {
  if (['bodyText', 'direction', 'kind'].some((name) => isHidden(ctx.caller, emailMessage, name))) return []
  const predicate = new TenantPredicate(ctx.caller)
  const live = predicate.live(emailMessage, 't')
  const answered = predicate.values.add(answeredId)
  const rows = await ctx.db.query<ThreadMessage & Record<string, unknown>>(
    `select t.direction = 'INBOUND' as "isFromRecipient", left(t.body_text, ${messageMax}) as text from ${emailMessage.table} t
     where t.thread_id = ${predicate.values.add(threadId)} and (t.kind = 'MAIL' or t.id = ${answered}::uuid) and ${live}
       and (${answered}::uuid is null or (t.created_at, t.id) <= (
         select n.created_at, n.id from ${emailMessage.table} n where n.organization_id = t.organization_id and n.id = ${answered}::uuid))
     order by t.created_at desc, t.id desc limit ${messagesMax}`,
    predicate.values.list,
  )
  return rows.toReversed()
}

/** Reads what a mail can be based on. What follows from a named record is used if the caller sees it. */
export async function composeContextOf(
  outer: RequestContext,
  ids: NamedRecords,
  missing: Missing = 'REFUSE',
): Promise<ComposeContext> {
  const ctx = notAnswered(outer)
  const find = (path: keyof NamedRecords, shape: RecordShape, id: string | null, selected: ReadonlySet<string>) =>
    readNamed(ctx, path, shape, id, selected, missing)
  const message = await find('inReplyToMessageId', emailMessage, ids.inReplyToMessageId, messageFields)
  const messageThreadId = textIn(message, 'threadId')
  const threadId = ids.threadId?.toLowerCase() ?? messageThreadId
  if (messageThreadId !== null && threadId !== messageThreadId) {
    const text = 'inReplyToMessageId must be the id of a mail of the thread.'
    throw invalid({ path: 'inReplyToMessageId', code: 'NOT_IN_THREAD', message: text })
  }
  const thread = await find('threadId', emailThread, threadId, threadFields)
  const namedContact = await find('contactId', recordType('contact')(), ids.contactId, fields.contact)
  const namedDeal = await find('opportunityId', recordType('opportunity')(), ids.opportunityId, fields.opportunity)
  const contactId = ids.contactId?.toLowerCase() ?? textIn(thread, 'contactId')
  const opportunityId = ids.opportunityId?.toLowerCase() ?? textIn(thread, 'opportunityId')
  const contact = namedContact ?? (await readRecord(ctx, 'contact', contactId))
  const opportunity = namedDeal ?? (await readRecord(ctx, 'opportunity', opportunityId))
  const accountId = textIn(contact, 'accountId') ?? textIn(opportunity, 'accountId')
  const account = await readRecord(ctx, 'account', accountId)
  const messageId = ids.inReplyToMessageId?.toLowerCase() ?? null
  const conversation = thread && threadId ? await conversationOf(ctx, threadId, message && messageId) : []
  const source = (entityType: SmartEmailEntityType, entityId: string | null, values: Values | null): Source[] =>
    values !== null && entityId !== null ? [{ entityType, entityId }] : []
  return {
    contactId: contact && contactId,
    opportunityId: opportunity && opportunityId,
    threadId: thread && threadId,
    inReplyToMessageId: message && messageId,
    contact,
    account,
    opportunity,
    conversation,
    conversationSubject: textIn(thread, 'subject'),
    sources: [
      ...source('CONTACT', contactId, contact),
      ...source('ACCOUNT', accountId, account),
      ...source('OPPORTUNITY', opportunityId, opportunity),
      ...source('EMAIL_THREAD', threadId, thread),
      ...source('EMAIL', messageId, conversation.length > 0 ? message : null),
    ],
  }
}

/** The values for the model, by name: `opportunity.stage`. */
export function factsOf({ contact, account, opportunity }: ComposeContext): { name: string; value: string }[] {
  const records = { contact, account, opportunity }
  return Object.entries(records).flatMap(([record, values]) =>
    Object.entries(values ?? {}).flatMap(([field, value]) => {
      const text = plainValue(value)
      if (field === 'id' || field.endsWith('Id') || typeof text !== 'string' || text === '') return []
      return [{ name: `${record}.${field}`, value: text.slice(0, messageMax).toWellFormed() }]
    }),
  )
}

import { Field, ID, Int, ObjectType } from 'type-graphql'
import { visibleContacts } from '../../crm/public.ts'
import { invalid, notFound } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import { fieldRules } from '../../kernel/record/field-security.ts'
import { NamesRecord } from '../../kernel/record/named-records.ts'
import { TenantPredicate } from '../../kernel/record/predicate.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { DateTime } from '../../kernel/record/scalars.ts'
import { selectList } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { EmailDirection, EmailStatus } from '../email/email.enumerations.ts'
import { emailMessage, emailThread } from '../email/email.record.ts'
import { smartEmailDraft } from './smart-email.record.ts'

@ObjectType({ description: 'A mail to or from a contact.' })
@RequiresScope('EMAILS')
export class SmartEmailHistoryEntry {
  @NamesRecord('email')
  @Field(() => ID, { description: 'Id of the mail.' })
  messageId!: string

  @NamesRecord('email_thread')
  @Field(() => ID, { description: 'Id of its thread.' })
  threadId!: string

  @NamesRecord('smart_email_draft')
  @Field(() => ID, {
    nullable: true,
    description: 'Id of the draft that it was; null if it was none, or one that the caller does not see.',
  })
  draftId!: string | null

  @Field(() => EmailDirection, { nullable: true, description: 'Whether it was sent or received.' })
  direction!: EmailDirection | null

  @Field(() => String, { nullable: true, description: 'Subject in one line.' })
  subject!: string | null

  @Field(() => String, { nullable: true, description: 'The first 200 characters of its text in one line.' })
  preview!: string | null

  @Field(() => EmailStatus, { nullable: true, description: 'What is known about it.' })
  status!: EmailStatus | null

  @Field(() => DateTime, { nullable: true, description: 'When it was sent; null before.' })
  sentAt!: string | null

  @Field(() => Int, { nullable: true, description: 'Number of times that people opened it.' })
  openCount!: number | null

  @Field(() => DateTime, { description: 'When it was queued or received.' })
  createdAt!: string
}

export const historyMax = 100
/** The threads of the contact with the newest mails. */
const threadsMax = 200

const fields = new Set([
  'id',
  'threadId',
  'direction',
  'subject',
  'bodyText',
  'status',
  'sentAt',
  'openCount',
  'createdAt',
])

type Row = Omit<SmartEmailHistoryEntry, 'messageId' | 'preview'> & { id: string; bodyText: string | null }

export async function requireContact(ctx: RequestContext, contactId: string): Promise<string> {
  const id = contactId.toLowerCase()
  if (!isId(id) || !(await visibleContacts(ctx, [id])).has(id)) throw notFound('The contact')
  return id
}

/** The newest mails of the threads that concern the contact and that the caller sees, newest first. */
export async function historyOf(ctx: RequestContext, given: string, limit: number): Promise<SmartEmailHistoryEntry[]> {
  if (limit < 1 || limit > historyMax) {
    const message = `limit must be between 1 and ${historyMax}.`
    throw invalid({ path: 'limit', code: 'OUT_OF_RANGE', message })
  }
  const contactId = await requireContact(ctx, given)
  const predicate = new TenantPredicate(ctx.caller)
  const columns = selectList(emailMessage, fields, 'm', fieldRules(ctx.caller, emailMessage))
  const count = predicate.values.add(limit)
  const rows = await ctx.db.query<Row>(
    `select ${columns}, d.id as "draftId"
     from (
       select m.id from (
         select t.id from ${emailThread.table} t
         where t.contact_id = ${predicate.values.add(contactId)} and ${predicate.live(emailThread, 't')}
         order by t.created_at desc, t.id desc limit ${threadsMax}
       ) t cross join lateral (
         select m.id, m.created_at from ${emailMessage.table} m
         where m.organization_id = ${predicate.organization()} and m.thread_id = t.id and m.deleted_at is null
         order by m.created_at desc, m.id desc limit ${count}
       ) m order by m.created_at desc, m.id desc limit ${count}
     ) newest
     join ${emailMessage.table} m on m.organization_id = ${predicate.organization()} and m.id = newest.id
     left join ${smartEmailDraft.table} d on d.message_id = m.id and ${predicate.live(smartEmailDraft, 'd')}
     order by m.created_at desc, m.id desc`,
    predicate.values.list,
    'LIST',
  )
  ctx.answered?.records(emailMessage, rows)
  return rows.map(({ id, bodyText, ...row }) => ({
    ...row,
    messageId: id,
    preview:
      bodyText === null ? null : [...bodyText.slice(0, 1000).replaceAll(/\s+/g, ' ').trim()].slice(0, 200).join(''),
  }))
}

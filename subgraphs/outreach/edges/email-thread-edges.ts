import { edgeToMany } from '../../kernel/record/edge-to-many.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { EmailThreadConnection, EmailThreadConnectionArgs } from '../email/email.inputs.ts'
import { emailThread } from '../email/email.record.ts'
import { EmailThread } from '../email/email-thread.ts'
import { ReplyDraftConnection, ReplyDraftConnectionArgs } from '../reply-draft/reply-draft.inputs.ts'
import { replyDraft } from '../reply-draft/reply-draft.record.ts'
import { smartEmailTypes } from '../smart-email/smart-email.inputs.ts'
import { smartEmailDraft } from '../smart-email/smart-email.record.ts'
import { Account, Case, Contact, Lead, Opportunity } from './extended-records.ts'

const types = { Connection: EmailThreadConnection, ConnectionArgs: EmailThreadConnectionArgs }
const parents = { account: Account, contact: Contact, lead: Lead, opportunity: Opportunity, case: Case } as const

/** Edges to threads from the records that they concern, and from threads to their drafts. */
export const emailThreadEdges: readonly Resource[] = [
  ...Object.entries(parents).map(([parent, type]) =>
    edgeToMany(type, 'emailThreads', {
      records: emailThread,
      types,
      by: `${parent as keyof typeof parents}Id`,
      nullable: true,
      description: `Threads of mails that concern the ${parent} and that the caller sees, newest first by default; null while they cannot be read.`,
    }),
  ),
  edgeToMany(EmailThread, 'replyDrafts', {
    records: replyDraft,
    types: { Connection: ReplyDraftConnection, ConnectionArgs: ReplyDraftConnectionArgs },
    by: 'threadId',
    description: 'Drafts of replies in the thread, newest first by default.',
  }),
  edgeToMany(EmailThread, 'smartEmailDrafts', {
    records: smartEmailDraft,
    types: smartEmailTypes,
    by: 'threadId',
    description: 'Drafts of mails that continue the thread and that the caller sees, newest first by default.',
  }),
]

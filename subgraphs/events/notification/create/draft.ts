import type { Recipient } from '../../../identity/public.ts'
import { newId } from '../../../kernel/ids.ts'
import type { NotificationKind } from '../catalog/notification-kind.ts'
import type { Candidate } from './candidates.ts'
import type { Composed } from './compose.ts'
import type { Plan } from './delivery-plan.ts'

/** A row of `events.notification`, by the names of its columns. */
export interface NotificationRow {
  readonly id: string
  readonly user_id: string
  readonly event_key: string
  readonly category: string
  readonly title: string
  readonly body: string
  readonly subject: string | null
  readonly priority: string
  readonly entity_type: string | null
  readonly entity_id: string | null
  readonly action_url: string | null
  readonly actor_id: string | null
  readonly group_key: string
  readonly count: number
  readonly event_id: string
  readonly in_app: string
  readonly email: string
  readonly email_due_at: string | null
  readonly push: string
  readonly created_at: string
}

/** A notification to insert, and what follows from it. */
export interface Draft {
  readonly row: NotificationRow
  readonly kind: NotificationKind
  readonly recipient: Recipient
  readonly pushDueAt: Date | null
}

/** The REST collections of the record types. */
const paths: Readonly<Record<string, string>> = {
  account: 'accounts',
  api_key: 'api-keys',
  case: 'cases',
  lead: 'leads',
  opportunity: 'opportunities',
  order: 'orders',
  quote: 'quotes',
  task: 'tasks',
  webhook: 'webhooks',
}

const pathOf = (object: string, id: string): string | null => (paths[object] ? `/v1/${paths[object]}/${id}` : null)

export function groupKeyOf({ kind, subject, record }: Candidate): string {
  const group = kind.groupsBy === undefined ? kind.groupsByRecord && subject.id : record[kind.groupsBy]
  return typeof group === 'string' ? `${kind.key}:${group}` : kind.key
}

export function singleDraft(
  candidate: Candidate,
  recipient: Recipient,
  { title, body, subject }: Composed,
  plan: Plan,
  now: Date,
): Draft {
  const { kind, event, subject: about } = candidate
  const row = {
    id: newId(),
    user_id: recipient.id,
    event_key: kind.key,
    category: kind.category,
    title,
    body,
    subject,
    priority: kind.priority,
    entity_type: about.object,
    entity_id: about.id,
    action_url: pathOf(about.object, about.id),
    actor_id: event.actorId,
    group_key: groupKeyOf(candidate),
    count: 1,
    event_id: event.id,
    in_app: plan.inApp,
    email: plan.email,
    email_due_at: plan.emailDueAt?.toISOString() ?? null,
    push: plan.push,
    created_at: now.toISOString(),
  }
  return { row, kind, recipient, pushDueAt: plan.pushDueAt }
}

export const collectiveTitle = (kind: NotificationKind, count: number): string => `${kind.title} (${count} more)`

/** The notification that stands for all further ones of a kind in an hour. It is listed only. */
export function collectiveDraft({ kind, event }: Candidate, recipient: Recipient, count: number, now: Date): Draft {
  const row = {
    id: newId(),
    user_id: recipient.id,
    event_key: kind.key,
    category: kind.category,
    title: collectiveTitle(kind, count),
    body: '',
    subject: null,
    priority: kind.priority,
    entity_type: null,
    entity_id: null,
    action_url: null,
    actor_id: null,
    group_key: kind.key,
    count,
    event_id: event.id,
    in_app: 'SENT',
    email: 'SUPPRESSED',
    email_due_at: null,
    push: 'SUPPRESSED',
    created_at: now.toISOString(),
  }
  return { row, kind, recipient, pushDueAt: null }
}

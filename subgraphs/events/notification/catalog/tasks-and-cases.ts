import type { LoggedEvent } from '../../../kernel/outbox/event-feed.ts'
import { mentionedIn, withoutMentions } from './mentions.ts'
import { channels, changedBy, dueOn, words, type NotificationKind, type Values } from './notification-kind.ts'

const assigneeElseOwner = ['assignedToId', 'ownerId'] as const

const commentOf = ({ data }: LoggedEvent): { readonly caseId: string; readonly body?: unknown } =>
  data['record'] as { caseId: string; body?: unknown }

const mentioned = (event: LoggedEvent): readonly string[] => mentionedIn(commentOf(event).body)

/** What notifications of comments have in common: the case is their record. */
const ofComment = {
  about: (event) => ({ object: 'case', id: commentOf(event).caseId }),
  groupsByRecord: true,
  nameField: 'subject',
  body: ({ event, nameOf }) => {
    const { body } = commentOf(event)
    const author = nameOf(event.actorId)
    const text = typeof body === 'string' ? withoutMentions(body) : ''
    return [author ? `${author}: ${text}` : text]
  },
} as const satisfies Partial<NotificationKind>

export const tasksAndCases: readonly NotificationKind[] = [
  {
    key: 'task.reminder',
    on: ['task.reminder'],
    category: 'TASKS',
    title: 'Reminder of a task',
    description: 'The reminder of a task of yours is due.',
    priority: 'NORMAL',
    channels: channels.listAndPush,
    to: ['assignedToId'],
    isForActor: true,
    nameField: 'subject',
    body: ({ record }) => [dueOn(record['dueDate'])],
  },
  {
    key: 'task.overdue',
    on: ['task.overdue'],
    category: 'TASKS',
    title: 'A task is overdue',
    description: 'The due date of a task of yours has passed.',
    priority: 'NORMAL',
    channels: channels.all,
    to: ['assignedToId'],
    isForActor: true,
    nameField: 'subject',
    body: ({ record }) => [dueOn(record['dueDate'], 'It was due')],
  },
  {
    key: 'task.completed',
    on: ['task.completed'],
    category: 'TASKS',
    title: 'A task that you created was completed',
    description: 'Somebody completed a task that you had created.',
    priority: 'LOW',
    channels: channels.list,
    to: ['createdById'],
    nameField: 'subject',
    body: ({ event, nameOf }) => {
      const name = nameOf(event.actorId)
      return [name && `Completed by ${name}.`]
    },
  },
  {
    key: 'case.escalated',
    on: ['case.escalated'],
    category: 'CASES',
    title: 'A case was escalated',
    description: 'A case was escalated that you own or are assigned to, or whose owner is in a team that you manage.',
    priority: 'HIGH',
    channels: channels.all,
    to: assigneeElseOwner,
    others: 'MANAGERS_OF_OWNER',
    groupsByRecord: true,
    nameField: 'subject',
    body: ({ record }) => [
      record['priority'] ? `Priority ${words(record['priority'])}.` : null,
      dueOn(record['slaDueAt']),
    ],
  },
  {
    key: 'case.sla_breached',
    on: ['case.sla_breached'],
    category: 'CASES',
    title: 'A case passed its due time',
    description: 'A case that you own or are assigned to was not resolved in time.',
    priority: 'HIGH',
    channels: channels.all,
    to: assigneeElseOwner,
    isForActor: true,
    groupsByRecord: true,
    nameField: 'subject',
    body: ({ record }) => [dueOn(record['slaDueAt'], 'It was due')],
  },
  {
    key: 'case.status_changed',
    on: ['case.status_changed'],
    category: 'CASES',
    title: 'The status of a case changed',
    description: 'Somebody changed the status of a case that you own or are assigned to.',
    priority: 'LOW',
    channels: channels.list,
    to: assigneeElseOwner,
    // An escalation is a kind of its own.
    when: ({ data }) => data['status'] !== 'ESCALATED',
    groupsByRecord: true,
    nameField: 'subject',
    body: (told) => [`It is ${words(told.record['status'])}.`, changedBy(told)],
  },
  {
    key: 'case.comment_added',
    on: ['case.comment_added'],
    category: 'CASES',
    title: 'A comment was added to a case',
    description: 'Somebody commented on a case that you own or are assigned to.',
    priority: 'NORMAL',
    channels: channels.listAndPush,
    ...ofComment,
    to: assigneeElseOwner,
    // A mention is a kind of its own.
    except: mentioned,
  },
  {
    key: 'triage.opened',
    on: ['triage.opened', 'triage.reopened'],
    category: 'CASES',
    title: 'An account of yours is at risk',
    description: 'The health triage opened a case for an account that you own, or opened it again.',
    priority: 'NORMAL',
    channels: channels.all,
    to: ['ownerId'],
    when: ({ data }) => (data['record'] as Values)['notifiesOwner'] === true,
    // A profile may hide how high the risk is, so the notification tells nothing of it.
    about: ({ data }) => ({ object: 'account', id: (data['record'] as Values)['accountId'] as string }),
    groupsByRecord: true,
    nameField: 'name',
  },
  {
    key: 'case.comment_mention',
    on: ['case.comment_added'],
    category: 'CASES',
    title: 'You were mentioned in a comment',
    description: 'Somebody mentioned you in a comment on a case that you may see; at most 20 users for each comment.',
    priority: 'NORMAL',
    channels: channels.all,
    ...ofComment,
    to: [],
    named: mentioned,
  },
]

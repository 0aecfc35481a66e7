import { actorIdOf } from '../../kernel/context.ts'
import { Refusal, type FieldProblem } from '../../kernel/errors.ts'
import { refusalInState, requireNewStatus, type StateMachine } from '../../kernel/record/transitions.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { parseEmail } from '../../kernel/values/email-address.ts'
import type { SmartEmailDraft } from './smart-email-draft.ts'
import type { SmartEmailStatus } from './smart-email.enumerations.ts'

const isOwner = ({ caller }: RequestContext, { ownerId }: SmartEmailDraft): boolean =>
  caller.kind === 'SYSTEM' || ownerId === actorIdOf(caller)

const send = ['smartEmailDraftSend']
const schedule = ['smartEmailDraftSchedule']
const discard = ['smartEmailDraftDelete']

export const smartEmailStates: StateMachine<SmartEmailDraft, SmartEmailStatus> = {
  name: 'draft',
  scope: 'WRITE_EMAILS',
  mayChange: isOwner,
  transitions: {
    DRAFT: { SCHEDULED: schedule, SENDING: send, DISCARDED: discard },
    SCHEDULED: {
      SCHEDULED: schedule,
      DRAFT: ['smartEmailDraftUnschedule'],
      SENDING: send,
      FAILED: [],
      DISCARDED: discard,
    },
    SENDING: { SENT: [], FAILED: [] },
    SENT: {},
    FAILED: { DRAFT: ['smartEmailDraftUpdate', 'smartEmailDraftRegenerate'], DISCARDED: discard },
    // It is deleted: nothing but its restoration finds it.
    DISCARDED: { DRAFT: ['smartEmailDraftRestore'] },
  },
}

export const requireStatus = (ctx: RequestContext, previous: SmartEmailDraft, to: SmartEmailStatus): Promise<void> =>
  requireNewStatus(ctx, smartEmailStates, previous, to)

const editable: readonly SmartEmailStatus[] = ['DRAFT', 'SCHEDULED', 'FAILED']

/** A mail that is on its way cannot be changed. */
export async function requireEditable(
  ctx: RequestContext,
  previous: SmartEmailDraft,
  wanted: readonly SmartEmailStatus[] = editable,
): Promise<void> {
  const { status } = previous
  if (wanted.includes(status)) return
  const message = `A draft with status ${status} cannot be changed; its status must be ${wanted.join(' or ')}.`
  throw await refusalInState(ctx, smartEmailStates, previous, message)
}

/** The mail bears the name of the owner, so others may read a shared draft and not more. */
export function refuseForeignDraft(ctx: RequestContext, previous: SmartEmailDraft): void {
  if (isOwner(ctx, previous)) return
  throw new Refusal('PERMISSION_DENIED', 'Only the owner of a draft may change, schedule, send or delete it.')
}

/** A subject of several lines could add headers to the mail. */
export const subjectIsOneLine = ({ subject }: SmartEmailDraft): FieldProblem[] =>
  /[\p{Cc}\p{Zl}\p{Zp}]/u.test(subject)
    ? [
        {
          path: 'subject',
          code: 'NOT_ONE_LINE',
          message: 'subject must be one line without control characters.',
        },
      ]
    : []

const lists = ['toEmails', 'ccEmails', 'bccEmails'] as const

/** The canonical addresses, each once. */
export const canonicalAddresses = (next: SmartEmailDraft): Partial<SmartEmailDraft> =>
  Object.fromEntries(lists.map((list) => [list, [...new Set(next[list].map((text) => parseEmail(text) ?? text))]]))

/** A name, a list or a header in an address is refused. */
export const addressesAreValid = (next: SmartEmailDraft): FieldProblem[] =>
  lists.flatMap((list) =>
    next[list].flatMap((text, index): FieldProblem[] => {
      if (parseEmail(text)) return []
      const path = `${list}.${index}`
      return [{ path, code: 'NOT_AN_EMAIL', message: `${path} must be an email address.` }]
    }),
  )

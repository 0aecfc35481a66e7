import { actorIdOf } from '../../kernel/context.ts'
import { Refusal, type FieldProblem } from '../../kernel/errors.ts'
import { requireNewStatus, type Transitions } from '../../kernel/record/transitions.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { parseEmail } from '../../kernel/values/email-address.ts'
import type { SmartEmailDraft } from './smart-email-draft.ts'
import type { SmartEmailStatus } from './smart-email.enumerations.ts'

export const smartEmailTransitions: Transitions<SmartEmailStatus> = {
  DRAFT: ['SCHEDULED', 'SENDING', 'DISCARDED'],
  SCHEDULED: ['SCHEDULED', 'DRAFT', 'SENDING', 'FAILED', 'DISCARDED'],
  SENDING: ['SENT', 'FAILED'],
  SENT: [],
  FAILED: ['DRAFT', 'DISCARDED'],
  DISCARDED: ['DRAFT'],
}

export const requireStatus = ({ status }: SmartEmailDraft, to: SmartEmailStatus): void =>
  requireNewStatus('draft', smartEmailTransitions, status, to)

const editable: readonly SmartEmailStatus[] = ['DRAFT', 'SCHEDULED', 'FAILED']

/** A mail that is on its way cannot be changed. */
export function requireEditable({ status }: SmartEmailDraft, allowed: readonly SmartEmailStatus[] = editable): void {
  if (allowed.includes(status)) return
  const message = `A draft with status ${status} cannot be changed; its status must be ${allowed.join(' or ')}.`
  throw new Refusal('INVALID_STATE', message, { allowed: [...allowed] })
}

/** The mail bears the name of the owner, so others may read a shared draft and not more. */
export function refuseForeignDraft({ caller }: RequestContext, previous: SmartEmailDraft | null): void {
  if (!previous || caller.kind === 'SYSTEM' || previous.ownerId === actorIdOf(caller)) return
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

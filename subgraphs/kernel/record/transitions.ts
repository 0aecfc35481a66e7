import { Refusal } from '../errors.ts'
import { startWithArticle } from './describe.ts'

/** The statuses that may follow each status of a record type. */
export type Transitions<Status extends string> = Readonly<Record<Status, readonly Status[]>>

/** Throws INVALID_STATE with the statuses that may follow, unless `to` is one of them. The same status is always allowed. */
export function requireAllowedTransition<Status extends string>(
  object: string,
  transitions: Transitions<Status>,
  from: Status,
  to: Status,
): void {
  const allowed = transitions[from]
  if (from === to || allowed.includes(to)) return
  const rule = allowed.length > 0 ? `can change to ${allowed.join(', ')}, not to ${to}` : 'cannot change its status'
  throw new Refusal('INVALID_STATE', `${startWithArticle(object)} with status ${from} ${rule}.`, {
    allowed: [...allowed],
  })
}

/** As `requireAllowedTransition`, but the same status is refused too, unless it may follow itself, so that a second request is noticed. */
export function requireNewStatus<Status extends string>(
  object: string,
  transitions: Transitions<Status>,
  from: Status,
  to: Status,
): void {
  const allowed = transitions[from]
  if (from === to && !allowed.includes(to))
    throw new Refusal('INVALID_STATE', `The ${object} has the status ${to} already.`, { allowed: [...allowed] })
  requireAllowedTransition(object, transitions, from, to)
}

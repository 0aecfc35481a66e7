import type { FieldProblem } from '../../kernel/errors.ts'
import { decimalsOf } from '../../kernel/json/exact-number.ts'
import { currencyDecimals } from '../../kernel/values/currency.ts'
import { decimalOf, exactOf } from '../../kernel/values/decimal.ts'
import type { Opportunity } from './opportunity.ts'

/** An amount that is paid has at most the decimals of its currency. */
export function amountFitsCurrency({ amount, currency }: Pick<Opportunity, 'amount' | 'currency'>): FieldProblem[] {
  const decimals = currencyDecimals(currency)
  if ((decimalsOf(amount) ?? Infinity) <= decimals) return []
  const message = `amount must have at most ${decimals} decimals in ${currency}.`
  return [{ path: 'amount', code: 'TOO_PRECISE', message }]
}

/** A contact has one role in a deal, and one contact is primary. */
export function contactRoleProblems({ contactRoles }: Pick<Opportunity, 'contactRoles'>): FieldProblem[] {
  const repeated = contactRoles.flatMap(({ contactId }, index) =>
    contactRoles.findIndex((other) => other.contactId === contactId) < index ? [index] : [],
  )
  const problems = repeated.map((index): FieldProblem => {
    const path = `contactRoles.${index}.contactId`
    return { path, code: 'NOT_UNIQUE', message: `${path} must differ from the other contacts of the deal.` }
  })
  if (contactRoles.filter(({ isPrimary }) => isPrimary).length < 2) return problems
  const message = 'contactRoles must have at most one contact with isPrimary true.'
  return [...problems, { path: 'contactRoles', code: 'NOT_UNIQUE', message }]
}

/**
 * Values that follow from the others: the expected revenue, the contacts, the first close date, and how often the close date was moved to a
 * later time.
 */
export function calculatedValues(
  next: Opportunity,
  previous: Opportunity | null,
  given: Partial<Opportunity>,
): Partial<Opportunity> {
  const expectedRevenue = exactOf(decimalOf(next.amount).times(decimalOf(next.probability)).times('0.01'))
  const calculated = { expectedRevenue, ...contactsOf(next, given) }
  if (!previous) return { ...calculated, originalCloseDate: given.originalCloseDate ?? next.closeDate }
  const isPushed = !previous.isClosed && Date.parse(next.closeDate) > Date.parse(previous.closeDate)
  return { ...calculated, closeDatePushCount: previous.closeDatePushCount + (isPushed ? 1 : 0) }
}

/** `primaryContactId` and `isPrimary` of the roles say the same; a client may set either of them. */
function contactsOf(next: Opportunity, given: Partial<Opportunity>): Partial<Opportunity> {
  const followsRoles = given.contactRoles !== undefined && given.primaryContactId === undefined
  const primaryContactId = followsRoles
    ? (next.contactRoles.find(({ isPrimary }) => isPrimary)?.contactId ?? null)
    : next.primaryContactId
  const known = next.contactRoles.some(({ contactId }) => contactId === primaryContactId)
  const contactRoles = followsRoles
    ? next.contactRoles
    : next.contactRoles.map((role) => ({ ...role, isPrimary: role.contactId === primaryContactId }))
  if (primaryContactId && !known) contactRoles.push({ contactId: primaryContactId, role: null, isPrimary: true })
  return { primaryContactId, contactRoles, contactIds: contactRoles.map(({ contactId }) => contactId) }
}

import type { FieldProblem } from '../../kernel/errors.ts'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { decimalOf, exactOf, zero } from '../../kernel/values/decimal.ts'
import type { OrderLineItem } from './order-line.ts'

/** A quantity of one line that was delivered. */
export interface Delivery {
  readonly lineItemId: string
  readonly quantity: ExactNumber
}

type Line = Pick<OrderLineItem, 'id' | 'quantity' | 'quantityFulfilled'>

const open = ({ quantity, quantityFulfilled }: Line) => decimalOf(quantity).minus(decimalOf(quantityFulfilled))

/** Why these quantities cannot be delivered. */
export function deliveryProblems(lines: readonly Line[], deliveries: readonly Delivery[]): FieldProblem[] {
  const byId = new Map(lines.map((line) => [line.id, line]))
  const named = new Set<string>()
  return deliveries.flatMap(({ lineItemId, quantity }, index) => {
    const path = `lines.${index}`
    const id = lineItemId.toLowerCase()
    const line = byId.get(id)
    if (!line) {
      const message = `${path}.lineItemId must be the id of a line of the order.`
      return [{ path: `${path}.lineItemId`, code: 'UNKNOWN_REFERENCE', message }]
    }
    if (named.has(id)) {
      const message = `${path}.lineItemId must be unique; add the quantities of the line.`
      return [{ path: `${path}.lineItemId`, code: 'NOT_UNIQUE', message }]
    }
    named.add(id)
    const delivered = decimalOf(quantity)
    if (delivered.gt(zero) && delivered.lte(open(line))) return []
    const message = `${path}.quantity must be above 0 and at most ${open(line).toFixed()}, the open quantity of the line.`
    return [{ path: `${path}.quantity`, code: 'OUT_OF_RANGE', message }]
  })
}

/** The lines after the delivery; without deliveries, all open quantities are delivered. */
export function fulfilledLines<L extends Line>(lines: readonly L[], deliveries: readonly Delivery[] | null): L[] {
  if (!deliveries) return lines.map((line) => ({ ...line, quantityFulfilled: line.quantity }))
  const delivered = new Map(deliveries.map(({ lineItemId, quantity }) => [lineItemId.toLowerCase(), quantity]))
  return lines.map((line) => {
    const quantity = delivered.get(line.id)
    if (quantity === undefined) return line
    return { ...line, quantityFulfilled: exactOf(decimalOf(line.quantityFulfilled).plus(decimalOf(quantity))) }
  })
}

export const isFulfilled = (lines: readonly Line[]): boolean => lines.every((line) => open(line).eq(zero))

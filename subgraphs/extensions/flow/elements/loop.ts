import { itemsMax } from '../bounds.ts'
import { ElementFailure, orOutput, settings, type ElementType } from './element-type.ts'

const body = (): readonly string[] => ['body']

export const loop: ElementType = {
  type: 'LOOP',
  schema: settings({ items: orOutput({ type: 'array', maxItems: itemsMax }) }, ['items']),
  connectors: body,
  required: body,
  scopes: () => [],
  run({ input }) {
    const { items } = input
    if (!Array.isArray(items)) throw new ElementFailure('WRONG_VALUE', 'items is no list.')
    if (items.length > itemsMax) throw new ElementFailure('TOO_MANY', `items has more than ${itemsMax} items.`)
    return { items }
  },
}

import { loopItemsMax, stepIdPattern } from '../bounds.ts'
import { failed, orOutput, settings, type StepType } from './step-type.ts'

export const loop: StepType = {
  type: 'LOOP',
  schema: settings(
    {
      items: orOutput({ type: 'array', maxItems: loopItemsMax }),
      body: { type: 'string', pattern: stepIdPattern.source },
    },
    ['items', 'body'],
  ),
  scopes: () => [],
  isRepeatable: () => true,
  run({ input, config }) {
    const { items } = input
    if (!Array.isArray(items)) return failed('WRONG_VALUE', 'items is no list.')
    if (items.length > loopItemsMax) return failed('TOO_MANY', `items has more than ${loopItemsMax} items.`)
    return { body: String(config['body']), count: items.length }
  },
}

import { isJsonObject } from '../../../kernel/json/exact-number.ts'
import { apiNamePattern } from '../../function/bounds.ts'
import { variablesMax } from '../bounds.ts'
import { faultConnector, settings, type ElementType } from './element-type.ts'

export const subflow: ElementType = {
  type: 'SUBFLOW',
  schema: settings(
    {
      flowApiName: { type: 'string', pattern: apiNamePattern.source },
      inputs: { type: 'object', maxProperties: variablesMax },
    },
    ['flowApiName'],
  ),
  connectors: faultConnector,
  scopes: () => [],
  run({ input, config }) {
    const { inputs } = input
    return { subflow: String(config['flowApiName']), inputs: isJsonObject(inputs) ? inputs : {} }
  },
}

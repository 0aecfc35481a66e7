import { phases } from '../../kernel/metadata/component.ts'
import { recordComponent } from '../../kernel/metadata/record-component.ts'
import { apiNamePattern } from '../function/bounds.ts'
import { createAction, deleteAction, updateAction } from './custom-action.actions.ts'
import { customAction } from './custom-action.record.ts'
import { mappingEntriesMax } from './custom-action.ts'

const mappingRules = { type: ['object', 'null'], maxProperties: mappingEntriesMax }

export const customActionComponent = recordComponent({
  type: 'CUSTOM_ACTION',
  noun: 'custom action',
  description: 'An action of the organization on its records: actions/<apiName>.action.json.',
  folder: 'actions',
  suffix: '.action.json',
  phase: phases.actions,
  definition: customAction,
  properties: {
    apiName: { rules: { pattern: apiNamePattern.source } },
    label: {},
    description: {},
    url: { rules: { format: 'uri', pattern: '^https://' } },
    function: {},
    inputSchema: { rules: { type: 'object' } },
    outputSchema: { rules: { type: 'object' } },
    inputMapping: { rules: mappingRules },
    outputMapping: { rules: mappingRules },
    kind: {},
    idempotent: {},
    maxRetries: {},
    timeoutMs: {},
    objectTypes: {},
    allowManual: {},
    exposeAsTool: {},
    toolDescription: {},
  },
  required: ['apiName', 'label', 'inputSchema', 'outputSchema'],
  nameOf: ({ apiName }) => String(apiName),
  create: createAction,
  update: updateAction,
  remove: deleteAction,
  warnings: ({ url }, isNew) =>
    isNew && url
      ? ['Its requests are signed with a new secret; regenerate the secret of the action to learn one.']
      : [],
})

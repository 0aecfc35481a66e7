import { phases } from '../../kernel/metadata/component.ts'
import { recordComponent } from '../../kernel/metadata/record-component.ts'
import { extendedTypeRules } from '../extended-type.ts'
import { createTrigger, deleteTrigger, updateTrigger } from './trigger.actions.ts'
import { afterSaveTrigger } from './trigger.record.ts'

export const afterSaveTriggerComponent = recordComponent({
  type: 'AFTER_SAVE_TRIGGER',
  noun: 'after-save trigger',
  description: 'A trigger that runs a function after changes were saved: after-save/<OBJECT>.<name>.trigger.json.',
  folder: 'after-save',
  suffix: '.trigger.json',
  phase: phases.hooks,
  definition: afterSaveTrigger,
  properties: {
    objectType: { rules: extendedTypeRules },
    name: {},
    description: {},
    operations: { rules: { minItems: 1 } },
    function: {},
    timeoutMs: {},
    position: {},
  },
  required: ['objectType', 'name', 'operations', 'function'],
  nameOf: ({ objectType, name }) => `${String(objectType)}.${String(name)}`,
  create: createTrigger,
  update: updateTrigger,
  remove: deleteTrigger,
})

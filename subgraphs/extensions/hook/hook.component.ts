import { phases } from '../../kernel/metadata/component.ts'
import { recordComponent } from '../../kernel/metadata/record-component.ts'
import { extendedTypeRules } from '../extended-type.ts'
import { createHook, deleteHook, updateHook } from './hook.actions.ts'
import { beforeSaveHook } from './hook.record.ts'

export const beforeSaveHookComponent = recordComponent({
  type: 'BEFORE_SAVE_HOOK',
  noun: 'before-save hook',
  description: 'A hook that decides on changes before they are saved: hooks/<OBJECT>.<name>.hook.json.',
  folder: 'hooks',
  suffix: '.hook.json',
  phase: phases.hooks,
  definition: beforeSaveHook,
  properties: {
    objectType: { rules: extendedTypeRules },
    name: {},
    description: {},
    operations: {},
    url: { rules: { format: 'uri' } },
    function: {},
    timeoutMs: {},
    failureMode: {},
    position: {},
  },
  required: ['objectType', 'name'],
  nameOf: ({ objectType, name }) => `${String(objectType)}.${String(name)}`,
  create: createHook,
  update: updateHook,
  remove: deleteHook,
  warnings: ({ url }, isNew) =>
    isNew && url ? ['Its calls are signed with a new secret; regenerate the secret of the hook to learn one.'] : [],
})

import { phases } from '../../kernel/metadata/component.ts'
import { recordComponent } from '../../kernel/metadata/record-component.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import { extendedTypeRules } from '../extended-type.ts'
import { validationRule } from './validation-rule.record.ts'

const rules = recordsOf(validationRule)

export const validationRuleComponent = recordComponent({
  type: 'VALIDATION_RULE',
  noun: 'validation rule',
  description: 'A rule that refuses changes of records: validation-rules/<ENTITY>.<name>.rule.json.',
  folder: 'validation-rules',
  suffix: '.rule.json',
  phase: phases.rules,
  definition: validationRule,
  properties: {
    entityType: { rules: extendedTypeRules },
    name: {},
    description: {},
    isActive: {},
    appliesTo: {},
    conditions: { isOpen: true, rules: { type: 'array', items: { type: 'object' } } },
    logic: {},
    errorMessage: {},
    errorField: {},
  },
  required: ['entityType', 'name', 'conditions', 'errorMessage'],
  nameOf: ({ entityType, name }) => `${String(entityType)}.${String(name)}`,
  create: (ctx, values) => {
    requireAdministrator(ctx)
    return rules.create(ctx, values)
  },
  update: (ctx, id, values, version) => {
    requireAdministrator(ctx)
    return rules.update(ctx, id, values, version)
  },
  remove: (ctx, id, version) => {
    requireAdministrator(ctx)
    return rules.remove(ctx, id, version)
  },
})

import type { Sender } from './sender.ts'
import { freshPrefix } from './valid-values.ts'

/** A rule that no record of the tests breaks. Its field is one of every record type. */
const rule = () => ({
  name: `${freshPrefix()}rule`,
  conditions: [{ field: 'externalId', operator: 'EQUALS', value: 'refused by a rule' }],
  errorMessage: 'The external id must be another one.',
})

const rest = () => ({
  description: 'Agreed in March.',
  isActive: true,
  appliesTo: 'BOTH',
  logic: 'AND',
  errorField: 'externalId',
  tags: ['rules'],
})

export const validationRuleBodies = {
  validationRuleCreate: async (_requests: Sender, whole: boolean) => ({
    entityType: 'TASK',
    ...rule(),
    ...(whole && rest()),
  }),
  validationRuleUpdate: async (_requests: Sender, whole: boolean) => (whole ? { ...rule(), ...rest() } : {}),
}

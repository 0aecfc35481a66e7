import type { Sender } from './sender.ts'
import { freshPrefix } from './valid-values.ts'

/** A rule that is turned off, of which a record type can have more than of those that hold. */
const rule = () => ({
  name: `${freshPrefix()}rule`,
  matchers: [{ field: 'externalId', method: 'EXACT' }],
  isActive: false,
})

const rest = () => ({ logic: 'ANY', action: 'REPORT', tags: ['rules'] })

export const duplicateRuleBodies = {
  duplicateRuleCreate: async (_requests: Sender, whole: boolean) => ({
    object: 'lead',
    ...rule(),
    ...(whole && rest()),
  }),
  duplicateRuleUpdate: async (_requests: Sender, whole: boolean) => (whole ? { ...rule(), ...rest() } : {}),
  duplicatesFind: async (_requests: Sender, whole: boolean) => ({
    object: 'lead',
    values: { externalId: 'a lead' },
    ...(whole && { limit: 20 }),
  }),
}

import type { Sender } from './sender.ts'
import { freshPrefix } from './valid-values.ts'

/** A rule that only reports, so that it refuses no record of the tests. */
const rule = () => ({ name: `${freshPrefix()}rule`, matchers: [{ field: 'externalId', method: 'EXACT' }] })

const rest = () => ({ logic: 'ANY', action: 'REPORT', isActive: true, tags: ['rules'] })

export const duplicateRuleBodies = {
  duplicateRuleCreate: async (_requests: Sender, whole: boolean) => ({
    object: 'lead',
    ...rule(),
    ...(whole && rest()),
  }),
  duplicateRuleUpdate: async (_requests: Sender, whole: boolean) => (whole ? { ...rule(), ...rest() } : {}),
}

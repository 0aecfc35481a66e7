import { customValuesSql, withFormulasSql } from '../../subgraphs/kernel/record/computed-values.ts'
import type { RecordShape } from '../../subgraphs/kernel/record/definition.ts'
import { storedFormulas } from '../../subgraphs/kernel/record/store-formulas.ts'
import type { Platform } from '../platform.ts'

interface Wrong extends Record<string, unknown> {
  readonly id: string
  readonly stored: object
  readonly read: object
  readonly computed: object
}

const wrong = (platform: Platform, organizationId: string, shape: RecordShape, compared: 'stored' | 'read') => {
  const stored = `t.custom_fields`
  const computed = withFormulasSql(stored, storedFormulas(shape), 't')
  return platform.query<Wrong>(
    `select * from (select t.id, ${stored} as stored, ${customValuesSql(stored, shape.columns, 't')} as read, ${computed} as computed
       from ${shape.table} t where t.organization_id = $1) c where c.${compared} is distinct from c.computed`,
    [organizationId],
  )
}

/** The records, deleted ones included, that have another value of a formula over their own fields than its SQL gives. */
export const wronglyStored = (platform: Platform, organizationId: string, shape: RecordShape) =>
  wrong(platform, organizationId, shape, 'stored')

/** The same of what reads give, which must be right at every moment. */
export const wronglyRead = (platform: Platform, organizationId: string, shape: RecordShape) =>
  wrong(platform, organizationId, shape, 'read')

import type { ColumnOptions } from '../../kernel/record/column.ts'
import { entityMax } from './bounds.ts'

const target = { nullable: true, writable: 'ON_CREATE', max: entityMax, example: null } as const

/** The columns of a definition that are for fields of the type LOOKUP. */
export const lookupColumns = {
  entity: {
    ...target,
    description:
      'LOOKUP: the record type of the platform whose ids the values are: LEAD, CONTACT, ACCOUNT, OPPORTUNITY, PRODUCT, QUOTE, TASK or CASE; null for a custom object, and for other types of fields. It never changes.',
  },
  object: {
    ...target,
    description:
      'LOOKUP: `custom:` and the name of the custom object whose ids the values are; null for a record type of the platform, and for other types of fields. It never changes.',
  },
  deleteBehavior: {
    nullable: true,
    example: null,
    description:
      'LOOKUP: what becomes of the values when the record that they name is deleted; without it CLEAR, and for a required field it must be RESTRICT. Null for other types of fields.',
  },
} as const satisfies Readonly<Record<string, ColumnOptions>>

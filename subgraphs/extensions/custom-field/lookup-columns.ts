import type { ColumnOptions } from '../../kernel/record/column.ts'
import { entityMax } from './bounds.ts'

const target = { nullable: true, writable: 'ON_CREATE', max: entityMax, example: null } as const

/** The columns of a definition that are for fields whose values are ids of records. */
export const lookupColumns = {
  entity: {
    ...target,
    description:
      'LOOKUP and MASTER_DETAIL: the record type of the platform whose ids the values are: LEAD, CONTACT, ACCOUNT, OPPORTUNITY, PRODUCT, QUOTE, TASK or CASE; null for a custom object, and for other types of fields. It never changes.',
  },
  object: {
    ...target,
    description:
      'LOOKUP and MASTER_DETAIL: `custom:` and the name of the custom object whose ids the values are; null for a record type of the platform, and for other types of fields. It never changes.',
  },
  deleteBehavior: {
    nullable: true,
    example: null,
    description:
      'LOOKUP: what becomes of the values when the record that they name is deleted; without it CLEAR, and for a required field it must be RESTRICT. Null for other types of fields.',
  },
  isReparentable: {
    default: false,
    example: false,
    description:
      'MASTER_DETAIL: whether a record can get another master after its creation, one that whoever changes it sees.',
  },
} as const satisfies Readonly<Record<string, ColumnOptions>>

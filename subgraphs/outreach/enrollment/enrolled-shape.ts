import { recordType } from '../../kernel/record/record-registry.ts'
import type { SequenceEntityType } from './enrollment.enumerations.ts'

const objects = { LEAD: 'lead', CONTACT: 'contact' } as const

/** The record type of those who are enrolled. */
export const shapeOf = (entityType: SequenceEntityType) => recordType(objects[entityType])()

import { isSameValue } from '../../kernel/record/same-value.ts'
import type { CustomFieldChange } from '../custom-field/custom-field.enumerations.ts'
import type { CustomField } from '../custom-field/custom-field.ts'

export const buildFormulaName: CustomFieldChange = 'BUILD_FORMULA'

type WithFormula = Pick<CustomField, 'fieldType' | 'isActive' | 'formulaConfig' | 'deletedAt' | 'hasValues'>

/** Whether writes of records compute the formula. */
const isInUse = ({ fieldType, isActive, deletedAt }: WithFormula): boolean =>
  fieldType === 'FORMULA' && isActive && deletedAt === null

const isNewlyInUse = (next: WithFormula, previous: WithFormula | null): boolean =>
  isInUse(next) && (previous === null || !isInUse(previous) || !isSameValue(next.formulaConfig, previous.formulaConfig))

/** Reads must not use what is stored of a formula that is not in use, which writes no longer follow, or of another definition. */
export const valuesAfter = (next: CustomField, previous: CustomField | null): Partial<CustomField> =>
  next.hasValues && (!isInUse(next) || (previous !== null && isNewlyInUse(next, previous))) ? { hasValues: false } : {}

/** Whether the values must be written into the records: before, writes did not write them, or wrote others. */
export const needsValues = (next: WithFormula, previous: WithFormula | null): boolean =>
  isInUse(next) && !next.hasValues && (isNewlyInUse(next, previous) || previous!.hasValues)

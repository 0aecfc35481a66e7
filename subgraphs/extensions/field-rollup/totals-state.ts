import { isSameValue } from '../../kernel/record/same-value.ts'
import type { CustomField } from '../custom-field/custom-field.ts'

type WithConfig = Pick<CustomField, 'isActive' | 'rollupConfig' | 'deletedAt' | 'hasTotals'>

/** Whether writes add to the totals of the field, or write the values of which it is the least or the greatest. */
export const isRolledUp = ({ isActive, rollupConfig, deletedAt }: Omit<WithConfig, 'hasTotals'>): boolean =>
  deletedAt === null && isActive && rollupConfig !== null

const hasOtherConfig = (next: WithConfig, previous: WithConfig | null): boolean =>
  previous !== null && !isSameValue(next.rollupConfig, previous.rollupConfig)

/** Whether what reads use of the field must be built: before, writes did not write it, or wrote another one. */
export const needsBuilding = (next: WithConfig, previous: WithConfig | null): boolean =>
  isRolledUp(next) && (previous === null ? !next.hasTotals : !isRolledUp(previous) || hasOtherConfig(next, previous))

/** Reads must not use what is there of a field that is not in use, which writes no longer follow, or of another configuration. */
export const totalsAfter = (next: CustomField, previous: CustomField | null): Partial<CustomField> =>
  isRolledUp(next) && !hasOtherConfig(next, previous) ? {} : { hasTotals: false }

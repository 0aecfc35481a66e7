import { enumeration } from '../../kernel/record/column.ts'

export const PeriodType = enumeration('PeriodType', 'The length of a period of quotas and forecasts.', {
  MONTH: 'A calendar month, such as 2027-02.',
  QUARTER: 'A quarter of the fiscal year, such as 2027-Q1, which is the first one of the fiscal year.',
  YEAR: 'A fiscal year, such as 2027, which begins in 2027.',
})
export type PeriodType = keyof typeof PeriodType

import type { ExactNumber } from '../../kernel/json/exact-number.ts'

/** What is known about an account, as far as a user sees it. A part that the user may not read, or that is late, is null. Dates are days of the user. */
export interface Facts {
  readonly today: string
  readonly account: {
    readonly name: string
    readonly type: string | null
    readonly industry: string | null
    readonly owner: string | null
  }
  readonly health: number | null
  readonly openDeals: { readonly total: number; readonly first: readonly Deal[] } | null
  readonly invoices: {
    readonly currency: string
    readonly outstanding: ExactNumber
    readonly overdueCount: number
    readonly overdue: readonly Invoice[]
  } | null
  readonly openCases: { readonly total: number; readonly escalated: number; readonly newest: readonly Case[] } | null
  readonly lastActivities: readonly Activity[] | null
}

interface Deal {
  readonly name: string | null
  readonly stage: string | null
  readonly amount: ExactNumber | null
  readonly currency: string | null
  readonly probability: ExactNumber | null
  readonly closeDate: string | null
}

interface Invoice {
  readonly number: string | null
  readonly amountDue: ExactNumber | null
  readonly currency: string | null
  readonly dueDate: string | null
}

interface Case {
  readonly number: number | null
  readonly subject: string | null
  readonly status: string | null
  readonly priority: string | null
}

interface Activity {
  readonly type: string | null
  readonly subject: string | null
  readonly date: string
}

/** The texts of a brief. */
export interface Brief {
  readonly summary: string
  readonly highlights: readonly string[]
  readonly risks: readonly string[]
}

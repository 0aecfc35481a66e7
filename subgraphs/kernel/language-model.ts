import { summaryOf } from './summary.ts'
import type { WorkPool } from './work/work-pool.ts'

/** A text to be condensed: what it is about, and its parts in the order they were written. */
export interface Summarizable {
  readonly title: string
  readonly passages: readonly string[]
}

export interface Summary {
  readonly summary: string
  readonly keyPoints: readonly string[]
  /** Which model wrote it. */
  readonly model: string
}

/** The port to whatever writes text. */
export interface LanguageModel {
  summarize(text: Summarizable, organizationId: string): Promise<Summary>
}

/** Picks sentences that are there instead of writing new ones: nothing leaves the machine. */
export const extractiveModel: LanguageModel = { summarize: async (text) => summaryOf(text) }

/** The same in a thread, as long texts take too long for the event loop. */
export const extractiveModelIn = (work: WorkPool): LanguageModel => ({
  summarize: (text, organizationId) => work.run('summarize', text, organizationId),
})

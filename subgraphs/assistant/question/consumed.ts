import { type Calendar, type DateRange } from './periods.ts'
import { vocabulary, type Meaning, type Vocabulary } from './vocabulary.ts'
import { type Condition } from './question.ts'
import { type Token } from './tokens.ts'

import type { NamedRecord } from './parsed.ts'
/** Consumes the words of a message one after the other. */
export class Consumed {
  readonly words: readonly string[]
  readonly conditions: Condition[] = []
  readonly labels: string[] = []
  readonly names: NamedRecord[] = []
  readonly mentioned: { field: string; text: string }[] = []
  readonly unknown: string[] = []
  readonly meanings: Meaning[] = []
  readonly periods: DateRange[] = []
  #vocabulary: Vocabulary | null = null
  object: string | null = null
  isMine = false
  isContext = false
  groupBy: string | null = null
  measure: string | null = null
  limit: number | null = null
  direction: 'ASC' | 'DESC' | null = null
  readonly flags = new Set<string>()
  protected used: boolean[]
  /** Index of the word that says the record type. */
  protected objectAt = -1

  constructor(
    protected readonly message: string,
    protected readonly tokens: readonly Token[],
    protected readonly calendar: Calendar,
  ) {
    this.words = tokens.map(({ word, isQuoted }) => (isQuoted ? '\u0000' : word))
    this.used = tokens.map(() => false)
  }

  /** The words for the records of the type that was found. */
  protected vocabulary(): Vocabulary {
    this.#vocabulary ??= vocabulary(this.object!, this.calendar.now.toISOString())
    return this.#vocabulary
  }

  protected use(at: number, length = 1): void {
    for (let index = at; index < at + length; index++) this.used[index] = true
  }

  protected isFree(at: number, length: number): boolean {
    return this.used.slice(at, at + length).every((used) => !used)
  }

  protected take(phrase: string): boolean {
    const parts = phrase.split(' ')
    for (let at = 0; at + parts.length <= this.words.length; at++) {
      if (!parts.every((part, index) => this.words[at + index] === part) || !this.isFree(at, parts.length)) continue
      this.use(at, parts.length)
      return true
    }
    return false
  }

  protected flag(name: string, phrases: string): void {
    for (const phrase of phrases.split('|')) if (this.take(phrase)) this.flags.add(name)
  }
}

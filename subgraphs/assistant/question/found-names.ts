import { fieldWords } from './label.ts'
import { isCurrency } from '../../kernel/values/currency.ts'
import { isAmount } from './amounts.ts'
import { numberOfWord, periodAt } from './periods.ts'
import { fillers, kindWords, objectWords } from './vocabulary.ts'

import { Consumed } from './consumed.ts'
import { connectors, longest, polite } from './words-of-questions.ts'

/** Finds what a message is about: the record type and the names. */
export class WithNames extends Consumed {
  /** The words for the field of one record that is asked for. */
  asked: string | null = null

  /** `What is the stage of "…"` asks for a field of one record. */
  protected findAsked(): void {
    const { words } = this
    if (words[0] !== 'what' || words[1] !== 'is' || words[2] !== 'the') return
    const of = words.indexOf('of', 3)
    if (of < 4 || of > 6 || !this.isFree(3, of - 3)) return
    const phrase = words.slice(3, of).join(' ')
    if (/^(?:sum|total|average|mean|number|count|value|amount)\b/.test(phrase)) return
    const next = objectWords.has(words[of + 1] ?? '') ? of + 2 : words[of + 1] === 'the' ? of + 3 : of + 1
    const name = this.tokens[next]
    if (!name || (!name.isQuoted && !name.isCapital)) return
    this.asked = phrase
    this.flags.add('ABOUT')
    this.use(0, of + 1)
  }

  protected findObject(): void {
    if (this.flags.has('ATTAINMENT')) {
      this.object = 'quota'
      return
    }
    const at = this.words.findIndex(
      (word, index) => objectWords.has(word) && !this.used[index] && !this.isReference(index),
    )
    if (at >= 0) {
      this.object = objectWords.get(this.words[at]!)!
      this.objectAt = at
      this.use(at)
      return
    }
    for (let index = 0; index < this.words.length; index++) {
      if (this.used[index]) continue
      const kind = longest(this.words, index, kindWords)
      if (!kind) continue
      const [object, field, value] = kind.value
      this.object = object
      this.use(index, kind.length)
      this.conditions.push({ field, operator: 'eq', value })
      this.labels.push(`${fieldWords(field)} ${value.toLowerCase().replaceAll('_', ' ')}`)
      return
    }
    // Only deals are won and lost.
    if (this.words.some((word) => /^(?:pipeline|won|win|lost|lose)$/.test(word))) this.object = 'opportunity'
  }

  /** Whether a word that says a record type says which record: `this account`. */
  protected isReference(at: number): boolean {
    return this.words[at - 1] === 'this' && /[^s]$/.test(this.words[at]!)
  }

  protected context(): void {
    for (let at = 1; at < this.words.length; at++) {
      if (!objectWords.has(this.words[at]!) || !this.isReference(at)) continue
      this.isContext = true
      this.use(at - 1, 2)
    }
  }

  protected isKnown(index: number): boolean {
    const word = this.words[index]!
    if (this.used[index] || fillers.has(word) || objectWords.has(word) || isAmount(word) || polite.has(word))
      return true
    if (isCurrency(word.toUpperCase()) && word.length === 3) return true
    if (/^(?:my|mine|i|me|top|by|per|who|when|how|average|why)$/.test(word) || numberOfWord(word) !== null) return true
    if (periodAt(this.words, index, this.calendar)) return true
    if (!this.object || this.object === 'quota') return false
    const { own, values, fields } = this.vocabulary()
    return own.has(word) || values.has(word) || fields.has(word)
  }

  protected addName(from: number, to: number): void {
    const before = this.words[from - 1] ?? ''
    const object = objectWords.get(before) ?? null
    if (object && from - 1 !== this.objectAt) this.use(from - 1)
    this.use(from, to - from)
    const tokens = this.tokens.slice(from, to)
    const words = tokens.map(({ text }) => text).join(' ')
    const written = this.message.slice(tokens[0]!.from, tokens.at(-1)!.to).replaceAll(/\s+/g, ' ')
    this.names.push({ text: tokens.length === 1 ? words : written, words, object })
  }

  /** Quoted texts, and runs of capitalised words of which one is not a word of questions, with the unknown words that follow (`plc`). */
  protected nameRuns(): void {
    for (let at = 0; at < this.tokens.length; at++) {
      if (this.tokens[at]!.isQuoted) {
        this.addName(at, at + 1)
        continue
      }
      if (this.used[at] || !this.tokens[at]!.isCapital || (at === 0 && this.isKnown(0))) continue
      // A number before a word that is not known yet, as in `3 largest`, is no name.
      if (isAmount(this.words[at]!)) continue
      let end = at + 1
      for (let next = end; next < this.tokens.length && !this.used[next] && !this.tokens[next]!.isQuoted; next++) {
        if (this.tokens[next]!.isCapital) end = next + 1
        else if (!this.isKnown(next)) end = next + 1
        else if (!connectors.has(this.words[next]!)) break
      }
      let from = at
      while (from < end && (fillers.has(this.words[from]!) || objectWords.has(this.words[from]!))) from++
      const isName = Array.from({ length: end - from }, (_, index) => from + index).some(
        (index) => !this.isKnown(index),
      )
      if (isName) this.addName(from, end)
      at = end - 1
    }
  }
  /** What nothing has understood may be a name in small letters. */
  protected lowercaseNames(): void {
    for (let at = 0; at < this.words.length; at++) {
      if (this.used[at]) continue
      if (fillers.has(this.words[at]!) || polite.has(this.words[at]!)) {
        this.use(at)
        continue
      }
      let end = at + 1
      while (end < this.words.length && !this.used[end] && !fillers.has(this.words[end]!)) end++
      this.addName(at, end)
      at = end - 1
    }
  }
}

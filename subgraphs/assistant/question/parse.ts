import { fieldWords } from './label.ts'
import { recordType } from '../../kernel/record/record-registry.ts'
import { columnOf, hasColumn } from '../../kernel/record/definition.ts'
import { comparisonAt } from './amounts.ts'
import { daysOf, numberOfWord, periodAt, type Calendar } from './periods.ts'
import { defaultDate, fillers, meaningOfValue } from './vocabulary.ts'
import { defaultMeasures, isNumeric, limitMax, moneyFields, type Intent } from './question.ts'
import { messageMax, tokensOf, type Token } from './tokens.ts'

import { WithNames } from './found-names.ts'
import type { Parsed, Parsing } from './parsed.ts'
import { greatest, isWrite, least, longest, phraseAt } from './words-of-questions.ts'

/** Consumes the words of a message one after the other. */
class Parser extends WithNames {
  parse(): Parsed {
    this.flag('ATTAINMENT', 'quota attainment|attainment of the quota|quota attained|quota|attained|attainment')
    this.flag(
      'TIMELINE',
      'last activity|latest activity|recent activity|recent activities|timeline|what happened|recently|last contact|when did we last talk to|when did we last speak to|last talk|history',
    )
    if (!this.words.includes('top') && !this.words.includes('by'))
      this.flag('SCORE', 'win probability|score|scored|how healthy|health|with reasons|why|like this')
    this.findAsked()
    this.findObject()
    this.context()
    this.flag('OWNER', 'who owns|who is the owner of|owner of|responsible for|does own')
    this.flag('OWN', 'own|owned by')
    this.flag('ABOUT', 'tell me about|about')
    this.nameRuns()
    this.flag('COUNT', 'how many|number of|count')
    this.flag('AVERAGE', 'average|avg|mean')
    this.flag('SUM', 'how much|sum of|sum|total of|total value|combined value|combined')
    this.walk()
    this.lowercaseNames()
    return this.result()
  }
  protected walk(): void {
    for (let at = 0; at < this.words.length;) {
      if (this.used[at]) at++
      else at += this.step(at)
    }
  }

  /** Understands the words at an index and returns their number; leaves what it does not understand. */
  protected step(at: number): number {
    const { words } = this
    const word = words[at]!
    const used = (length: number): number => {
      this.use(at, length)
      return length
    }
    if (
      word === 'my' ||
      word === 'mine' ||
      word === 'i' ||
      (word === 'me' && !/^(?:show|tell|give)$/.test(words[at - 1] ?? ''))
    ) {
      this.isMine = true
      return used(1)
    }
    const period = periodAt(words, at, this.calendar)
    if (period && this.isFree(at, period.length)) {
      this.periods.push(period.range)
      return used(period.length)
    }
    const count = numberOfWord(words[at + 1])
    if (
      at + 1 === this.objectAt &&
      numberOfWord(word) !== null &&
      words.some((one) => greatest.has(one) || least.has(one))
    ) {
      this.limit = numberOfWord(word)
      return used(1)
    }
    if (word === 'top') {
      this.flags.add('TOP')
      if (count !== null) this.limit = count
      return used(count === null ? 1 : 2)
    }
    const rank = greatest.has(word) ? 'DESC' : least.has(word) ? 'ASC' : null
    if (rank) {
      this.flags.add('TOP')
      this.direction = rank
      const before = numberOfWord(words[at - 1])
      if (before !== null) {
        this.limit = before
        this.use(at - 1)
        const index = this.unknown.lastIndexOf(words[at - 1]!)
        if (index >= 0) this.unknown.splice(index, 1)
      }
      return used(1)
    }
    if (!this.object || this.object === 'quota') return fillers.has(word) ? used(1) : 1
    const { own, values, fields } = this.vocabulary()
    if (word === 'by' || word === 'per') {
      const field = longest(words, at + 1, fields)
      if (field && this.isFree(at, field.length + 1)) {
        if (this.flags.has('TOP')) this.measure = field.value
        else this.groupBy = field.value
        return used(field.length + 1)
      }
    }
    const comparison = comparisonAt(words, at)
    if (comparison && this.isFree(at, comparison.length)) {
      this.compare(comparison)
      return used(comparison.length)
    }
    const value = longest(words, at, values)
    const meant = longest(words, at, own)
    const isStatus = words[at - 1] === 'status'
    if (word === 'overdue') this.flags.add('OVERDUE')
    if (meant && this.isFree(at, meant.length) && !(isStatus && value) && meant.length >= (value?.length ?? 0)) {
      this.meanings.push(meant.value)
      return used(meant.length)
    }
    if (value && this.isFree(at, value.length)) {
      const named = value.value.find(({ field }) => this.isNamed(fields, field))
      const isClear =
        value.value.length === 1 || /^(?:status|accountStatus|priority|type|rating)$/.test(value.value[0]!.field)
      if (named ?? isClear) {
        this.meanings.push(meaningOfValue(named ?? value.value[0]!))
        return used(value.length)
      }
    }
    const field = longest(words, at, fields)
    if (field && this.isFree(at, field.length)) {
      this.mentioned.push({ field: field.value, text: phraseAt(words, at, field.length) })
      return used(field.length)
    }
    return fillers.has(word) ? used(1) : 1
  }

  protected isNamed(fields: ReadonlyMap<string, string>, name: string): boolean {
    const text = ` ${this.words.join(' ')} `
    return [...fields].some(([phrase, field]) => field === name && text.includes(` ${phrase} `))
  }

  protected compare({ operator, phrase, amount }: NonNullable<ReturnType<typeof comparisonAt>>): void {
    const shape = recordType(this.object!)()
    const last = this.mentioned.at(-1)?.field
    const field = last && isNumeric(columnOf(shape, last)) ? last : defaultMeasures[this.object!]
    if (!field) {
      this.unknown.push(phrase)
      return
    }
    this.conditions.push({ field, operator, value: amount.value })
    if (amount.currency && moneyFields.has(field) && hasColumn(shape, 'currency'))
      this.conditions.push({ field: 'currency', operator: 'eq', value: amount.currency })
    this.labels.push(`${fieldWords(field)} ${phrase} ${amount.value}${amount.currency ? ` ${amount.currency}` : ''}`)
  }
  protected dates(): void {
    const dated = this.meanings.findLast(({ date }) => date !== undefined)
    const [period, ...more] = this.periods
    for (const meaning of this.meanings) {
      const isReplaced = period && meaning === dated && meaning.isDateAlone
      if (!isReplaced) this.conditions.push(...meaning.conditions)
      if (meaning.label) this.labels.push(meaning.label)
    }
    if (!period || !this.object || this.object === 'quota') return
    const field = dated?.date ?? defaultDate[this.object] ?? 'createdAt'
    const { isUtcDay } = columnOf(recordType(this.object)(), field)
    const { start, end } = isUtcDay ? daysOf(period, this.calendar.zone) : period
    this.conditions.push({ field, operator: 'gte', value: start }, { field, operator: 'lt', value: end })
    this.labels.push(`${fieldWords(field)} ${period.label}`)
    if (more.length > 0) this.unknown.push(more[0]!.label)
  }

  protected intent(): Intent {
    const { flags } = this
    if (flags.has('ATTAINMENT')) return 'SCORE'
    if (flags.has('TIMELINE')) return 'TIMELINE'
    if (flags.has('TOP')) return 'TOP'
    if (flags.has('SCORE')) return 'SCORE'
    if (this.groupBy) return 'GROUP'
    if (flags.has('AVERAGE')) return 'AVERAGE'
    if (flags.has('COUNT')) return 'COUNT'
    if (flags.has('SUM') || /\bworth\b|\btotal\b/.test(this.words.join(' '))) return 'SUM'
    if (flags.has('OWNER') || flags.has('ABOUT')) return 'RECORD'
    const isOne = this.names.length + Number(this.isContext) === 1
    const isTyped = this.names.some(({ object }) => object !== null && object === this.object)
    if (isOne && (this.object === null || isTyped)) return 'RECORD'
    if (isOne && this.mentioned.length > 0 && this.words[0] === 'what') return 'RECORD'
    const [asked] = this.mentioned
    const column = asked && this.object && recordType(this.object)().columns.byName.get(asked.field)
    if (column && isNumeric(column)) return 'SUM'
    return 'LIST'
  }

  protected result(): Parsed {
    this.dates()
    const intent = this.intent()
    const shape = this.object && this.object !== 'quota' ? recordType(this.object)() : null
    const isFigure = intent === 'SUM' || intent === 'AVERAGE' || intent === 'TOP'
    const numeric = shape ? this.mentioned.filter(({ field }) => isNumeric(columnOf(shape, field))) : []
    const isDue = this.object === 'invoice' && intent === 'SUM' && this.flags.has('OVERDUE')
    if (isFigure)
      this.measure ??= numeric.at(-1)?.field ?? (isDue ? 'amountDue' : (defaultMeasures[this.object ?? ''] ?? null))
    if (isFigure && this.groupBy) this.unknown.push(`by ${this.groupBy}`)
    const conditioned = new Set(this.conditions.map(({ field }) => field))
    for (const { field, text } of this.mentioned)
      if (field !== this.measure && !conditioned.has(field) && intent !== 'RECORD' && intent !== 'SCORE')
        this.unknown.push(text)
    return {
      intent,
      object: this.object,
      conditions: this.conditions,
      labels: this.labels,
      measure: isFigure ? this.measure : null,
      groupBy: this.groupBy,
      direction: this.direction,
      limit: this.limit === null ? null : Math.min(limitMax, Math.max(1, this.limit)),
      names: this.names,
      isMine: this.isMine,
      isContext: this.isContext,
      asked: this.asked,
      unknown: this.unknown,
    }
  }
}
const isWriteIn = (tokens: readonly Token[]): boolean =>
  isWrite(tokens.filter(({ isQuoted }) => !isQuoted).map(({ word }) => word))

/** Whether a message asks for a change, so that it is no question. */
export function asksForChange(message: string): boolean {
  const tokens = message.length > messageMax ? null : tokensOf(message)
  return tokens !== null && isWriteIn(tokens)
}

/** What a message asks, without reading anything. */
export function parse(message: string, calendar: Calendar): Parsing {
  const tokens = tokensOf(message)
  if (!tokens) return { kind: 'TOO_LONG' }
  if (tokens.length === 0) return { kind: 'NONE' }
  if (isWriteIn(tokens)) return { kind: 'WRITE' }
  return { kind: 'QUESTION', parsed: new Parser(message, tokens, calendar).parse() }
}

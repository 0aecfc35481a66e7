import type { RequestContext } from '../request.ts'
import { allOf, beginningOf, canBeInTitle, ownedBy, seenBy, soughtBy, type Sought, type Term } from './query.ts'
import { tagOf } from './lexemes.ts'

/** An entry that matches. The record itself decides whether the caller sees it, and whether it still matches. */
export interface Candidate {
  readonly object: string
  readonly id: string
  readonly rank: number
  readonly isOwn: boolean
}

/** Entries that are compared in one statement. */
const indexedMax = 10_000
const newestMax = 5_000
/** The same for one word and a team, which has few of the newest entries: 17 ms, where the index takes up to 50. */
const newestOfTeamMax = 50_000
/** Matches among all records of a team, whose newest ones do not suffice. More of them take longer than a query may. */
const olderOfTeamMax = 100
/** Records that are read for one query. */
export const candidatesMax = 1_000
/** So many users are a condition of the index; more see too much for it to help. */
const usersMax = 50
/** Conditions with more alternatives hold for too many entries, even if each of them holds for few: a team has many records. */
const alternativesMax = 5
/** With more alternatives, entries are found by the index alone: each alternative would be compared with each of the newest entries. */
const comparedMax = 60
/** Words that begin with so few letters are too many. */
const prefixMin = 3

type Condition = readonly (readonly Sought[])[]

/** The searches that find the candidates of a query, each with all conditions, in the order of their ranks: in titles first, and in the newest records first where words are frequent. */
export class CandidateSearch {
  readonly #tag: string
  readonly #frequent = new Set<string>()

  constructor(
    private readonly ctx: RequestContext,
    private readonly terms: readonly Term[],
    private readonly objects: readonly string[],
  ) {
    this.#tag = tagOf(ctx.caller.organizationId)
  }

  /** The candidates of each search, in the order of their ranks. The consumer ends it when it has enough. */
  async *searches(): AsyncGenerator<readonly Candidate[]> {
    const places = this.terms.every(canBeInTitle) ? (['title', 'any'] as const) : (['any'] as const)
    const owners = this.#owners()
    const inPlaces = places.map((place) => this.terms.map((term) => soughtBy(this.#tag, term, place)))
    await this.#readFrequent([...inPlaces.flat(), ...owners])
    for (const conditions of inPlaces) {
      const all = [...conditions, ...owners]
      const rare = all.filter((condition) => !this.#isFrequent(condition))
      if (rare.some((condition) => !owners.includes(condition)) || (owners.length > 0 && rare.length > 0)) {
        yield this.#indexed(rare, all)
        continue
      }
      if (all.every((condition) => condition.length <= comparedMax))
        yield this.#newest(all, conditions.length === 1 && owners.some(hasMany) ? newestOfTeamMax : newestMax)
      const indexable = all.filter((condition) => !isShortPrefix(condition))
      const hasWord = indexable.some((condition) => !owners.includes(condition))
      if (indexable.length > 0)
        yield this.#indexed(withoutTeam(indexable, owners), all, hasWord ? indexedMax : olderOfTeamMax)
      // Of older records, those that have it as a word: too many words begin with one or two letters.
      if (indexable.length < all.length) {
        const whole = all.map((condition) => (isShortPrefix(condition) ? completed(condition) : condition))
        yield this.#indexed(withoutTeam(whole, owners), whole)
      }
    }
  }

  /** The users whose records the caller sees. */
  #owners(): Condition[] {
    const { ownerIds } = this.ctx.caller
    return ownerIds && ownerIds.length <= usersMax ? [seenBy(this.#tag, ownerIds)] : []
  }

  /** A condition with alternatives is frequent if one of them is; lexemes that must be together, if all of them are. */
  #isFrequent(condition: Condition): boolean {
    if (isShortPrefix(condition) || hasMany(condition)) return true
    return condition.some((all) => all.every((sought) => namesOf(sought).some((name) => this.#frequent.has(name))))
  }

  async #readFrequent(conditions: readonly Condition[]): Promise<void> {
    const lexemes = conditions.flat(2).flatMap(namesOf)
    const rows = await this.ctx.db.query<{ lexeme: string }>(
      'select lexeme from kernel.search_frequent where organization_id = $1 and lexeme = any($2)',
      [this.ctx.caller.organizationId, [...new Set(lexemes)]],
    )
    for (const { lexeme } of rows) this.#frequent.add(lexeme)
  }

  #indexed(found: readonly Condition[], matching: readonly Condition[], scanned = indexedMax): Promise<Candidate[]> {
    return this.#candidates('kernel.search_indexed($8::tsquery, ', allOf(matching), scanned, [allOf(found)])
  }

  #newest(matching: readonly Condition[], scanned: number): Promise<Candidate[]> {
    return this.#candidates('kernel.search_newest(', allOf(matching), scanned, [])
  }

  #candidates(call: string, matching: string, scanned: number, more: readonly string[]): Promise<Candidate[]> {
    const { caller, db } = this.ctx
    const inTitle = (terms: readonly Term[]): string | null =>
      terms.every(canBeInTitle) ? allOf(terms.map((term) => soughtBy(this.#tag, term, 'title'))) : null
    const values = [
      matching,
      this.objects,
      beginningOf(this.terms),
      inTitle(this.terms.map((term) => ({ ...term, isPrefix: false }))),
      inTitle(this.terms),
      allOf([ownedBy(this.#tag, caller.userId)]),
      scanned,
      ...more,
    ]
    return db.query<Candidate>(
      `select object, record_id as id, rank, is_own as "isOwn"
       from ${call}$1::tsquery, $2::text[], $3, $4::tsquery, $5::tsquery, $6::tsquery, $7, ${candidatesMax})`,
      values,
      'SCAN',
    )
  }
}

/** Under which a lexeme is among the frequent ones. Beginnings of words are there up to some length; a longer one is if its word is. */
const namesOf = ({ lexeme, isPrefix }: Sought): string[] => (isPrefix ? [`${lexeme}*`, lexeme] : [lexeme])

const isShortPrefix = (condition: Condition): boolean =>
  condition.some((all) => all.every(({ lexeme, isPrefix }) => isPrefix && isShort(lexeme.slice(lexemeHead))))

const hasMany = (condition: Condition): boolean => condition.length > alternativesMax

/** Two words leave so few entries that the index need not unite those of many users, which takes longer than comparing what the words leave. */
function withoutTeam(conditions: readonly Condition[], owners: readonly Condition[]): readonly Condition[] {
  const words = conditions.filter((condition) => !owners.includes(condition))
  return words.length >= 2 && owners.some(hasMany) ? words : conditions
}

const completed = (condition: Condition): Condition =>
  condition.map((all) => all.map(({ lexeme }) => ({ lexeme, isPrefix: false })))

/** The tag and the kind. */
const lexemeHead = 6

/** One or two letters of an alphabet. A character of a script with thousands of them is seldom frequent. */
const isShort = (word: string): boolean => word.length < prefixMin && !/[\p{sc=Han}]/u.test(word)

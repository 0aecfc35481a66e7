import { setTimeout as passed } from 'node:timers/promises'
import { Refusal } from '../../errors.ts'
import type { RequestContext } from '../../request.ts'
import type { RecordShape } from '../definition.ts'
import { lockNumbersOf, tryLockNumbered } from '../value-locks.ts'
import type { Compared } from './compared.ts'
import type { DuplicateRule } from './duplicate-rules.ts'
import { findDuplicates, possible, recordsByKey, type IndexedKey, type Proposed } from './find-duplicates.ts'

type Fields = Readonly<Record<string, unknown>>

/** Another transaction has given one of the keys to a record, or is doing so. Nothing of this one may stay; it succeeds when it is repeated. */
export class KeysChanged extends Refusal {
  constructor() {
    super('UNAVAILABLE', 'Records with the same values are written at the same time; retry in 1 s.', { retryAfter: 1 })
  }
}

/** A record that the transaction writes, as it was compared. */
interface ComparedRecord {
  readonly id: string
  readonly rules: readonly DuplicateRule[]
  /** By all rules that block. */
  readonly keys: readonly IndexedKey[]
  /** Others that the keys proposed, which are no duplicates. */
  readonly distinct: ReadonlySet<string>
  /** The record itself if more than keys decided that. */
  readonly again: Fields | null
}

export const nameOfKey = ({ keyField, key }: IndexedKey): string => `${keyField} ${key}`

/** The keys of a record by these rules. */
export const keysOf = (rules: readonly DuplicateRule[], record: Fields): IndexedKey[] =>
  [...new Set(rules.flatMap(({ matchers }) => matchers))].flatMap(({ keyField, isIndexed, keyOf }) => {
    const key = isIndexed ? keyOf(record) : null
    return key === null ? [] : { keyField, key }
  })

/** Keys that one statement looks up. */
const statementKeysMax = 5_000
/** How long the locks of others are waited for, and how often is looked. */
const waitMs = 1_000
const lookEveryMs = 10

/**
 * The keys of the records of one type that a transaction writes. Many of them are looked up by one statement, and nobody waits for the transaction
 * while it decides and writes: `confirm` takes the locks of all keys at its end, and compares with what others have written meanwhile.
 */
export class ComparedKeys implements Compared {
  /** The records of others that have a key. */
  #others = new Map<string, Proposed>()
  /** The records of this transaction that have, or had, a key. */
  readonly #own = new Map<string, { readonly ids: Set<string>; readonly isWhole: true }>()
  #records: ComparedRecord[] = []
  #areAllNoted = false

  constructor(readonly object: string) {}

  get count(): number {
    return this.#records.length
  }

  /** From now on everything that writes records of the type compares and notes them, so that a record for which nothing is proposed has no duplicate. */
  noteAll(): void {
    this.#areAllNoted = true
  }

  get areAllNoted(): boolean {
    return this.#areAllNoted
  }

  /** Looks up which records have the keys of these records. */
  async lookUp(ctx: RequestContext, rules: readonly DuplicateRule[], records: readonly Fields[]): Promise<void> {
    const unknown = records
      .flatMap((record) => keysOf(rules, record))
      .filter((key) => !this.#others.has(nameOfKey(key)))
    await this.#read(ctx, unknown)
  }

  /** The other records that can be duplicates of a record, as far as keys propose them. */
  async proposedFor(ctx: RequestContext, rules: readonly DuplicateRule[], record: Fields): Promise<Set<string>> {
    await this.lookUp(ctx, rules, [record])
    const keys = keysOf(rules, record)
    const ids = new Set([...this.#possible(rules, keys, this.#others), ...this.#possible(rules, keys, this.#own)])
    ids.delete(record['id'] as string)
    return ids
  }

  /** Notes that a record is written: it was compared by `rules` with what the keys proposed, and has its keys by `all` of them. */
  note(
    all: readonly DuplicateRule[],
    rules: readonly DuplicateRule[],
    record: Fields,
    distinct: ReadonlySet<string>,
  ): void {
    const isDecidedByKeys = distinct.size === 0 || rules.every(({ matchers }) => matchers.every((one) => one.isIndexed))
    const compared = { id: record['id'] as string, rules, keys: keysOf(all, record), distinct }
    this.#add({ ...compared, again: isDecidedByKeys ? null : record })
  }

  /** Forgets the records that were noted after so many, which are not written after all. */
  forgetAfter(count: number): void {
    this.#areAllNoted = false
    const kept = this.#records.slice(0, count)
    this.#records = []
    this.#own.clear()
    for (const record of kept) this.#add(record)
  }

  /**
   * At the end of the transaction: from now on nobody else gives one of the keys to a record until it has ended. Throws `KeysChanged` if somebody has
   * done so since the keys were looked up.
   */
  async confirm(ctx: RequestContext, shape: RecordShape): Promise<void> {
    const keys = new Map(this.#records.flatMap((record) => record.keys.map((key) => [nameOfKey(key), key])))
    if (keys.size === 0) return
    await this.#lock(ctx, lockNumbersOf(keys.keys()))
    this.#others = new Map()
    await this.#read(ctx, [...keys.values()])
    for (const { id, rules, keys, distinct, again } of this.#records) {
      const others = this.#possible(rules, keys, this.#others)
      if (others.some((other) => other !== id && !distinct.has(other))) throw new KeysChanged()
      if (!again || others.length === 0) continue
      const { candidates } = await findDuplicates(ctx, shape, rules, { record: again, id, limit: others.length })
      if (candidates.some((candidate) => others.includes(candidate.id))) throw new KeysChanged()
    }
  }

  async #lock(ctx: RequestContext, numbers: ReadonlySet<number>): Promise<void> {
    const endMs = performance.now() + waitMs
    while (!(await tryLockNumbered(ctx, 'duplicates', this.object, numbers))) {
      if (performance.now() > endMs) throw new KeysChanged()
      await passed(lookEveryMs)
    }
  }

  #possible(
    rules: readonly DuplicateRule[],
    keys: readonly IndexedKey[],
    by: ReadonlyMap<string, Proposed>,
  ): readonly string[] {
    const found = new Map<string, Proposed>()
    for (const key of keys) {
      const proposed = by.get(nameOfKey(key))
      if (proposed && proposed.ids.size > 0) found.set(key.keyField, proposed)
    }
    return found.size === 0 ? [] : rules.flatMap((rule) => possible(rule, found))
  }

  async #read(ctx: RequestContext, keys: readonly IndexedKey[]): Promise<void> {
    const distinct = [...new Map(keys.map((key) => [nameOfKey(key), key])).values()]
    for (let at = 0; at < distinct.length; at += statementKeysMax) {
      const some = distinct.slice(at, at + statementKeysMax)
      const own = new Set(some.flatMap((key) => [...(this.#own.get(nameOfKey(key))?.ids ?? [])]))
      const found = await recordsByKey(ctx, this.object, some, [...own])
      for (const key of some) this.#others.set(nameOfKey(key), found.get(key) ?? nobody)
    }
  }

  #add(record: ComparedRecord): void {
    this.#records.push(record)
    for (const key of record.keys) {
      const name = nameOfKey(key)
      const own = this.#own.get(name)
      if (own) own.ids.add(record.id)
      else this.#own.set(name, { ids: new Set([record.id]), isWhole: true })
    }
  }
}

const nobody: Proposed = { ids: new Set(), isWhole: true }

/** The keys that the open transaction compares of records of this type. */
export function comparedKeysOf(
  { compared }: Pick<RequestContext, 'compared'>,
  { object }: Pick<RecordShape, 'object'>,
): ComparedKeys | null {
  const keys = compared as ComparedKeys | undefined
  return keys?.object === object ? keys : null
}

import type { Form, FormulaType } from './formula.ts'
import { fieldNames, rowFields } from './formula.fixture.ts'
import { functions } from './functions.ts'

/** Random numbers from a seed (mulberry32), so that a failure can be repeated. */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  /** From 0 to 1, without 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }

  below(count: number): number {
    return Math.floor(this.next() * count)
  }

  from<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!
  }
}

/** A random formula as a tree, so that a failing one can be made smaller. */
export interface Tree {
  readonly type: FormulaType
  /** A function or operator; otherwise the text of a literal or a field. */
  readonly name: string
  readonly args: readonly Tree[]
  readonly isCall: boolean
}

export function textOf({ name, args, isCall }: Tree): string {
  if (!isCall) return name
  const texts = args.map(textOf)
  if (/^[A-Z]/.test(name)) return `${name}(${texts.join(', ')})`
  return texts.length === 1 ? `(${name}${texts[0]!})` : `(${texts.join(` ${name} `)})`
}

export const returnTypes = {
  NUMBER: 'NUMBER',
  TEXT: 'TEXT',
  DATE: 'DATE',
  DATETIME: 'DATETIME',
  BOOLEAN: 'CHECKBOX',
} as const
export type ResultType = keyof typeof returnTypes
const resultTypes = Object.keys(returnTypes) as ResultType[]

const texts = [
  '',
  ' ',
  'a',
  'A',
  'ab',
  'aa',
  'Straße',
  'İstanbul',
  'ıI',
  'é',
  'e\u0301',
  '\u{1F600}',
  '\ufffd',
  '\u{1F468}\u200D\u{1F469}',
  'ǆ',
  'ς',
  'ÿ',
  'K',
  ' x ',
  '\u00a0',
  '1',
  '-1.5',
  '007',
  '1e5',
  '9999999999999999',
  '2024-02-29',
  '2023-02-29',
  '0001-01-01',
  '9999-12-31',
  '2024-03-10T07:00:00Z',
  '2024-11-03T05:30:00.999+01:00',
  '9999-12-31T23:59:59.999Z',
  '%',
  '_',
  "'",
  '"',
  '\\',
  'null',
  'true',
]
const numbers = [
  '0',
  '1',
  '2',
  '3',
  '7',
  '10',
  '12',
  '28',
  '31',
  '60',
  '100',
  '366',
  '2024',
  '4000',
  '0.5',
  '0.1',
  '1.005',
  '2.675',
  '0.005',
  '33.333',
  '0.00000000000000000001',
  '999999999999999.99999999999999999999',
  '1000000000000000',
  '123456789.123456789',
  '3652059',
]
const days = [
  '2024-02-29',
  '2023-02-28',
  '2000-02-29',
  '1900-02-28',
  '0001-01-01',
  '0001-01-31',
  '9999-12-31',
  '1969-12-31',
  '1970-01-01',
  '2024-01-31',
]
const times = [
  '2024-03-10T06:59:59.999Z',
  '2024-03-10T07:00:00.000Z',
  '2024-11-03T05:30:00.000Z',
  '2024-11-03T06:30:00.000Z',
  '1970-01-01T00:00:00.000Z',
  '1969-12-31T23:59:59.999Z',
  '2024-02-29T23:59:59.999Z',
  '2099-12-31T23:59:59.999Z',
  '1999-12-31T19:00:00.001Z',
]

const fieldsOfType = new Map<FormulaType, string[]>()
for (const name of fieldNames) {
  const { type } = rowFields.field(name)!
  const isText = type === 'PICKLIST'
  for (const each of isText ? (['PICKLIST', 'TEXT'] as const) : [type])
    fieldsOfType.set(each, [...(fieldsOfType.get(each) ?? []), name])
}

/** What gives each type. `&` takes every type. */
const givers = new Map<FormulaType, { readonly name: string; readonly form: Form }[]>()
for (const [name, forms] of Object.entries(functions))
  for (const form of forms) givers.set(form.gives, [...(givers.get(form.gives) ?? []), { name, form }])

function leaf(random: Random, type: FormulaType): Tree {
  const tree = (name: string): Tree => ({ type, name, args: [], isCall: false })
  if (random.next() < 0.04 && type !== 'PICKLIST' && type !== 'LIST') return tree('NULL')
  const fields = fieldsOfType.get(type) ?? []
  if (type === 'PICKLIST' || type === 'LIST' || random.next() < 0.6)
    return tree(`${random.from(['', '', '', 'account.', 'account.account.'])}${random.from(fields)}`)
  switch (type) {
    case 'NUMBER':
      return tree(random.from(numbers))
    case 'TEXT':
      return tree(JSON.stringify(random.from(texts)))
    case 'DATE':
      return tree(`DATEVALUE("${random.from(days)}")`)
    case 'DATETIME':
      return tree(`DATETIMEVALUE("${random.from(times)}")`)
    case 'BOOLEAN':
      return tree(random.from(['TRUE', 'FALSE']))
  }
}

/** A random formula of a type. Numbers of functions are often small, so that texts and dates stay within their bounds. */
export function randomTree(random: Random, type: FormulaType = random.from(resultTypes), depth = 4): Tree {
  const all = givers.get(type)
  if (!all || depth === 0 || random.next() < 0.12) return leaf(random, type)
  // By name first: some functions have a form for every pair of types.
  const name = random.from([...new Set(all.map((each) => each.name))])
  const { form } = random.from(all.filter((each) => each.name === name))
  const types = [...form.takes]
  if (form.repeats) {
    const [from, count] = form.repeats
    for (let more = random.below(3); more > 0; more--) types.splice(from, 0, ...form.takes.slice(from, from + count))
  }
  const args = types.map((each) => {
    const taken = name === '&' ? random.from(resultTypes) : each
    const isSmall = taken === 'NUMBER' && (type === 'TEXT' || type === 'DATE' || type === 'DATETIME')
    if (isSmall && random.next() < 0.6) return leaf(random, taken)
    return randomTree(random, taken, depth - 1)
  })
  return { type, name, args, isCall: true }
}

const simplest: Partial<Record<FormulaType, string>> = { NUMBER: '1', TEXT: '"a"', BOOLEAN: 'TRUE' }

/** Formulas of the same type that are smaller: parts of the formula, and the formula with a smaller part. */
export function* smaller(tree: Tree): Generator<Tree> {
  for (const argument of tree.args) if (argument.type === tree.type) yield argument
  const simple = simplest[tree.type]
  if (tree.isCall && simple !== undefined) yield { type: tree.type, name: simple, args: [], isCall: false }
  for (const [index, argument] of tree.args.entries())
    for (const each of smaller(argument)) yield { ...tree, args: tree.args.with(index, each) }
}

/** A random row, as JSON. `index` rows exist before it. */
export function randomRow(random: Random, index: number): string {
  const members: string[] = []
  const add = (into: string[], name: string, value: string): void => {
    if (random.next() < 0.8) into.push(`${JSON.stringify(name)}: ${value}`)
  }
  const value = (type: FormulaType, name: string): string => {
    switch (type) {
      case 'NUMBER':
        if (name === 'score') return String(random.from([0, 1, -1, 2, 5, 12, 31, 2024, 2147483647, -2147483648]))
        if (name === 'ratio')
          return String(random.from([0, -0, 0.1, 0.30000000000000004, 1e-7, 1.5e300, 5e-324, -2.5, 123456789012345680]))
        return `${random.from(['', '-'])}${random.from([...numbers, String(random.below(1e6) / 1000), '1e15', '1e16', '0.123456789012345678905'])}`
      case 'LIST':
        return JSON.stringify([random.from(texts), random.from(texts)])
      case 'DATE':
        return JSON.stringify(random.from(days))
      case 'DATETIME':
        return JSON.stringify(random.from(times))
      case 'BOOLEAN':
        return random.from(['true', 'false', 'null'])
      default:
        return name === 'ownerId'
          ? '"0190b5a0-0000-7000-8000-000000000001"'
          : JSON.stringify(random.from(texts).repeat(1 + random.below(2)))
    }
  }
  const custom: string[] = []
  for (const name of fieldNames) {
    const { type, path } = rowFields.field(name)!
    // A value of another type is possible in a custom field only.
    const isOther = path.length > 1 && random.next() < 0.1
    const stored = isOther ? value(random.from([...resultTypes, 'LIST']), '') : value(type, name)
    add(path.length > 1 ? custom : members, path.at(-1)!, stored)
  }
  members.push(`"customFields": {${custom.join()}}`)
  if (index > 0 && random.next() < 0.7) members.push(`"account": ${random.below(index)}`)
  return `{${members.join()}}`
}

import { fromDigits } from './fixed-point.ts'
import type { Form, Formula, FormulaField, FormulaFields, FormulaType, Node, Reference } from './formula.ts'
import { formsOf, functions } from './functions.ts'
import { formulaLimits } from './limits.ts'
import { relationsAt } from './paths.ts'
import { FormulaError, problemAt, type FormulaProblem, type FormulaProblemCode, type Span } from './problem.ts'
import type { CallSyntax, PathSyntax, Syntax } from './syntax.ts'

/** A part of the text with the types that it can have: one, or several where it has `NULL` in places of any type. */
interface Typed {
  readonly types: readonly FormulaType[]
  /** The part with a type that it fits. */
  readonly as: (type: FormulaType) => Node
}

const typed = (node: Node): Typed => ({ types: [node.type], as: () => node })

const typeNames: Readonly<Record<FormulaType, string>> = {
  NUMBER: 'a number',
  TEXT: 'a text',
  DATE: 'a date',
  DATETIME: 'a date and time',
  BOOLEAN: 'a condition',
  PICKLIST: 'a picklist field',
  LIST: 'a field with several values',
}

const blank: Typed = {
  types: Object.keys(typeNames) as FormulaType[],
  as: (type) => ({ kind: 'literal', type, value: type === 'BOOLEAN' ? false : null }),
}

const isUsableAs = (type: FormulaType, taken: FormulaType): boolean =>
  type === taken || (type === 'PICKLIST' && taken === 'TEXT')
const fits = ({ types }: Typed, taken: FormulaType): boolean => types.some((type) => isUsableAs(type, taken))
const nameOf = ({ types }: Typed): string => (types.length === 1 ? typeNames[types[0]!] : 'NULL')

/** What to write instead of a value of the wrong type. */
function conversion({ types: [given] }: Typed, taken: FormulaType): string {
  if (given === 'LIST') return ' INCLUDES(…) looks for a value.'
  if (taken === 'TEXT') return ' TEXT(…) converts it.'
  if (given === 'TEXT' && taken === 'NUMBER') return ' VALUE(…) converts it.'
  if (given === 'DATETIME' && taken === 'DATE') return ' DATEVALUE(…) is its day.'
  if (given === 'DATE' && taken === 'NUMBER') return ' ADDDAYS and DAYSBETWEEN calculate with dates.'
  return ''
}

/** The types that a form takes with this many arguments; null if it cannot take as many. */
function takenTypes({ takes, repeats }: Form, count: number): readonly FormulaType[] | null {
  const extra = count - takes.length
  if (!repeats) return extra === 0 ? takes : null
  const [from, size] = repeats
  if (extra < 0 || extra % size !== 0) return null
  const again = Array.from({ length: extra / size }, () => takes.slice(from, from + size)).flat()
  return [...takes.slice(0, from), ...again, ...takes.slice(from)]
}

/** `1`, `2 or 3`, `at least 2`, `4, 6, 8 and so on`. */
function countsOf(forms: readonly Form[]): string {
  const counts = [...new Set(forms.map(({ takes }) => takes.length))].toSorted((one, other) => one - other)
  const step = forms.find(({ repeats }) => repeats)?.repeats?.[1]
  if (step === 1) return `at least ${counts[0]} arguments`
  if (step) return `${counts[0]}, ${counts[0]! + step}, ${counts[0]! + 2 * step} and so on arguments`
  return `${counts.join(' or ')} argument${counts.join() === '1' ? '' : 's'}`
}

const isOperator = (name: string): boolean => !/^[A-Z]/.test(name)
/** How messages name a function or operator: `ROUND`, `"+"`. */
const called = (name: string): string => (isOperator(name) ? `"${name}"` : name)

const keyOf = (names: readonly string[]): string => names.join('.')

/** What the check finds out about a formula. */
export type CheckedFormula = Omit<Formula, 'type' | 'evaluate' | 'toSql'>

/** Finds the types of all parts of a formula, and everything that is wrong with it. */
export class Checker {
  readonly problems: FormulaProblem[] = []
  readonly #references = new Map<string, Reference>()
  readonly #inputs = new Map<string, Reference>()
  #nodes = 0
  #lookUps = 0
  #levels = 1
  #readsMoment = false

  constructor(
    readonly text: string,
    private readonly fields: FormulaFields,
    private readonly blankIsZero: boolean,
  ) {}

  /** Throws a `FormulaError` with all problems. */
  check(syntax: Syntax, type: FormulaType): CheckedFormula {
    const part = this.#part(syntax)
    if (part && !fits(part, type))
      this.#refuse(
        syntax,
        'FORMULA_TYPE',
        `The formula gives ${nameOf(part)} and must give ${typeNames[type]}.${conversion(part, type)}`,
      )
    const inputs = [...this.#inputs.values()]
    this.#checkSize(inputs)
    if (this.problems.length > 0 || !part) throw new FormulaError(this.problems.slice(0, formulaLimits.problems))
    const tree = part.as(type)
    return {
      tree,
      references: [...this.#references.values()],
      inputs,
      isLocal: !this.#readsMoment && inputs.every(({ relations, isRollup }) => relations.length === 0 && !isRollup),
      readsMoment: this.#readsMoment,
      nodes: this.#nodes,
      lookUps: this.#lookUps,
      levels: this.#levels,
    }
  }

  #refuse(span: Span, code: FormulaProblemCode, message: string): null {
    this.problems.push(problemAt(this.text, span, code, message))
    return null
  }

  #checkSize(inputs: readonly Reference[]): void {
    const relations = new Set(
      inputs.flatMap(({ relations }) => relations.map((_, index) => keyOf(relations.slice(0, index + 1)))),
    )
    const rollups = inputs.filter(({ isRollup }) => isRollup).length
    const sizes = [
      [this.#nodes, formulaLimits.nodes, 'operators, calls, literals and fields'],
      [inputs.length, formulaLimits.fields, 'different fields'],
      [relations.size + rollups, formulaLimits.relations, 'relations and rollups'],
      [this.#levels, formulaLimits.levels, 'formulas that read one another'],
    ] as const
    for (const [size, max, what] of sizes)
      if (size > max)
        this.#refuse(
          { start: 0, end: this.text.length },
          'FORMULA_TOO_COMPLEX',
          `The formula has ${size} ${what}, with those of the formulas that it reads; there are at most ${max}.`,
        )
  }

  #part(syntax: Syntax): Typed | null {
    if (syntax.kind !== 'path') this.#nodes += 1
    switch (syntax.kind) {
      case 'number': {
        const value = fromDigits(syntax.digits)
        if (value === null) return this.#refuse(syntax, 'FORMULA_TYPE', 'A number is at most 10^15.')
        return typed({ kind: 'literal', type: 'NUMBER', value })
      }
      case 'text':
        return typed({ kind: 'literal', type: 'TEXT', value: syntax.text === '' ? null : syntax.text })
      case 'word':
        return syntax.word === 'NULL'
          ? blank
          : typed({ kind: 'literal', type: 'BOOLEAN', value: syntax.word === 'TRUE' })
      case 'path':
        return this.#path(syntax)
      case 'call':
        return this.#call(syntax)
    }
  }

  /** Relations first, then the name of a field, which may itself have a point: `customFields.margin`. */
  #path(syntax: PathSyntax): Typed | null {
    let { names } = syntax
    const relations: string[] = []
    let fields = this.fields
    for (;;) {
      const name = keyOf(names)
      const field = fields.field(name)
      if (field) return this.#field(syntax, relations, name, field)
      const relation = relationsAt(names).find((candidate) => fields.related?.(candidate))
      const related = relation === undefined ? null : fields.related?.(relation)
      if (relation === undefined || !related) return this.#unknownField(syntax, fields, name)
      relations.push(relation)
      names = names.slice(relation.split('.').length)
      if (relations.length > formulaLimits.hops)
        return this.#refuse(
          syntax,
          'FORMULA_TOO_COMPLEX',
          `A field is reached through at most ${formulaLimits.hops} relations.`,
        )
      fields = related
    }
  }

  #unknownField(syntax: PathSyntax, { of }: FormulaFields, name: string): null {
    const hint = Object.hasOwn(functions, name.toUpperCase())
      ? ` The function is written ${name.toUpperCase()}(…).`
      : ''
    return this.#refuse(
      syntax,
      'FORMULA_UNKNOWN_FIELD',
      `${name} is not a field of ${of} that formulas can read.${hint}`,
    )
  }

  #field(syntax: Span, relations: readonly string[], name: string, field: FormulaField): Typed {
    const { formula, type, isRollup } = field
    const reference = { relations, field: name, ...(isRollup && { isRollup }) }
    this.#references.set(keyOf([...relations, name]), reference)
    this.#addInput(reference)
    this.#lookUps += (relations.length > 0 ? 1 : 0) + (isRollup ? 1 : 0) + (formula?.lookUps ?? 0)
    if (!formula) {
      this.#nodes += 1
      return typed({ kind: 'field', type, relations, field })
    }
    for (const input of formula.inputs)
      this.#addInput({ ...input, relations: [...relations, ...input.relations] }, syntax)
    this.#nodes += formula.nodes
    this.#levels = Math.max(this.#levels, formula.levels + 1)
    this.#readsMoment ||= formula.readsMoment
    return typed({ kind: 'formula', type: formula.type, relations, formula })
  }

  #addInput(reference: Reference, span?: Span): void {
    const key = keyOf([...reference.relations, reference.field])
    if (span && reference.relations.length > formulaLimits.hops && !this.#inputs.has(key))
      this.#refuse(
        span,
        'FORMULA_TOO_COMPLEX',
        `The formula of this field reads ${key}; a field is reached through at most ${formulaLimits.hops} relations.`,
      )
    this.#inputs.set(key, reference)
  }

  #call(syntax: CallSyntax): Typed | null {
    const { name, at } = syntax
    const args = syntax.args.map((argument) => this.#part(argument))
    const forms = formsOf(name)
    if (!forms) return this.#refuse(at, 'FORMULA_UNKNOWN_FUNCTION', `There is no function ${name}.`)
    const usable = forms.filter((form) => takenTypes(form, args.length))
    if (usable.length === 0)
      return this.#refuse(at, 'FORMULA_TYPE', `${called(name)} takes ${countsOf(forms)} and has ${args.length}.`)
    if (args.some((argument) => argument === null)) return null
    const given = (args as Typed[]).map((argument) => (name === '&' ? this.#written(argument) : argument))
    const fitting = usable.filter((form) =>
      takenTypes(form, given.length)!.every((type, index) => fits(given[index]!, type)),
    )
    return fitting.length > 0 ? this.#formed(fitting, given) : this.#wrongTypes(syntax, usable, given)
  }

  /** A call in the first of these forms that gives the type that is needed. */
  #formed(forms: readonly Form[], given: readonly Typed[]): Typed {
    return {
      types: [...new Set(forms.map(({ gives }) => gives))],
      as: (type) => {
        const form = forms.find(({ gives }) => isUsableAs(gives, type))!
        if (form.reads) this.#readsMoment = true
        const types = takenTypes(form, given.length)!
        const args = given.map((argument, index) => argument.as(types[index]!))
        const blankIsZero = this.blankIsZero && form.isArithmetic === true
        return { kind: 'call', type: form.gives, form, args, blankIsZero }
      },
    }
  }

  /** An operand of `&`, as text. */
  #written(operand: Typed): Typed {
    if (fits(operand, 'TEXT')) return operand
    const forms = formsOf('TEXT')!.filter(({ takes }) => fits(operand, takes[0]!))
    return forms.length > 0 ? this.#formed(forms, [operand]) : operand
  }

  /** Names the first argument that does not fit the form whose first arguments fit best. */
  #wrongTypes({ name, args }: CallSyntax, usable: readonly Form[], given: readonly Typed[]): null {
    const places = usable.map((form) => {
      const types = takenTypes(form, given.length)!
      const index = types.findIndex((type, each) => !fits(given[each]!, type))
      return { index, type: types[index]! }
    })
    const furthest = Math.max(...places.map(({ index }) => index))
    const expected = [...new Set(places.filter(({ index }) => index === furthest).map(({ type }) => type))]
    const wrong = given[furthest]!
    const hint = expected.length === 1 ? conversion(wrong, expected[0]!) : ''
    const taken = expected.map((each) => typeNames[each]).join(' or ')
    const where = isOperator(name)
      ? `${called(name)} takes ${taken}`
      : `Argument ${furthest + 1} of ${name} must be ${taken}`
    const beside = isOperator(name) && given.length > 1 && furthest > 0 ? ` beside ${nameOf(given[0]!)}` : ''
    return this.#refuse(args[furthest]!, 'FORMULA_TYPE', `${where}${beside}; this is ${nameOf(wrong)}.${hint}`)
  }
}

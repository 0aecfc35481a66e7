import { compileStoredConditions, type Conditions } from '../../kernel/condition/conditions.ts'
import type { FieldProblem } from '../../kernel/errors.ts'
import type { RecordRules } from '../../kernel/extension/extension.ts'
import type { RecordShape } from '../../kernel/record/definition.ts'
import type { Operation } from '../../kernel/record/event-types.ts'
import { ruleFields } from './rule-fields.ts'
import type { ValidationRule } from './validation-rule.ts'

/** What a check needs of a rule. */
export type StoredRule = Pick<
  ValidationRule,
  'name' | 'appliesTo' | 'conditions' | 'logic' | 'errorMessage' | 'errorField'
>

type Fields = Readonly<Record<string, unknown>>

interface CompiledRule {
  readonly rule: StoredRule
  readonly isBroken: Conditions
  /** The keys of the custom fields that its conditions name. */
  readonly named: ReadonlySet<string>
}

const none: ReadonlySet<string> = new Set()

/** The active rules of one record type, compiled. */
export class CompiledRules implements RecordRules {
  readonly #onCreate: readonly CompiledRule[]
  readonly #onUpdate: readonly CompiledRule[]
  readonly #named: Readonly<Record<'onCreate' | 'onUpdate', ReadonlySet<string>>>

  constructor(shape: RecordShape, rules: readonly StoredRule[]) {
    const fields = ruleFields(shape, null)
    const compiled = rules.map((rule) => {
      const named = new Set<string>()
      const field = (name: string) => {
        const found = fields.field(name)
        if (found?.key !== undefined) named.add(found.key)
        return found
      }
      return { rule, isBroken: compileStoredConditions(rule, { ...fields, field }), named }
    })
    this.#onCreate = compiled.filter(({ rule }) => rule.appliesTo !== 'UPDATE')
    this.#onUpdate = compiled.filter(({ rule }) => rule.appliesTo !== 'CREATE')
    const namedBy = (compiledRules: readonly CompiledRule[]): ReadonlySet<string> =>
      new Set(compiledRules.flatMap(({ named }) => [...named]))
    this.#named = { onCreate: namedBy(this.#onCreate), onUpdate: namedBy(this.#onUpdate) }
  }

  fieldsOf(operation: Operation): ReadonlySet<string> {
    if (operation === 'DELETE') return none
    return operation === 'CREATE' ? this.#named.onCreate : this.#named.onUpdate
  }

  problems(operation: Operation, next: Fields, previous: Fields | null, now: number): FieldProblem[] {
    if (operation === 'DELETE') return []
    const rules = operation === 'CREATE' ? this.#onCreate : this.#onUpdate
    return rules.filter(({ isBroken }) => isBroken(next, previous, now)).map(({ rule }) => problemOf(rule))
  }
}

/** The text of the rule, and no value of the record, because its fields may be hidden from the caller. */
const problemOf = ({ name, errorMessage, errorField }: StoredRule): FieldProblem => ({
  path: errorField ?? '',
  code: 'VALIDATION_RULE_FAILED',
  message: errorMessage,
  rule: name,
})

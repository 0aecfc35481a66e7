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
}

/** The active rules of one record type, compiled. */
export class CompiledRules implements RecordRules {
  readonly #onCreate: readonly CompiledRule[]
  readonly #onUpdate: readonly CompiledRule[]

  constructor(shape: RecordShape, rules: readonly StoredRule[]) {
    const fields = ruleFields(shape, null)
    const compiled = rules.map((rule) => ({ rule, isBroken: compileStoredConditions(rule, fields) }))
    this.#onCreate = compiled.filter(({ rule }) => rule.appliesTo !== 'UPDATE')
    this.#onUpdate = compiled.filter(({ rule }) => rule.appliesTo !== 'CREATE')
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

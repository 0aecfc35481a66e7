import type { FieldProblem } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import { isJsonObject } from '../../kernel/json/exact-number.ts'
import { isStorable } from '../../kernel/record/scalars.ts'
import { placeholdersIn, recordReference } from '../ai-execution/template.ts'

type Config = Readonly<Record<string, unknown>>

/** What may decide a value: the configuration only, as an id (`ID`) or any other value (`FIXED`), or the answer of the model too (`FREE`). */
export type Freedom = 'ID' | 'FIXED' | 'FREE'

/** Checks the members of the settings of an action, and collects what is wrong with their paths. */
export class ConfigCheck {
  readonly problems: FieldProblem[] = []
  readonly config: Config

  constructor(
    given: unknown,
    private readonly path: string,
    /** The names of the properties of the answer. */
    private readonly outputs: ReadonlySet<string>,
    /** Whether a field of the record has an id, so that no text of a stranger names the target. */
    private readonly hasId: (field: string) => boolean,
    members: readonly string[],
  ) {
    this.config = isJsonObject(given) ? given : {}
    if (!isJsonObject(given)) this.problems.push({ path, code: 'WRONG_TYPE', message: `${path} must be an object.` })
    for (const name of Object.keys(this.config))
      if (!members.includes(name)) this.refuse(name, 'UNKNOWN_FIELD', `is not one of ${members.join(', ')}`)
  }

  refuse(name: string, code: string, reason: string): void {
    const path = `${this.path}.${name}`
    this.problems.push({ path, code, message: `${path} ${reason}.` })
  }

  #isGiven(name: string, isRequired: boolean): boolean {
    if (this.config[name] !== undefined) return true
    if (isRequired) this.refuse(name, 'REQUIRED', 'is required')
    return false
  }

  /** A text in which fields of the record and properties of the answer may be named. */
  text(name: string, max: number, isRequired = false): void {
    if (this.#isGiven(name, isRequired)) this.#template(name, this.config[name], max)
  }

  #template(name: string, text: unknown, max: number): void {
    if (typeof text !== 'string' || text.trim() === '' || text.length > max || !isStorable(text))
      return this.refuse(name, 'WRONG_VALUE', `must be text of 1 to ${max} characters`)
    const placeholders = placeholdersIn(text)
    if (!placeholders)
      return this.refuse(name, 'WRONG_FORMAT', 'must have {{record.<field>}} and {{output.<property>}} only')
    for (const { source, path } of placeholders)
      if (source === 'output' && !this.outputs.has(path))
        this.refuse(name, 'UNKNOWN_FIELD', `names ${path}, which is no property of outputSchema`)
  }

  /** Whom or what the action concerns: the answer of the model must not decide it. */
  target(name: string, isRequired = false): void {
    if (this.#isGiven(name, isRequired)) this.#reference(name, this.config[name])
  }

  #reference(name: string, value: unknown): void {
    const field = typeof value === 'string' ? recordReference(value) : null
    if ((typeof value === 'string' && isId(value)) || (field !== null && this.hasId(field))) return
    const reason = 'must be an id, or {{record.<field>}} of a field with an id, because the model must not decide it'
    this.refuse(name, 'NOT_ALLOWED', reason)
  }

  targets(name: string, max: number): void {
    const list = this.config[name]
    if (!Array.isArray(list) || list.length === 0 || list.length > max)
      return this.refuse(name, 'WRONG_VALUE', `must be a list of 1 to ${max} ids or {{record.<field>}}`)
    for (const [index, value] of list.entries()) this.#reference(`${name}.${index}`, value)
  }

  oneOf(name: string, members: readonly string[]): void {
    const value = this.config[name]
    if (value === undefined || members.includes(value as string)) return
    this.refuse(name, 'WRONG_VALUE', `must be one of ${members.join(', ')}`)
  }

  integer(name: string, minimum: number, maximum: number): void {
    const value = this.config[name]
    if (
      value === undefined ||
      (Number.isInteger(value) && (value as number) >= minimum && (value as number) <= maximum)
    )
      return
    this.refuse(name, 'OUT_OF_RANGE', `must be an integer between ${minimum} and ${maximum}`)
  }

  flag(name: string): void {
    const value = this.config[name]
    if (value !== undefined && typeof value !== 'boolean') this.refuse(name, 'WRONG_TYPE', 'must be true or false')
  }

  /** An object of values; `freedomOf` says what may decide each of them; null: there is no such field. */
  values(name: string, max: number, freedomOf: (field: string) => Freedom | null): void {
    const values = this.config[name]
    if (!isJsonObject(values) || Object.keys(values).length === 0 || Object.keys(values).length > max)
      return this.refuse(name, 'WRONG_VALUE', `must be an object with 1 to ${max} members`)
    for (const [field, value] of Object.entries(values)) {
      const path = `${name}.${field}`
      const freedom = freedomOf(field)
      if (freedom === null) this.refuse(path, 'UNKNOWN_FIELD', 'is not a field that can be set')
      else if (freedom === 'ID' && value !== null && !isIdList(value)) this.#reference(path, value)
      else if (freedom === 'FIXED' && namesOutput(value))
        this.refuse(path, 'NOT_ALLOWED', 'must not name {{output.…}}, because the model must not decide it')
      else if (typeof value === 'string') this.#template(path, value, 10_000)
      else if (namesPlaceholder(value))
        this.refuse(path, 'NOT_ALLOWED', 'must have placeholders in a text only, not in a list or an object')
    }
  }
}

const isIdList = (value: unknown): boolean =>
  Array.isArray(value) && value.every((each) => typeof each === 'string' && isId(each))

const namesOutput = (value: unknown): boolean => /\{\{\s*output\b/.test(JSON.stringify(value))

const namesPlaceholder = (value: unknown): boolean => JSON.stringify(value).includes('{{')

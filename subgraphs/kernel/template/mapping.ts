import type { Liquid } from 'liquidjs'
import type { FieldProblem } from '../errors.ts'
import { isJsonObject } from '../json/exact-number.ts'
import { jsonBytes } from '../json/json-size.ts'
import { liquidEngine } from './liquid-engine.ts'
import { parseTemplate, type ParsedTemplate } from './parse-template.ts'
import { outputMax } from './template-bounds.ts'
import { problemOf, TemplateProblem } from './template-problem.ts'

// Values of settings that may contain outputs such as `{{record.amount}}`. There are no tags: nothing loops.

export type MappingScope = Readonly<Record<string, unknown>>

const depthMax = 16

const isTemplate = (text: string): boolean => text.includes('{{')

function parsed(engine: Liquid, source: string): ParsedTemplate {
  if (source.includes('{%'))
    throw new TemplateProblem('TAG_NOT_ALLOWED', 'must have outputs such as {{record.name}} only, and no {% tags %}.')
  return parseTemplate(engine, source)
}

/** Fills outputs in. One object fills all values of one step, which have the bounds of one mail together. */
export class Mapping {
  readonly #plain: Liquid
  readonly #html: Liquid
  readonly #budget = { left: outputMax }

  constructor(private readonly scope: MappingScope) {
    const budget = this.#budget
    this.#plain = liquidEngine({ isHtml: false, budget })
    this.#html = liquidEngine({ isHtml: true, budget })
  }

  /** The value with all outputs filled in. A text that is one output and nothing else becomes its value: a number stays a number. */
  filled(value: unknown, depth = 0): unknown {
    if (depth > depthMax) throw new TemplateProblem('TOO_DEEP', `must be nested at most ${depthMax} levels deep.`)
    if (typeof value === 'string') return this.text(value)
    if (Array.isArray(value)) return value.map((item) => this.filled(item, depth + 1))
    if (!isJsonObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, this.filled(item, depth + 1)]))
  }

  /** A text of HTML, in which values are escaped. */
  html(source: string): string {
    return isTemplate(source) ? this.#rendered(this.#html, source) : source
  }

  /** As `filled`, but undefined for a text that is one output without a value and nothing else. */
  found(value: unknown): unknown {
    return typeof value === 'string' ? this.#evaluated(value) : this.filled(value)
  }

  text(source: string): unknown {
    return this.#evaluated(source) ?? null
  }

  #evaluated(source: string): unknown {
    if (!isTemplate(source)) return source
    try {
      const { templates, outputs } = parsed(this.#plain, source.trim())
      const isLone = templates.length === 1 && outputs.length === 1
      if (!isLone) return this.#rendered(this.#plain, source)
      const value = this.#plain.evalValueSync(outputs[0]!, this.scope as object) as unknown
      return value === undefined ? value : this.#charged(value)
    } catch (error) {
      throw problemOf(error) ?? error
    }
  }

  /** A value is not copied, so one that names itself twice in each step of a cycle would soon be larger than memory as JSON. */
  #charged(value: unknown): unknown {
    this.#budget.left -= jsonBytes(value, this.#budget.left)
    if (this.#budget.left >= 0) return value
    throw new TemplateProblem('TOO_LONG', `writes more than ${outputMax} characters.`)
  }

  #rendered(engine: Liquid, source: string): string {
    try {
      return engine.renderSync(parsed(engine, source).templates, this.scope) as string
    } catch (error) {
      throw problemOf(error) ?? error
    }
  }
}

/** What is wrong with a name in an output, such as `['record', 'name']`, up to the number of an item. */
export type NameCheck = (name: readonly string[], path: string) => FieldProblem | null

/** A name must be written in full: then the text says what it names, and nothing else is named while it is filled in. */
function nameProblems(engine: Liquid, { templates }: ParsedTemplate, source: string, path: string, check: NameCheck) {
  return engine.globalVariableSegmentsSync(templates).flatMap((segments): FieldProblem[] => {
    const end = segments.findIndex((segment) => typeof segment !== 'string')
    const name = (end < 0 ? segments : segments.slice(0, end)) as string[]
    const isWritten = !segments.some((segment) => Array.isArray(segment)) && source.includes(name.join('.'))
    const message = `${path} must name each value in full, such as {{record.name}}.`
    const problem = isWritten ? check(name, path) : { path, code: 'WRONG_FORMAT', message }
    return problem ? [problem] : []
  })
}

/** What is wrong with the outputs in a value, with the paths of its texts. */
export function mappingProblems(value: unknown, path: string, check?: NameCheck, depth = 0): FieldProblem[] {
  if (depth > depthMax)
    return [{ path, code: 'TOO_DEEP', message: `${path} must be nested at most ${depthMax} levels deep.` }]
  if (typeof value === 'string') {
    if (!isTemplate(value) && !value.includes('{%')) return []
    try {
      const engine = liquidEngine({ isHtml: false, budget: { left: 0 } })
      const template = parsed(engine, value)
      return check ? nameProblems(engine, template, value, path, check) : []
    } catch (error) {
      const problem = problemOf(error)
      if (!problem) throw error
      return [{ path, code: problem.code, message: `${path} ${problem.message}` }]
    }
  }
  const entries = Array.isArray(value) ? [...value.entries()] : isJsonObject(value) ? Object.entries(value) : []
  return entries.flatMap(([name, item]) => mappingProblems(item, `${path}.${name}`, check, depth + 1))
}

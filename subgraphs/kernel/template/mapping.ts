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

  text(source: string): unknown {
    if (!isTemplate(source)) return source
    try {
      const { templates, outputs } = parsed(this.#plain, source.trim())
      const isLone = templates.length === 1 && outputs.length === 1
      if (!isLone) return this.#rendered(this.#plain, source)
      return this.#charged((this.#plain.evalValueSync(outputs[0]!, this.scope as object) as unknown) ?? null)
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

/** What is wrong with the outputs in a value, with the paths of its texts. */
export function mappingProblems(value: unknown, path: string, depth = 0): FieldProblem[] {
  if (depth > depthMax)
    return [{ path, code: 'TOO_DEEP', message: `${path} must be nested at most ${depthMax} levels deep.` }]
  if (typeof value === 'string') {
    if (!isTemplate(value) && !value.includes('{%')) return []
    try {
      parsed(liquidEngine({ isHtml: false, budget: { left: 0 } }), value)
      return []
    } catch (error) {
      const problem = problemOf(error)
      if (!problem) throw error
      return [{ path, code: problem.code, message: `${path} ${problem.message}` }]
    }
  }
  const entries = Array.isArray(value) ? [...value.entries()] : isJsonObject(value) ? Object.entries(value) : []
  return entries.flatMap(([name, item]) => mappingProblems(item, `${path}.${name}`, depth + 1))
}

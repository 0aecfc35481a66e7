import { Int, ObjectType } from 'type-graphql'
import { readScopeOfObject, requireActingScopes } from '../../kernel/acting-scopes.ts'
import { invalid, notFound } from '../../kernel/errors.ts'
import type { Formula } from '../../kernel/formula/formula.ts'
import { FormulaError, type FormulaProblem as Problem } from '../../kernel/formula/problem.ts'
import { checkValues } from '../../kernel/record/check-values.ts'
import { OutputField } from '../../kernel/record/declared-value.ts'
import { recordTypeIn } from '../../kernel/record/custom-object.ts'
import { columnOf } from '../../kernel/record/definition.ts'
import { nameOf } from '../../kernel/record/describe.ts'
import { requireReadable, requireWholeParts } from '../../kernel/record/field-security.ts'
import { ownInputs, type FormulaScopes } from '../../kernel/record/formula-columns.ts'
import { readLiveValue } from '../../kernel/record/live-values.ts'
import { allColumnNames, readOne } from '../../kernel/record/read.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { Json } from '../../kernel/record/scalars.ts'
import { shapeFor } from '../../kernel/record/shape-source.ts'
import { storedStructure } from '../../kernel/record/structure.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import { customField } from './custom-field.record.ts'
import { configProblems } from './custom-field.rules.ts'
import { knownEntityProblems } from './field-entity.ts'
import type { FormulaConfig } from './custom-field.parts.ts'
import { formulaOf } from './field-definition.ts'
import { cycleProblemOf, fieldsOfOrganization, scopesOf } from './formula-rules.ts'

@ObjectType({ description: 'What is wrong with a formula, and where.' })
@RequiresScope('CUSTOM_FIELDS')
export class FormulaProblem {
  @OutputField(() => String, {
    description:
      'FORMULA_SYNTAX, FORMULA_TYPE, FORMULA_UNKNOWN_FIELD, FORMULA_UNKNOWN_FUNCTION, FORMULA_CYCLE or FORMULA_TOO_COMPLEX.',
    example: 'FORMULA_UNKNOWN_FIELD',
  })
  code!: string

  @OutputField(() => String, {
    description: 'The problem in a sentence.',
    example: 'revenue is not a field of account that formulas can read.',
  })
  message!: string

  @OutputField(() => Int, { description: 'Where it begins in the expression: UTF-16 code units from 0.', example: 0 })
  offset!: number

  @OutputField(() => Int, { description: 'Its length in UTF-16 code units.', example: 7 })
  length!: number

  @OutputField(() => Int, { description: 'The line in which it begins, from 1.', example: 1 })
  line!: number

  @OutputField(() => Int, { description: 'The column in which it begins, from 1.', example: 1 })
  column!: number

  @OutputField(() => String, {
    list: true,
    nullable: true,
    description:
      'FORMULA_CYCLE: the formulas and rollups that read one another, from one of them back to it; null for other problems.',
    example: null,
  })
  cycle!: readonly string[] | null
}

@ObjectType({ description: 'Whether a formula can be used, and what it gives.' })
@RequiresScope('CUSTOM_FIELDS')
export class FormulaCheck {
  @OutputField(() => Boolean, { description: 'Whether the formula has no problem.', example: true })
  isValid!: boolean

  @OutputField(() => FormulaProblem, {
    list: true,
    maxItems: 20,
    description: 'What is wrong with the formula; empty if nothing is.',
    example: [],
  })
  problems!: readonly FormulaProblem[]

  @OutputField(() => String, {
    list: true,
    description: 'The fields that the expression names; empty if it is not valid.',
    example: ['annualRevenue', 'customFields.seats'],
  })
  reads!: readonly string[]

  @OutputField(() => Json, {
    nullable: true,
    description: 'The value for the record; null without `recordId`, without a value, or if the formula is not valid.',
    example: 1250.5,
  })
  value!: unknown
}

export interface FormulaToCheck {
  readonly entity: string
  readonly formulaConfig: FormulaConfig
  /** The name of the field that has the formula, or will have it. */
  readonly name: string | null
  readonly recordId: string | null
}

/** Checks a formula as if it were that of a field, and evaluates it for a record that the caller sees. Stores nothing. */
export async function checkFormula(ctx: RequestContext, given: FormulaToCheck): Promise<FormulaCheck> {
  requireAdministrator(ctx)
  const { entity, recordId } = given
  const object = entity.toLowerCase()
  if (recordId !== null) requireActingScopes(ctx.caller, [readScopeOfObject(object)])
  const formulaConfig = storedStructure(columnOf(customField, 'formulaConfig'), given.formulaConfig) as FormulaConfig
  const wrong = [
    ...knownEntityProblems(ctx, entity),
    ...checkValues(customField, { formulaConfig }),
    ...configProblems(formulaConfig),
  ]
  if (wrong.length > 0) throw invalid(...wrong)
  const compiledFormula = await compiled(ctx, { ...given, formulaConfig })
  if ('problems' in compiledFormula)
    return { isValid: false, problems: compiledFormula.problems.map(shown), reads: [], value: null }
  const reads = compiledFormula.formula.references.map(({ relations, field }) => [...relations, field].join('.'))
  const value = recordId === null ? null : await valueFor(ctx, object, compiledFormula, recordId)
  return { isValid: true, problems: [], reads, value }
}

interface Compiled {
  readonly formula: Formula
  readonly scopes: FormulaScopes
}

async function compiled(
  ctx: RequestContext,
  { entity, name, formulaConfig }: FormulaToCheck,
): Promise<Compiled | Pick<FormulaError, 'problems'>> {
  const fields = await fieldsOfOrganization(ctx)
  const others = fields.filter((field) => field.entity !== entity || field.name !== name)
  const cycle = name === null ? null : cycleProblemOf({ entity, name, formulaConfig }, others)
  if (cycle) return { problems: [cycle] }
  try {
    const scopes = scopesOf(others)
    return { formula: scopes.of(entity.toLowerCase())!.compile(formulaOf(formulaConfig)), scopes }
  } catch (error) {
    if (error instanceof FormulaError) return error
    throw error
  }
}

const shown = ({ cycle, ...problem }: Problem): FormulaProblem => ({ ...problem, cycle: cycle ?? null })

/** The value tells what the fields of the formula are, so the caller must be allowed to read all of them. */
async function valueFor(
  ctx: RequestContext,
  object: string,
  { formula, scopes }: Compiled,
  recordId: string,
): Promise<unknown> {
  const shape = shapeFor(ctx, recordTypeIn(ctx, object)!)
  requireReadable(ctx.caller, shape, ...ownInputs(formula))
  const scope = scopes.of(object)!
  requireWholeParts(ctx.caller, { partsOf: formula.inputs.flatMap((input) => scope.namesOf(input)) })
  const record = await readOne(ctx, shape, recordId, allColumnNames(shape))
  if (!record) throw notFound(`The ${nameOf(shape)}`)
  return formula.isLocal ? formula.evaluate(record) : readLiveValue(ctx, shape, recordId, formula, scopes)
}
